import { describe, expect, test } from '@jest/globals';
import { picker } from '../../support/mutate.ts';
import { aGrant } from '../../support/smart/a-grant.ts';
import { EHR, makeTwins, type Asked } from '../../support/smart/page-twins.ts';
import { PATIENT, SEED_TYPES, seedPage } from '../../support/smart/seed-pages.ts';

const compare = makeTwins();
const ask = (query = '', scope = 'patient/*.rs', type = 'Observation'): Asked => ({
  target: `/fhir/${type}?patient=${PATIENT}${query}`,
  grant: aGrant(scope, { patient: PATIENT }),
});

const SUBJECT = `"subject":{"reference":"Patient/${PATIENT}"}`;
const OBSERVATION = `"resourceType":"Observation","id":"o-1"`;
const pageOf = (...entries: readonly string[]): Buffer =>
  Buffer.from(`{"resourceType":"Bundle","type":"searchset","entry":[${entries.join(',')}]}`);
const resource = (members: string): Buffer => pageOf(`{"resource":{${members}}}`);
const plain = (more = ''): Buffer => resource(`${OBSERVATION},${SUBJECT}${more}`);

const found = async (page: Buffer, asked = ask()): Promise<string> => (await compare(page, asked)).kind;

describe('what is passed as bytes is what the slow way would show', () => {
  test.each(SEED_TYPES.flatMap((type) => [[type, 'lines'] as const, [type, 'dense'] as const]))(
    'a page of %s in %s',
    async (type, style) => {
      for (const entries of [0, 1, 20])
        expect(
          await found(Buffer.from(seedPage(type, entries, style, picker(entries))), ask('', undefined, type)),
        ).toBe('passed');
    },
  );

  test.each([
    ['as it is', ''],
    ['with other escapes in a text', ',"note":[{"text":"\\u00e9 \\/ \\ud83d\\ude00 \\ud800"}]'],
    ['with a number that keeps its digits', ',"valueDecimal":70.10,"a":-0,"b":1E+400,"c":12345678901234567890'],
    ['with a name that JavaScript would put first', ',"z":1,"7":2,"__proto__":{"subject":null}'],
    ['with an address elsewhere', ',"url":"http://hl7.org/fhir","instantiatesUri":"https://ehr.example.org/x"'],
    ["with the EHR's address in an extension's name", ',"extension":[{"url":"https://ehr.example.org/fhir/x"}]'],
    ["with the EHR's address where nobody follows it", `,"identifier":[{"system":"${EHR}/mrn"}]`],
    ['with an address in a list of texts', `,"url":["${EHR}/x"]`],
    ['with a narrative that leads elsewhere', ',"text":{"div":"<a href=\\"http://hl7.org\\">x</a>"}'],
  ])('an Observation %s', async (_name, more) => {
    expect(await found(plain(more))).toBe('passed');
  });

  test('an entry whose parts come in another order, with a score and blanks', async () => {
    const entry = `{ "search" : {"score":1.0,"mode":"match"} ,\r\n\t"resource":{${SUBJECT},${OBSERVATION}} }`;
    expect(await found(pageOf(entry))).toBe('passed');
  });

  test.each([
    [1_000, 'passed'],
    [1_001, 'passed'],
    [9_000, 'offered'],
  ])('a page of %d entries, of which 1,000 are taken, and no more than 1 MB is looked at', async (count, kind) => {
    const entries = Array.from(
      { length: count },
      (_, n) => `{"resource":{"resourceType":"Observation","id":"many-${n}",${SUBJECT},"note":"${'x'.repeat(40)}"}}`,
    );
    expect(await found(pageOf(...entries))).toBe(kind);
  });

  test('a page that goes on', async () => {
    const link = `"link":[{"relation":"n\\u0065xt","url":"${EHR}/Observation?page=2"}],`;
    const page = plain().toString().replace('"entry"', `${link}"entry"`);
    expect(await found(Buffer.from(page))).toBe('passed');
  });
});

