import { EHR } from './page-twins.ts';
import { PATIENT } from './seed-pages.ts';

type Pick = (below: number) => number;

/** A page as a string of bytes: one character for each. */
type Bytes = string;
type Mutator = (page: Bytes, pick: Pick) => Bytes;

const inBytes = (text: string): Bytes => Buffer.from(text, 'utf8').toString('latin1');
const oneOf = <T>(all: readonly T[], pick: Pick): T => all[pick(all.length)] as T;
const splice = (page: Bytes, at: number, removed: number, put: string): Bytes =>
  page.slice(0, at) + put + page.slice(at + removed);

/** Some occurrence of a pattern, with what it captured. */
function findOne(page: Bytes, pattern: RegExp, pick: Pick): { at: number; text: string } | null {
  const found = [...page.matchAll(pattern)];
  const one = found[pick(Math.max(1, found.length))];
  return one === undefined ? null : { at: one.index, text: one[0] };
}

const replacing =
  (pattern: RegExp, by: readonly string[] | ((text: string, pick: Pick) => string)): Mutator =>
  (page, pick) => {
    const found = findOne(page, pattern, pick);
    if (found === null) return page;
    const put = typeof by === 'function' ? by(found.text, pick) : inBytes(oneOf(by, pick));
    return splice(page, found.at, found.text.length, put);
  };

const behind =
  (pattern: RegExp, put: readonly string[]): Mutator =>
  (page, pick) => {
    const found = findOne(page, pattern, pick);
    return found === null ? page : splice(page, found.at + found.text.length, 0, inBytes(oneOf(put, pick)));
  };

const REFERENCES = [
  'Patient/p-2',
  'Patient/p-1/_history/2',
  'Patient/P-1',
  'patient/p-1',
  'Patient/p-1 ',
  ' Patient/p-1',
  'Patient/p-1/',
  'Patient/p-1#x',
  'Patient/p-1?x',
  '/Patient/p-1',
  '//ehr.example.org/fhir/Patient/p-1',
  `${EHR}/Patient/p-1`,
  `${EHR}/Patient/p-2`,
  'HTTPS://EHR.example.org/fhir/Patient/p-1',
  'https://other.example.org/fhir/Patient/p-1',
  'https:Patient/p-1',
  'Group/p-1',
  '#p-1',
  'urn:uuid:0',
  'Patient/..',
  'Patient/',
  '',
  'P\\u0061tient/p-1',
  'Patient\\/p-1',
  'Patient/p-1\\u0000',
  'Patient/p-1\\n',
  'Patient/p\u20101',
  'Patient/p-1\u200b',
];

/** Addresses of the EHR in all spellings that lead there, and of others. */
const ADDRESSES = [
  `${EHR}/Binary/1`,
  'https://ehr.example.org/other',
  'https://EHR.EXAMPLE.ORG/fhir',
  'https://ehr.example.org:443/fhir/x',
  'https://ehr.example.org:8443/fhir/x',
  'https://e%68r.example.org/fhir/x',
  'https://ｅhr.example.org/fhir/x',
  'https://user@ehr.example.org/fhir',
  'https:\\\\\\\\ehr.example.org\\\\fhir',
  'https:x',
  'https:/fhir/x',
  ' https://ehr.example.org/fhir/x',
  '\\thttps://ehr.example.org/fhir/x',
  'ht\\ntps://ehr.example.org/fhir/x',
  'https:\\/\\/ehr.example.org\\/fhir\\/x',
  '\\u0068ttps://ehr.example.org/fhir/x',
  '\\\\\\\\ehr.example.org/x',
  'ws://ehr.example.org/x',
  'http://hl7.org/fhir/x',
  'urn:oid:1.2.3',
  'urn://ehr.example.org/x',
  'mailto:a@ehr.example.org',
  '//other.example.org',
  'https://gateway.example.org/fhir/x',
  'x',
];
const ADDRESS_NAMES = [
  'reference',
  'url',
  'uri',
  'source',
  'address',
  'endpoint',
  'implicitRules',
  'authorizationUrl',
  'onlineInformation',
  'valueUrl',
  'system',
  'profile',
  'display',
  'Reference',
  'ur\\u006c',
];
const DIVS = [
  '<a href=\\"https://ehr.example.org/fhir/x\\">x</a>',
  "<img\\nSRC = 'https://ehr.example.org/x'/>",
  '<a \\u0068ref=\\"https://ehr.example.org/x\\">',
  '<a href=\\"#x\\">',
  'href=https://ehr.example.org',
  '\\ud83d\\ude00',
];

