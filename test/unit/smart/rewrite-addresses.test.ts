import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { makeRewriteAddresses, makeRewriteText, type Addresses } from '../../../src/smart/rewrite-addresses.ts';

const OWN = 'https://gateway.example.org/fhir';
const EHR = 'https://ehr.example.org/r4';
const rewriteOf = (addresses: Addresses) => makeRewriteAddresses(makeRewriteText(addresses));
const rewrite = rewriteOf({ ehrBase: EHR, ownBase: OWN });
const MASKED = {
  extension: [{ url: 'http://hl7.org/fhir/StructureDefinition/data-absent-reason', valueCode: 'masked' }],
};

describe('an address below the base of the EHR becomes ours', () => {
  test.each([
    `${EHR}/Patient/1`,
    'https://EHR.EXAMPLE.ORG/r4/Patient/1',
    'https://Ehr.Example.Org/r4/Patient/1',
    'HTTPS://ehr.example.org/r4/Patient/1',
    'https://ehr.example.org:443/r4/Patient/1',
    '//ehr.example.org/r4/Patient/1',
    'https://somebody@ehr.example.org/r4/Patient/1',
    'https://ehr.example.org/other/../r4/Patient/1',
  ])('%s', (address) => {
    expect(rewrite({ reference: address })).toEqual({ reference: 'Patient/1' });
    expect(rewrite({ photo: [{ url: address }] })).toEqual({ photo: [{ url: `${OWN}/Patient/1` }] });
    expect(rewrite({ meta: { source: address } })).toEqual({ meta: { source: `${OWN}/Patient/1` } });
    expect(rewrite({ extension: [{ url: 'urn:x', valueUrl: address }] })).toEqual({
      extension: [{ url: 'urn:x', valueUrl: `${OWN}/Patient/1` }],
    });
    expect(rewrite({ text: { div: `<div><a href="${address}">x</a><img src='${address}'/></div>` } })).toEqual({
      text: { div: `<div><a href="${OWN}/Patient/1">x</a><img src='${OWN}/Patient/1'/></div>` },
    });
    expect(rewrite({ contained: [{ subject: { reference: address } }] })).toEqual({
      contained: [{ subject: { reference: 'Patient/1' } }],
    });
  });

  test('with what follows it', () => {
    expect(rewrite({ url: `${EHR}/Binary/1?x=1#y` })).toEqual({ url: `${OWN}/Binary/1?x=1#y` });
    expect(rewrite({ url: EHR })).toEqual({ url: OWN });
    expect(rewrite({ reference: EHR })).toEqual({ reference: OWN });
    expect(rewrite({ reference: `${EHR}/Patient/1/_history/2` })).toEqual({ reference: 'Patient/1/_history/2' });
  });

  test('also of an attachment that has an extension', () => {
    const attachment = { extension: [{ url: 'urn:x', valueString: 'x' }], url: `${EHR}/Binary/1` };
    expect(rewrite({ content: [{ attachment }] })).toEqual({
      content: [{ attachment: { ...attachment, url: `${OWN}/Binary/1` } }],
    });
  });
});