describe('what an EHR may send that one parser sees and another does not is not passed', () => {
  const other = '{"reference":"Patient/p-2"}';
  const own = `{"reference":"Patient/${PATIENT}"}`;

  test.each([
    ['the subject twice', `${OBSERVATION},${SUBJECT},"subject":${other}`],
    ['the subject twice, once escaped', `${OBSERVATION},${SUBJECT},"subj\\u0065ct":${other}`],
    ['an escaped subject alone', `${OBSERVATION},"subj\\u0065ct":${own}`],
    ['the reference twice', `${OBSERVATION},"subject":{"reference":"Patient/${PATIENT}","reference":"Patient/p-2"}`],
    ['an escaped reference', `${OBSERVATION},"subject":{"reference":"P\\u0061tient/${PATIENT}"}`],
    ['subjects in a list', `${OBSERVATION},"subject":[${own}]`],
    ['another subject before this one', `${OBSERVATION},"subject":[${other},${own}]`],
    ['a subject that is a text', `${OBSERVATION},"subject":"Patient/${PATIENT}"`],
    ['no subject', OBSERVATION],
    ['a subject of another spelling', `${OBSERVATION},"subjectReference":${own}`],
    ['a subject in the prototype', `${OBSERVATION},"__proto__":{${SUBJECT}}`],
    ['a subject that is nothing', `${OBSERVATION},"subject":null,"subjectReference":${own}`],
    ['the type twice', `${OBSERVATION},${SUBJECT},"resourceType":"Patient"`],
    ['another type', `"resourceType":"Condition","id":"o-1",${SUBJECT}`],
    ['an escaped type', `"resourceType":"Obs\\u0065rvation","id":"o-1",${SUBJECT}`],
    ['an id of dots', `"resourceType":"Observation","id":"..",${SUBJECT}`],
    ['no id', `"resourceType":"Observation",${SUBJECT}`],
    ['something contained', `${OBSERVATION},${SUBJECT},"contained":[]`],
    ['a name twice, far inside', `${OBSERVATION},${SUBJECT},"a":[{"b":{"c":1,"c":1}}]`],
    ['a number that is none', `${OBSERVATION},${SUBJECT},"a":01`],
    ['a control character in a text', `${OBSERVATION},${SUBJECT},"a":"\u0001"`],
    ['nesting beyond need', `${OBSERVATION},${SUBJECT},"a":${'['.repeat(60)}${']'.repeat(60)}`],
    ["the EHR's address", `${OBSERVATION},${SUBJECT},"url":"${EHR}/x"`],
    ["the EHR's address, escaped", `${OBSERVATION},${SUBJECT},"url":"\\u0068ttps:\\/\\/ehr.example.org/x"`],
    ["the EHR's address, relative to its scheme", `${OBSERVATION},${SUBJECT},"url":"https:x"`],
    ["the EHR's address in a narrative", `${OBSERVATION},${SUBJECT},"div":"<a href='https://EHR.example.org/'>"`],
  ])('%s', async (_name, members) => {
    expect(await found(resource(members))).toBe('offered');
  });

  test.each([
    'Patient/p-2',
    'Patient/P-1',
    'patient/p-1',
    'Patient/p-1 ',
    ' Patient/p-1',
    'Patient/p-1/_history/2',
    'Patient/p-1/',
    `${EHR}/Patient/p-1`,
    'https://other.example.org/fhir/Patient/p-1',
    '#p-1',
    'Group/p-1',
  ])('a subject that is %s', async (reference) => {
    expect(await found(resource(`${OBSERVATION},"subject":{"reference":"${reference}"}`))).toBe('offered');
  });

  const good = `{"resource":{${OBSERVATION},${SUBJECT}}}`;
  test.each([
    ['the same resource twice', [good, good]],
    [
      'another patient behind the first',
      [good, `{"resource":{"resourceType":"Observation","id":"o-2","subject":${other}}}`],
    ],
    ['an outcome', [good, '{"resource":{"resourceType":"OperationOutcome","issue":[]},"search":{"mode":"outcome"}}']],
    ['an include', [`{"resource":{${OBSERVATION},${SUBJECT}},"search":{"mode":"include"}}`]],
    ['an escaped mode', [`{"resource":{${OBSERVATION},${SUBJECT}},"search":{"mode":"m\\u0061tch"}}`]],
    ['a Provenance', [good, '{"resource":{"resourceType":"Provenance","id":"v"}}']],
    ['an entry without a resource', [good, '{}']],
    ['an entry that is a list', [`[${good}]`]],
    ['two resources in one entry', [`{"resource":{${OBSERVATION},${SUBJECT}},"resource":{}}`]],
  ])('%s', async (_name, entries) => {
    expect(await found(pageOf(...entries))).toBe('offered');
  });

  test.each([
    ['a byte order mark', (page: Buffer) => Buffer.concat([Buffer.from('\ufeff'), page])],
    ['something behind', (page: Buffer) => Buffer.concat([page, Buffer.from('{}')])],
    ['a cut', (page: Buffer) => page.subarray(0, -1)],
    [
      'bytes that are no UTF-8',
      (page: Buffer) => Buffer.concat([page.subarray(0, -6), Buffer.from([0xc0, 0xaf]), page.subarray(-6)]),
    ],
    ['another type of Bundle', (page: Buffer) => Buffer.from(page.toString().replace('searchset', 'history'))],
    ['no Bundle', (page: Buffer) => Buffer.from(page.toString().replace('"Bundle"', '"OperationOutcome"'))],
    ['nothing', () => Buffer.from('{}')],
  ])('%s', async (_name, change) => {
    expect(await found(change(plain(',"note":"x"')))).toBe('offered');
  });
});

