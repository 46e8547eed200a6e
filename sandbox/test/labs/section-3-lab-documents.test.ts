import { afterAll, expect, test } from '@jest/globals';
import { makeLabReader, makeLabReport, printPages, type LabReading } from '../../index.ts';
import { freshService, USER } from '../service/support.ts';

const { activate, lab, service } = freshService();
const reader = makeLabReader();
afterAll(() => reader.end());

/**
 * Reads what is received, as whoever simulates the service does: not what repeats an earlier document, by its bytes or
 * by its content.
 */
function readReceived(): Promise<LabReading>[] {
  const readings: Promise<LabReading>[] = [];
  service().listen((happening) => {
    if (happening.kind !== 'lab-received' || happening.document.duplicateOf !== null) return;
    const { id, document } = happening;
    const bytes = new Uint8Array(service().documents.get(id) ?? []);
    const { kind, timezone, user: userId, client: clientUuid } = document;
    readings.push(
      reader.readLabDocument({ bytes, kind, timezone, userId, clientUuid, documentId: id, format: 'fhir' }),
    );
  });
  return readings;
}
const submit = async (file: Uint8Array, timezone = '+02:00'): Promise<string> => {
  const parts = [
    { name: 'file', value: Buffer.from(file), fileName: 'report.pdf' },
    { name: 'timezone', value: timezone },
  ];
  const { body, status } = await lab(parts);
  expect([status, body['status']]).toEqual([200, 'received']);
  return String(body['document_id']);
};

test('3 a received document is processed, and its result names it', async () => {
  activate('lab_data');
  const readings = readReceived();
  const report = makeLabReport({ seed: 11, n: 1 });
  const id = await submit(await printPages(report.pages));
  const [reading] = await Promise.all(readings);
  expect(reading).toMatchObject({
    kind: 'read',
    collectedAt: `${report.truth.collected}${report.truth.offset ?? '+02:00'}`,
    payload: { user_id: USER, client_uuid: 'client-1', lab_result: { document_id: id } },
  });
});

test('4.4 a document that repeats an earlier one has no result of its own', async () => {
  activate('lab_data');
  const readings = readReceived();
  const print = async (layout: 'letter' | 'blocks'): Promise<Uint8Array> =>
    printPages(makeLabReport({ seed: 11, n: 2, layout }).pages);
  await submit(await print('letter'));
  await submit(await print('letter'));
  await submit(await print('blocks'));
  const keys = (await Promise.all(readings)).map((one) => (one.kind === 'read' ? one.contentKey : one.kind));
  expect(keys).toHaveLength(2);
  expect(new Set(keys).size).toBe(1);
});