describe('another address of the EHR is masked', () => {
  test.each([
    'https://ehr.example.org/files/1',
    'https://EHR.EXAMPLE.ORG/files/1',
    'http://ehr.example.org/r4/Patient/1',
    'https://ehr.example.org:8443/r4/Patient/1',
    'https://ehr.example.org/r4x/Patient/1',
    'https://ehr.example.org/r4/../files',
    'ftp://ehr.example.org/x',
    'dicom://EHR.example.org/x',
  ])('%s', (address) => {
    expect(rewrite({ valueAttachment: { title: 't', url: address } })).toEqual({
      valueAttachment: { title: 't', _url: MASKED },
    });
    expect(rewrite({ subject: { reference: address } })).toEqual({ subject: { _reference: MASKED } });
    expect(rewrite({ text: { div: `<div><a href="${address}">x</a></div>` } })).toEqual({
      text: { div: '<div><a href="#">x</a></div>' },
    });
  });

  test('beside the extensions that it had', () => {
    const had = { url: 'urn:x', valueString: 'x' };
    expect(rewrite({ url: 'https://ehr.example.org/x', _url: { id: 'i', extension: [had] } })).toEqual({
      _url: { id: 'i', extension: [had, ...MASKED.extension] },
    });
  });

  test('on a port of its own, where the base of the EHR has one', () => {
    const local = rewriteOf({
      ehrBase: 'http://localhost:8081/fhir',
      ownBase: 'http://localhost:8080/fhir',
    });
    expect(local({ url: 'http://localhost:8081/files' })).toEqual({ _url: MASKED });
    expect(local({ url: 'http://LOCALHOST:8081/fhir/Binary/1' })).toEqual({
      url: 'http://localhost:8080/fhir/Binary/1',
    });
    expect(local({ url: 'http://localhost:8080/fhir/Binary/1' })).toEqual({
      url: 'http://localhost:8080/fhir/Binary/1',
    });
    expect(local({ url: 'http://localhost:9999/x' })).toEqual({ url: 'http://localhost:9999/x' });
  });

  test('and ours is not, at the same host', () => {
    const same = rewriteOf({ ehrBase: EHR, ownBase: 'https://ehr.example.org/gateway/fhir' });
    const own = { url: 'https://ehr.example.org/gateway/fhir/Binary/1' };
    expect([same(own), same({ url: `${EHR}/Binary/1` })]).toEqual([own, own]);
  });
});

describe('everything else stays as it is', () => {
  test.each<[string, object]>([
    [
      'free text',
      { manufacturer: `Acme ${EHR}/x`, note: [{ text: `${EHR}/Patient/1` }, { text: 'HTTPS://EHR.EXAMPLE.ORG' }] },
    ],
    ['a description', { description: { text: `see ${EHR}` }, target: [{ detailString: EHR }] }],
    ['the text of a narrative', { text: { div: `<div>${EHR}/admin <b title="${EHR}">x</b></div>` } }],
    ['a number that is a text', { identifier: [{ value: `${EHR}/Patient/1` }] }],
    [
      'a name of a system',
      { identifier: [{ system: `${EHR}/sid/mrn` }], code: { coding: [{ system: `${EHR}/codes` }] } },
    ],
    ['a name of a profile', { meta: { profile: [`${EHR}/StructureDefinition/x`] } }],
    ['a name of an extension', { extension: [{ url: `${EHR}/StructureDefinition/x`, valueString: 'x' }] }],
    ['a name of an extension of parts', { modifierExtension: [{ url: `${EHR}/x`, extension: [{ url: `${EHR}/y` }] }] }],
    [
      'an address of another host',
      { url: 'https://ehr.example.org.evil.example/r4', subject: { reference: 'https://other/r4/Patient/1' } },
    ],
    ['a host that begins alike', { url: 'https://an-ehr.example.org/r4/Patient/1' }],
    ['a relative reference', { subject: { reference: 'Patient/1' }, focus: [{ reference: '#a' }] }],
    ['a urn', { subject: { reference: 'urn:uuid:1' }, url: 'urn:oid:1.2' }],
    ['a query that mentions it', { url: `https://other.example/?to=${EHR}/Patient/1` }],
    ['no address', { url: '', source: 'http://', reference: 'x y' }],
  ])('%s', (_, resource) => {
    expect(rewrite(resource)).toBe(resource);
  });

  test('a text of whatever kind under whatever name that is none of an address', () => {
    const names = fc
      .string({ minLength: 1, maxLength: 12 })
      .filter(
        (name) =>
          !/^(reference|url|uri|source|address|endpoint|implicitRules|authorizationUrl|onlineInformation|valueUrl|div|__proto__)$/.test(
            name,
          ),
      );
    fc.assert(
      fc.property(names, fc.string(), (name, text) => {
        const given = { [name]: `${text}${EHR}/x` };
        expect(rewrite(given)).toBe(given);
      }),
    );
  });
});