describe('of what the resource before has said as well', () => {
  const two = (first: string, second: string): Buffer =>
    pageOf(
      `{"resource":{${OBSERVATION},${SUBJECT},${first}}}`,
      `{"resource":{"resourceType":"Observation","id":"o-2",${SUBJECT},${second}}}`,
    );
  const LEADS_BACK = `{"url":"${EHR}/x"}`;
  const device = `"device":{"reference":"Device/d-1","display":"a scale of some name"}`;

  test.each([
    ['the same', device, device],
    ['the same, and more', device, `${device},"code":{"text":"weight"}`],
    ['more before it', device, `"code":{"text":"weight"},${device}`],
    ['another text', device, device.replace('some', 'same')],
    ['a longer text', device, device.replace('some', 'somesome')],
    ['as much in another element', device, device.replace('"device"', '"encounter"')],
    ['what begins alike', '"code":[{"a":1}]', '"code":[{"a":1},{"a":1}]'],
  ])('%s is passed', async (_name, first, second) => {
    expect(await found(two(first, second))).toBe('passed');
  });

  test.each([
    ['what is no JSON', device, `${device}}`],
    ['what is cut', '"a":[1,2,[3]]', '"a":[1,2,[3]'],
    ['what is cut in a number', '"a":{"b":1}', '"a":{"b":01'],
    ["the EHR's address at the beginning of a text", device, device.replace('Device/d-1', `${EHR}/Device/d-1`)],
    ["the EHR's address in an element that is followed", `"note":{"a":"${EHR}/x"}`, `"note":{"url":"${EHR}/x"}`],
    ['a name twice', '"a":{"b":1,"c":1}', '"a":{"b":1,"b":1}'],
    ["the EHR's address where it stays in another element", `"extension":[${LEADS_BACK}]`, `"contact":[${LEADS_BACK}]`],
    ['the same element twice', device, `${device},${device}`],
  ])('%s is not', async (_name, first, second) => {
    expect(await found(two(first, second))).toBe('offered');
  });

  test('another patient is not, though the resource before names it elsewhere', async () => {
    const other = '{"reference":"Patient/p-2"}';
    const page = pageOf(
      `{"resource":{${OBSERVATION},${SUBJECT},"focus":${other}}}`,
      `{"resource":{"resourceType":"Observation","id":"o-2","subject":${other}}}`,
    );
    expect(await found(page)).toBe('offered');
  });

  test('a list of as many elements as are remembered, and more', async () => {
    const elements = Array.from({ length: 70 }, (_, n) => `"e${n}":{"x":${n}}`).join(',');
    expect(await found(two(elements, elements))).toBe('passed');
    expect(await found(two(elements, elements.replace('"x":69', '"x":069')))).toBe('offered');
  });
});

describe('a search whose answer takes more to check is not offered', () => {
  test.each([
    ['_id', ask('&_id=o-1')],
    ['an include', ask('&_include=Observation:device')],
    ['Provenances', ask('&_revinclude=Provenance:target')],
    ['elements', ask('&_elements=status')],
    ['a summary', ask('&_summary=true')],
    ['a count', ask('&_summary=count')],
    ['a granular scope', ask('', 'patient/Observation.rs?category=http://x|y')],
    ['a granular scope beside a whole one', ask('', 'patient/Observation.rs?category=http://x|y patient/*.rs')],
    ['Patients', { ...ask(), target: `/fhir/Patient?_id=${PATIENT}` }],
    ["nobody's records", { ...ask('', 'user/*.rs'), target: '/fhir/Practitioner?_id=7' }],
  ])('%s', async (_name, asked) => {
    expect(await found(plain(), asked)).toBe('not-offered');
  });
});