const KEYS = [
  'resourceType',
  'id',
  'subject',
  'patient',
  'reference',
  'contained',
  'meta',
  'mode',
  'search',
  'resource',
  'entry',
  'link',
  'type',
  'text',
  'extension',
  'modifierExtension',
  'subjectReference',
  '__proto__',
  'constructor',
  'toString',
  '0',
  '17',
  '',
  '\u00e9',
  'subj\\u0065ct',
  's\\u0075bject',
  'resourceTyp\\u0065',
  'i\\u0064',
  'contain\\u0065d',
  'r\\u0065ference',
  'a\\"b',
  'subject ',
  'Subject',
];
const VALUES = [
  'null',
  'true',
  'false',
  '0',
  '-0',
  '1.0',
  '01',
  '1.',
  '.5',
  '+1',
  '1e5',
  '1E+400',
  '-1e-400',
  '1e',
  '0x1',
  'NaN',
  'Infinity',
  '9007199254740993',
  '0.1000',
  '""',
  '"x"',
  '"\\ud800"',
  '"\\udc00\\ud800"',
  '"\\u0000"',
  '"\\u0000x"',
  '"\\x"',
  '"\\u12g4"',
  '"\t"',
  '"\u007f"',
  '"\u2028"',
  '[]',
  '{}',
  '[[]]',
  '[1,]',
  '{"a":1,}',
  '{"a":1,"a":2}',
  '{"a":1,"\\u0061":2}',
  '{"reference":"Patient/p-2"}',
  '{"reference":"Patient/p-1"}',
  '[{"reference":"Patient/p-1"}]',
  '{"resourceType":"Patient","id":"p-2"}',
  '[{"resourceType":"Patient","id":"p-2"}]',
  '"Observation"',
  '"p-1"',
  '"match"',
  '"include"',
  '{"mode":"include"}',
  '{"mode":"match"}',
  '{"mode":"m\\u0061tch"}',
  'undefined',
  '// x\n1',
  "'x'",
];
const BLANKS = [' ', '\n', '\r\n', '\t', '   ', '\f', '\v', '\u00a0', '\ufeff', '\u2003', '\u0000', '/**/'];

const OTHER = '{"reference":"Patient/p-2"}';
const OTHER_ENTRIES = [
  `{"resource":{"resourceType":"Observation","id":"z-1","subject":{"reference":"Patient/p-2"}}}`,
  `{"resource":{"resourceType":"Observation","id":"z-1","subject":{"reference":"Patient/p-1"}}}`,
  `{"resource":{"subject":{"reference":"Patient/p-1"},"id":"z-2","resourceType":"Observation"},"search":{"mode":"match"}}`,
  `{"search":{"mode":"match","score":1.0},"resource":{"resourceType":"Observation","id":"z-3","subject":{"reference":"Patient/p-1"}}}`,
  `{"search":{"mode":"include"},"resource":{"resourceType":"Observation","id":"z-3","subject":{"reference":"Patient/p-1"}}}`,
  `{"search":{},"resource":{"resourceType":"Condition","id":"z-3","subject":{"reference":"Patient/p-1"}}}`,
  `{"search":null,"resource":{"resourceType":"Condition","id":"z-3","subject":{"reference":"Patient/p-1"}}}`,
  `{"resource":{"resourceType":"Condition","id":"z-4","subject":{"reference":"Patient/p-1"},"contained":[]}}`,
  `{"resource":{"resourceType":"Condition","id":"z-4","subject":{"reference":"Patient/p-1"},"contained":[{"resourceType":"Patient"}]}}`,
  `{"resource":{"resourceType":"OperationOutcome","issue":[{"severity":"warning","code":"processing"}]},"search":{"mode":"outcome"}}`,
  `{"resource":{"resourceType":"OperationOutcome","id":"o"}}`,
  `{"resource":{"resourceType":"Provenance","id":"v-1","target":[{"reference":"Observation/o-0"}]},"search":{"mode":"include"}}`,
  `{"resource":{"resourceType":"Patient","id":"p-1"}}`,
  `{"resource":{"resourceType":"Practitioner","id":"7"},"search":{"mode":"include"}}`,
  `{"resource":null}`,
  `{"resource":[]}`,
  `{"resource":1.0}`,
  `{}`,
  `null`,
  `[]`,
  `"x"`,
  `1.50`,
];

