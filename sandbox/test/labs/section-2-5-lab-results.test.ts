import { afterAll, describe, expect, test } from '@jest/globals';
import { parsePayload } from '../../../src/payloads/index.ts';
import { loadValidator } from '../../../src/r4/index.ts';
import { LAYOUTS, makeLabReport, printPages, type LabReport } from '../../lab-reports/index.ts';
import { makeLabReader, type LabReading, type SubmittedDocument } from '../../labs/index.ts';
import { askForScan } from '../lab-scans/ask-for-scan.ts';
import { NO_SCORE, precisionOf, recallOf, scoreOf, sumOf } from '../lab-scans/score.ts';
import { standardMappings } from '../../../test/support/standard-mappings.ts';
import { translateByTemplates } from '../../../test/support/read-by-templates.ts';
import { observationsOf, observationWith } from '../../../test/support/translated.ts';
import { problemsOf, settingOf, translateText } from '../../../test/support/translate-steps.ts';
import { howMany } from '../../../test/support/how-much.ts';

const reader = makeLabReader();
afterAll(() => reader.end());

const ID = '6f1c2f6e-2f0a-4f6e-9f57-0d8f6c0f0001';
const submitted = (
  file: Pick<SubmittedDocument, 'bytes' | 'kind'>,
  more: Partial<SubmittedDocument> = {},
): SubmittedDocument => ({
  ...file,
  timezone: '-05:00',
  userId: 'user-1',
  clientUuid: 'client-1',
  documentId: ID,
  format: 'fhir',
  ...more,
});
const printed = async ({ pages }: LabReport): Promise<Pick<SubmittedDocument, 'bytes' | 'kind'>> => ({
  bytes: await printPages(pages),
  kind: 'pdf',
});
const readPrinted = async (report: LabReport, more: Partial<SubmittedDocument> = {}): Promise<LabReading> =>
  reader.readLabDocument(submitted(await printed(report), more));
type Read = Extract<LabReading, { kind: 'read' }>;
function asRead(reading: LabReading): Read {
  if (reading.kind !== 'read') throw new Error(reading.kind);
  return reading;
}
interface Resource {
  readonly resourceType: string;
  readonly [element: string]: unknown;
}
const resourcesOf = ({ payload }: Read): Resource[] => {
  const { result } = payload['lab_result'] as { result: { entry: { resource: Resource }[] } };
  return result.entry.map(({ resource }) => resource);
};
const ofType = (read: Read, type: string): Resource[] =>
  resourcesOf(read).filter(({ resourceType }) => resourceType === type);
describe('2.5 biomarkers are extracted', () => {
  test('from PDFs with text, in five layouts', async () => {
    let score = NO_SCORE;
    for (let n = 0; n < 20; n += 1) {
      const report = makeLabReport({ seed: 3, n });
      score = sumOf(score, scoreOf(report, await readPrinted(report), '-05:00'));
    }
    expect(precisionOf(score)).toBeGreaterThanOrEqual(0.98);
    expect(recallOf(score)).toBeGreaterThanOrEqual(0.98);
    expect(score.dated).toBe(20);
  });

  test('from scans, by recognition of their letters: JPEG and PNG, turned into PDF, and PDF without text', async () => {
    let score = NO_SCORE;
    const kinds: string[] = [];
    for (let n = 0; n < howMany(3, 12); n += 1) {
      const options = { seed: 3, n: 100 + n };
      const file = await askForScan({ report: options, seed: 3, n });
      kinds.push(file.kind);
      score = sumOf(score, scoreOf(makeLabReport(options), await reader.readLabDocument(submitted(file)), '-05:00'));
    }
    expect(new Set(kinds)).toEqual(new Set(['jpeg', 'png', 'pdf']));
    expect(precisionOf(score)).toBeGreaterThanOrEqual(0.9);
    expect(recallOf(score)).toBeGreaterThanOrEqual(0.9);
  }, 240_000);
});

test('2.5 whoever asks is not held up while letters are recognised', async () => {
  const file = await askForScan({ report: { seed: 4, n: 0 }, seed: 4, n: 0 });
  let turns = 0;
  const timer = setInterval(() => (turns += 1), 20);
  await reader.readLabDocument(submitted(file));
  clearInterval(timer);
  // It takes seconds; one who is held up gets one turn at the end.
  expect(turns).toBeGreaterThan(5);
}, 120_000);

