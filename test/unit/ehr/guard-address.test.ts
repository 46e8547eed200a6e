import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { makeAddressGuard, readLocation } from '../../../src/ehr/guard-address.ts';

const guard = makeAddressGuard('https://ehr.example.org/fhir/r4/');

test('the base is an origin and a path, without the slash at its end', () => {
  expect([guard.origin, guard.base]).toEqual(['https://ehr.example.org', 'https://ehr.example.org/fhir/r4']);
});

test.each([
  'ftp://ehr.example.org/fhir',
  'https://user:secret@ehr.example.org/fhir',
  'https://ehr.example.org/fhir?x=1',
  'https://ehr.example.org/fhir#x',
  'https://ehr.example.org/f%2e',
  'nonsense',
])('%s is no base', (base) => {
  expect(() => makeAddressGuard(base)).toThrow(expect.objectContaining({ name: 'StartError', code: 'ehr.url' }));
});

test.each<[string, readonly (readonly [string, string])[], string]>([
  ['', [], '/fhir/r4'],
  ['metadata', [], '/fhir/r4/metadata'],
  ['Patient/1/_history/2', [], '/fhir/r4/Patient/1/_history/2'],
  ['Patient/_search', [], '/fhir/r4/Patient/_search'],
  ['Patient/$match', [], '/fhir/r4/Patient/$match'],
  ['.well-known/smart-configuration', [], '/fhir/r4/.well-known/smart-configuration'],
  ['Patient', [['identifier', 'urn:a|b&c=d#e']], '/fhir/r4/Patient?identifier=urn%3Aa%7Cb%26c%3Dd%23e'],
  ['Patient', [['name', 'a b+c']], '/fhir/r4/Patient?name=a%20b%2Bc'],
])('the path %s goes out below the base', (path, query, target) => {
  expect(guard.target(path, query)).toEqual({ ok: true, value: target });
});

test('a server without a path of its own is asked at its root', () => {
  const root = makeAddressGuard('http://localhost:8081');
  expect([root.target(''), root.target('Patient')]).toEqual([
    { ok: true, value: '/' },
    { ok: true, value: '/Patient' },
  ]);
  expect(root.own('http://localhost:8081/Patient/1')).toEqual({ ok: true, value: { path: 'Patient/1', query: [] } });
});

test.each([
  '../admin',
  'Patient/..',
  'Patient/.',
  'Patient/%2e%2e/x',
  'Patient//1',
  '/Patient',
  'Patient/',
  'https://evil.example/Patient/1',
  'Patient?identifier=x',
  'Patient#x',
  'Patient\\1',
  'Patient/1\r\nHost: evil',
  `Patient/${'a'.repeat(129)}`,
])('the path %j is not sent', (path) => {
  expect(guard.target(path)).toMatchObject({ ok: false, fault: { code: 'ehr.foreign-address' } });
});

describe('an address that a server gave', () => {
  test.each<[string, string, readonly (readonly [string, string])[]]>([
    ['https://ehr.example.org/fhir/r4/Patient/1', 'Patient/1', []],
    ['https://EHR.example.org:443/fhir/r4/Patient/1', 'Patient/1', []],
    [
      'https://ehr.example.org/fhir/r4?_getpages=a&_offset=20',
      '',
      [
        ['_getpages', 'a'],
        ['_offset', '20'],
      ],
    ],
    ['https://ehr.example.org/fhir/r4/', '', []],
    ['Patient/1', 'Patient/1', []],
    ['/fhir/r4/Patient/1', 'Patient/1', []],
  ])('%s is ours', (address, path, query) => {
    expect(guard.own(address)).toEqual({ ok: true, value: { path, query } });
  });

  test.each([
    'https://ehr.example.org.evil.org/fhir/r4/Patient/1',
    'https://evil.example/fhir/r4/Patient/1',
    'http://ehr.example.org/fhir/r4/Patient/1',
    'https://ehr.example.org:8443/fhir/r4/Patient/1',
    'https://ehr.example.org/fhir/r4x/Patient/1',
    'https://ehr.example.org/fhir/r4xPatient/1',
    'https://ehr.example.org/fhir/Patient/1',
    'https://ehr.example.org/fhir/r4/../../admin',
    'https://ehr.example.org/fhir/r4/%2e%2e/admin',
    'https://ehr.example.org/fhir/r4/Patient%2f1',
    'https://ehr.example.org@evil.example/fhir/r4/Patient/1',
    'https://user@ehr.example.org/fhir/r4/Patient/1',
    'https://ehr.example.org/fhir/r4/Patient/1#x',
    '//evil.example/fhir/r4/Patient/1',
    '\\\\evil.example\\fhir',
    'https:\\\\evil.example/fhir/r4',
    'javascript:alert(1)',
    'file:///etc/passwd',
    'urn:uuid:0c3151bd-1cbf-4d64-b04d-cd9187a4c6e0',
    '../Patient/1',
    'http://[',
  ])('%s is not', (address) => {
    expect(guard.own(address)).toMatchObject({ ok: false, fault: { code: 'ehr.foreign-address' } });
  });

  test('whatever it is, what is taken from it can only lead below our base', () => {
    const nearOurs = fc
      .tuple(
        fc.constantFrom(
          'https://ehr.example.org',
          'HTTPS://EHR.EXAMPLE.ORG:443',
          'https://ehr.example.org.evil.example',
          '',
        ),
        fc.constantFrom('/fhir/r4', '/fhir/r4x', '/fhir', '/fhir/r4/..', '//ehr.example.org/fhir/r4'),
        fc.array(
          fc.constantFrom('Patient', '1', '..', '.', '%2e%2e', '%2F', '$match', '_history', 'a b', 'x?y=z', '#'),
          {
            maxLength: 4,
          },
        ),
      )
      .map(([origin, root, parts]) => [`${origin}${root}`, ...parts].join('/'));
    const taken = { below: 0, refused: 0 };
    fc.assert(
      fc.property(
        fc.oneof(nearOurs, fc.webUrl({ withQueryParameters: true }), fc.string(), fc.webPath()),
        (address) => {
          const own = guard.own(address);
          taken[own.ok ? 'below' : 'refused'] += 1;
          if (!own.ok) return;
          const target = guard.target(own.value.path, own.value.query);
          const { origin, pathname } = new URL(target.ok ? target.value : '', guard.origin);
          expect([origin, `${pathname}/`.startsWith('/fhir/r4/')]).toEqual(['https://ehr.example.org', true]);
        },
      ),
      { numRuns: 500 },
    );
    expect([taken.below > 20, taken.refused > 100]).toEqual([true, true]);
  });
});

test.each([
  ['https://ehr.example.org/fhir/r4/Observation/7', { type: 'Observation', id: '7', versionId: null }],
  ['https://ehr.example.org/fhir/r4/Observation/7/_history/2', { type: 'Observation', id: '7', versionId: '2' }],
  ['Observation/7/_history/2', { type: 'Observation', id: '7', versionId: '2' }],
  ['https://evil.example/fhir/r4/Observation/7', null],
  ['https://ehr.example.org/fhir/r4/Observation', null],
  ['https://ehr.example.org/fhir/r4/Observation/7/_history', null],
  ['', null],
])('the Location %s names %j', (location, expected) => {
  expect(readLocation(guard, location)).toEqual(expected);
});