const anywhere: Mutator = (page, pick) => splice(page, pick(page.length + 1), pick(2), String.fromCharCode(pick(256)));
const atStructure = /[{}[\]:,]/g;

/** A character of some string or name, written as an escape: the same meaning. */
const escapeOne: Mutator = (page, pick) => {
  const found = findOne(page, /(?<=[A-Za-z0-9/ .-])[A-Za-z0-9/ .-](?=[A-Za-z0-9/ .-])/g, pick);
  if (found === null) return page;
  return splice(page, found.at, 1, `\\u${found.text.charCodeAt(0).toString(16).padStart(4, '0')}`);
};

const doubleSlice: Mutator = (page, pick) => {
  const start = pick(page.length);
  const slice = page.slice(start, start + 1 + pick(80));
  return splice(page, pick(2) === 0 ? start : pick(page.length), 0, slice);
};

const doubleMember: Mutator = (page, pick) => {
  const found = findOne(page, /"[A-Za-z]+":\s*(?:"[^"\\]*"|\d+)/g, pick);
  if (found === null) return page;
  const escaped = found.text.replace(/^"(.)/, (_, char: string) => `"\\u00${char.charCodeAt(0).toString(16)}`);
  return splice(page, found.at, 0, `${pick(2) === 0 ? found.text : escaped},`);
};

const nest: Mutator = (page, pick) => {
  const deep = oneOf([2, 10, 30, 35, 36, 37, 60, 93, 94, 95, 96, 97, 200, 5000], pick);
  const put = pick(2) === 0 ? `${'['.repeat(deep)}${']'.repeat(deep)}` : `${'{"a":'.repeat(deep)}1${'}'.repeat(deep)}`;
  return insertMember(page, pick, `"deep":${put}`);
};

const insertMember = (page: Bytes, pick: Pick, member: string): Bytes => {
  const found = findOne(page, /\{(?=\s*")/g, pick);
  return found === null ? page : splice(page, found.at + 1, 0, `${member},`);
};

const manyNames: Mutator = (page, pick) =>
  insertMember(page, pick, Array.from({ length: oneOf([5, 60, 120, 200], pick) }, (_, n) => `"n${n}":${n}`).join(','));

const manyEntries: Mutator = (page, pick) => {
  if (pick(40) !== 0) return page;
  const [type = 'Observation'] = /(?<="resourceType":\s?")(?!Bundle)[A-Z][A-Za-z]+/.exec(page) ?? [];
  const more = Array.from(
    { length: oneOf([50, 900, 999, 1_000, 1_001, 8_000], pick) },
    (_, n) => `{"resource":{"resourceType":"${type}","id":"many-${n}","subject":{"reference":"Patient/${PATIENT}"}}}`,
  );
  return page.replace(/"entry":\s?\[/, (all) => `${all}${more.join(',')},`);
};

/** Each a way in which one parser may see what another does not, or merely another spelling. */
const MUTATORS: readonly Mutator[] = [
  anywhere,
  (page, pick) => splice(page, pick(page.length), 1 + pick(12), ''),
  (page, pick) => (pick(4) === 0 ? page.slice(0, pick(page.length)) : page),
  doubleSlice,
  doubleMember,
  escapeOne,
  escapeOne,
  nest,
  manyNames,
  manyEntries,
  (page, pick) => insertMember(page, pick, `"${inBytes(oneOf(KEYS, pick))}":${inBytes(oneOf(VALUES, pick))}`),
  (page, pick) => insertMember(page, pick, `"${inBytes(oneOf(KEYS, pick))}":${inBytes(oneOf(VALUES, pick))}`),
  (page, pick) => insertMember(page, pick, `"${oneOf(ADDRESS_NAMES, pick)}":"${inBytes(oneOf(ADDRESSES, pick))}"`),
  (page, pick) =>
    insertMember(
      page,
      pick,
      `"${oneOf(['a', 'url', 'extension'], pick)}":[{"${oneOf(ADDRESS_NAMES, pick)}":"${inBytes(oneOf(ADDRESSES, pick))}"}]`,
    ),
  (page, pick) => insertMember(page, pick, `"div":"${inBytes(oneOf(DIVS, pick))}"`),
  replacing(/(?<="reference":\s?")[^"]*/g, REFERENCES),
  replacing(/(?<="reference":\s?")[^"]*/g, REFERENCES),
  replacing(
    /"reference"(?=:)/g,
    KEYS.map((key) => `"${key}"`),
  ),
  replacing(
    /"(?:subject|patient)"(?=:)/g,
    KEYS.map((key) => `"${key}"`),
  ),
  replacing(/"(?:subject|patient)":\s?\{[^{}]*\}/g, (text, pick) =>
    text.replace(/\{.*\}/s, (all) => oneOf([`[${all}]`, `[${OTHER},${all}]`, `[${all},${OTHER}]`, `[[${all}]]`], pick)),
  ),
  replacing(
    /"[A-Za-z]+"(?=:)/g,
    KEYS.map((key) => `"${key}"`),
  ),
  replacing(/(?<="id":\s?")[^"]*/g, [
    'o-0',
    'o-1',
    'c-0',
    'O-0',
    '',
    '.',
    '..',
    'a b',
    'é',
    'o\\u002d0',
    'x'.repeat(64),
    'x'.repeat(65),
  ]),
  replacing(/(?<="resourceType":\s?")[^"]*/g, [
    'Observation',
    'observation',
    'Patient',
    'Bundle',
    'OperationOutcome',
    'Obs\\u0065rvation',
    '',
  ]),
  replacing(/(?<="mode":\s?")[^"]*/g, ['include', 'outcome', 'Match', 'match ', 'm\\u0061tch', '']),
  replacing(/(?<=[:[,]\s?)(?:-?\d[\d.eE+-]*|true|false|null|"[^"\\]*")/g, VALUES),
  replacing(/(?<=[:[,]\s?)(?:-?\d[\d.eE+-]*)/g, VALUES),
  behind(atStructure, BLANKS),
  behind(atStructure, BLANKS),
  behind(
    /"entry":\s?\[/g,
    OTHER_ENTRIES.map((entry) => `${entry},`),
  ),
  behind(
    /"entry":\s?\[/g,
    OTHER_ENTRIES.map((entry) => `${entry},`),
  ),
  replacing(
    /\}(?=\s*,\s*\{\s*"fullUrl")/g,
    OTHER_ENTRIES.map((entry) => `},${entry}`),
  ),
  (page, pick) => oneOf(['\u00ef\u00bb\u00bf', ' ', '\n', '\0', '[', '{}'], pick) + page,
  (page, pick) => page + oneOf([' ', '\n', '\0', '}', ',', '{}', 'x', '\u00ef\u00bb\u00bf'], pick),
  // Bytes that are no UTF-8: a lone continuation, an overlong slash, a surrogate, beyond the last plane.
  (page, pick) =>
    splice(page, pick(page.length), 0, oneOf(['\x80', '\xc0\xaf', '\xed\xa0\x80', '\xf4\x90\x80\x80', '\xff'], pick)),
  behind(/"display":\s?"/g, ['\u00e9', '\u{1d11e}', '\\u00e9', '\\ud834\\udd1e', '\\ud834', '\\/', '\\"']),
  replacing(/(?<="relation":\s?")[^"]*/g, ['next', 'self', 'n\\u0065xt', 'prev']),
  replacing(/(?<="relation":\s?"(?:next|self)",\s*"url":\s?")[^"]*/g, [
    `${EHR}?page=2`,
    'https://evil.example.org/fhir',
    'Observation?page=2',
    '',
    `${EHR}\\/Observation?x=%20`,
  ]),
];

/** A page with a few changes, mostly one; some pages stay as they are. */
export function mutatePage(page: string, pick: Pick): Buffer {
  let bytes = inBytes(page);
  const changes = oneOf([0, 1, 1, 1, 1, 2, 2, 3], pick);
  for (let n = 0; n < changes; n += 1) bytes = oneOf(MUTATORS, pick)(bytes, pick);
  return Buffer.from(bytes, 'latin1');
}