describe('2.5 the result', () => {
  const report = makeLabReport({ seed: 3, n: 7 });

  test('in FHIR: a patient, a report for each panel, an observation for each biomarker, all valid', async () => {
    const read = asRead(await readPrinted(report));
    expect(ofType(read, 'Patient')).toEqual([
      { resourceType: 'Patient', identifier: [{ system: 'urn:example:health-data-service:users', value: 'user-1' }] },
    ]);
    expect(ofType(read, 'Observation')).toHaveLength(report.truth.results.length);
    const panels = new Set(read.results.map(({ panel }) => panel));
    expect(ofType(read, 'DiagnosticReport')).toHaveLength(panels.size);
    const { result } = read.payload['lab_result'] as { result: unknown };
    expect(loadValidator().validate(JSON.parse(JSON.stringify(result)))).toEqual([]);
  });

  test('in FHIR: names, units and values are normalised, references and flags kept', async () => {
    const glucose = makeLabReport({ seed: 3, n: 12, layout: 'letter' });
    const read = asRead(await readPrinted(glucose));
    for (const { comparator, loinc, unit, value } of glucose.truth.results) {
      const found = ofType(read, 'Observation').find((one) => JSON.stringify(one['code']).includes(`"${loinc}"`));
      if (/^[\d.]+$/.test(value))
        expect(found?.['valueQuantity']).toMatchObject({
          value: Number(value),
          ...(comparator === null ? {} : { comparator }),
          ...(unit === null ? {} : { system: 'http://unitsofmeasure.org', code: unit }),
        });
      else expect(found?.['valueCodeableConcept']).toEqual({ text: value });
      expect(found?.['referenceRange']).toHaveLength(1);
    }
  });

  test('in the JSON of the service: panels of biomarkers', async () => {
    const { payload } = asRead(await readPrinted(report, { format: 'service' }));
    const lab = payload['lab_result'] as {
      metadata: unknown;
      panels_array: { biomarkers_array: { loinc_string: string }[] }[];
    };
    expect(lab.metadata).toMatchObject({ document_id_string: ID, user_id_string: 'user-1' });
    expect(
      lab.panels_array.flatMap(({ biomarkers_array }) => biomarkers_array.map((one) => one.loinc_string)).sort(),
    ).toEqual(report.truth.results.map(({ loinc }) => loinc).sort());
  });
});

describe('6 structured lab result', () => {
  test('passes the gateway, which maps all of it', async () => {
    const setting = settingOf(standardMappings());
    for (let n = 0; n < 10; n += 1) {
      const { payload } = asRead(await readPrinted(makeLabReport({ seed: 5, n })));
      const translation = translateText(JSON.stringify(payload), setting);
      expect([translation.trouble, problemsOf(translation)]).toEqual([null, []]);
    }
  });

  test('in the JSON of the service it passes the gateway too, with every value and unit', async () => {
    const setting = settingOf(standardMappings());
    for (let n = 0; n < 10; n += 1) {
      const report = makeLabReport({ seed: 5, n });
      const read = asRead(await readPrinted(report, { format: 'service' }));
      const translation = await translateByTemplates(JSON.stringify(read.payload), setting);
      expect([translation.trouble, problemsOf(translation)]).toEqual([null, []]);
      expect(observationsOf(translation)).toHaveLength(read.results.length);
      for (const { loinc, comparator, value, unit } of read.results) {
        const one = observationWith(translation, loinc);
        const said = /^[\d.]+$/.test(value) ? one['valueQuantity'] : (one['valueRange'] ?? one['valueCodeableConcept']);
        const [low, high] = value.split('-').map(Number);
        const isRange = one['valueRange'] !== undefined;
        expect([loinc, said]).toMatchObject([
          loinc,
          /^[\d.]+$/.test(value)
            ? {
                value: Number(value),
                ...(comparator === null ? {} : { comparator }),
                ...(unit === null ? {} : { unit }),
              }
            : isRange
              ? { low: { value: low, unit }, high: { value: high, unit } }
              : { text: value },
        ]);
      }
    }
  });

  test('in the JSON of the service it is known to the gateway as a laboratory result, by its document', async () => {
    const { payload } = asRead(await readPrinted(makeLabReport({ seed: 5, n: 1 }), { format: 'service' }));
    const parsed = parsePayload(payload, { clientUuid: null, documentKey: 'bundle-id', labPath: null });
    expect(parsed.ok && parsed.value).toMatchObject({
      document: { kind: 'lab_result', format: 'service', documentId: ID },
    });
  });

  test('says who sent what: version, client, user, document', async () => {
    const { payload } = asRead(await readPrinted(makeLabReport({ seed: 5, n: 2 })));
    expect(payload).toMatchObject({
      version: 1,
      data_structure: 'lab_result',
      client_uuid: 'client-1',
      user_id: 'user-1',
      document_version: 1,
      lab_result: { document_id: ID },
    });
  });

  test('the same document gives the same payload', async () => {
    const file = await printed(makeLabReport({ seed: 5, n: 3 }));
    expect(await reader.readLabDocument(submitted(file))).toEqual(await reader.readLabDocument(submitted(file)));
  });
});

describe('4.4 zone of the collection time', () => {
  const reports = Array.from({ length: 40 }, (_, n) => makeLabReport({ seed: 6, n }));
  const zoned = reports.find(({ truth }) => truth.offset !== null);
  const plain = reports.find(({ truth }) => truth.offset === null);

  test('first the zone in the document, then the form’s, then none', async () => {
    if (zoned === undefined || plain === undefined) throw new Error('both are among forty');
    const at = async (report: LabReport, timezone: string | null): Promise<string> =>
      asRead(await readPrinted(report, { timezone })).collectedAt;
    expect(await at(zoned, '+09:00')).toBe(`${zoned.truth.collected}${zoned.truth.offset ?? ''}`);
    expect(await at(plain, '+09:00')).toBe(`${plain.truth.collected}+09:00`);
    expect(await at(plain, null)).toBe(plain.truth.collected);
  });

  test('a time without a zone passes the gateway as a date', async () => {
    if (plain === undefined) throw new Error('one is among forty');
    const { payload } = asRead(await readPrinted(plain, { timezone: null }));
    expect(translateText(JSON.stringify(payload), settingOf(standardMappings())).trouble).toBeNull();
  });
});

describe('4.4 no result', () => {
  /** The report without what matches. */
  const without = (report: LabReport, text: RegExp): LabReport => ({
    ...report,
    pages: report.pages.map((page) => ({
      ...page,
      drawn: page.drawn.filter((one) => one.kind !== 'text' || !text.test(one.text)),
    })),
  });
  const columns = makeLabReport({ seed: 7, n: 0, layout: 'columns' });

  test('of a document without a collection date', async () => {
    expect(await readPrinted(without(columns, /collect|drawn|specimen/i))).toEqual({ kind: 'undated' });
  });
  test('of a document that shows a date of collection and no time', async () => {
    const drawn = columns.pages.map((page) => ({
      ...page,
      drawn: page.drawn.map((one) =>
        one.kind === 'text' && /collect|drawn|specimen/i.test(one.text)
          ? { ...one, text: 'Collected: 2026-03-14' }
          : one,
      ),
    }));
    expect(await readPrinted({ ...columns, pages: drawn })).toEqual({ kind: 'undated' });
  });
  test('of a document without results', async () => {
    const isHead = /Laborat|Diagnost|Patient|Birth|collect|drawn|specimen|received|report|printed/i;
    const head = { ...columns, pages: columns.pages.map((page) => ({ ...page, drawn: page.drawn.filter((one) => one.kind === 'text' && isHead.test(one.text)) })) }; // prettier-ignore
    expect(await readPrinted(head)).toEqual({ kind: 'nothing-found' });
  });
  const bytesOf = (bytes: string | readonly number[]): Uint8Array => new Uint8Array(Buffer.from(bytes as string));
  test.each([
    ['bytes that only begin like a PDF', 'pdf', bytesOf('%PDF-1.4\nno more\n%%EOF')],
    ['bytes that only begin like a PNG', 'png', bytesOf([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0])],
    ['bytes that only begin like a JPEG', 'jpeg', bytesOf([0xff, 0xd8, 0xff, 0xe0, 0, 16])],
  ] as const)('of %s: illegible', async (_, kind, bytes) => {
    expect(await reader.readLabDocument(submitted({ bytes, kind }))).toEqual({ kind: 'illegible' });
  });
  test('of an empty page: illegible', async () => {
    const bytes = await printPages([{ width: 612, height: 792, drawn: [] }]);
    expect(await reader.readLabDocument(submitted({ bytes, kind: 'pdf' }))).toEqual({ kind: 'illegible' });
  });
});

describe('4.4 duplicates', () => {
  test('the same results of the same user at the same time have one key, however they are laid out', async () => {
    const keys = new Set<string>();
    for (const layout of LAYOUTS.filter((one) => one !== 'two-column'))
      keys.add(asRead(await readPrinted(makeLabReport({ seed: 8, n: 2, layout }))).contentKey);
    expect(keys.size).toBe(1);
  });
  test('another user, time or value has another', async () => {
    const report = makeLabReport({ seed: 8, n: 2 });
    const key = async (one: LabReport, more: Partial<SubmittedDocument> = {}): Promise<string> =>
      asRead(await readPrinted(one, more)).contentKey;
    const keys = [
      await key(report),
      await key(report, { userId: 'user-2' }),
      await key(makeLabReport({ seed: 8, n: 2, collectedAt: '2025-01-31T07:30' })),
      await key(makeLabReport({ seed: 9, n: 2 })),
    ];
    expect(new Set(keys).size).toBe(4);
  });
});
