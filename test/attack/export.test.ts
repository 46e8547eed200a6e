import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { DEMO_PATIENTS, DEMO_STRANGER, seedEhr } from '../../sandbox/ehr/index.ts';
import { startExporting, type Backend, type Exporting, type Manifest } from '../support/export/start-exporting.ts';
import { eventually } from '../support/eventually.ts';
import { sqlitePlace, type Place } from '../support/new-store.ts';

/*
 * A client that is not who asked for an export, or may no longer what it might then: nothing of a chart comes out.
 */
const [FIRST, SECOND, THIRD] = DEMO_PATIENTS;
const CATEGORY = 'http://terminology.hl7.org/CodeSystem/observation-category';

let place: Place;
let at: Exporting;
beforeAll(async () => {
  place = await sqlitePlace();
  at = await startExporting(place, { settings: { CHARTGATE_EXPORT_REQUESTS: '1' } });
  seedEhr(at.ehr);
  for (const { id, mrn } of [FIRST, SECOND, THIRD].filter((one) => one !== undefined)) {
    await at.link(mrn);
    at.ehr.put({
      resourceType: 'Observation',
      id: `${id}-attacked`,
      status: 'final',
      category: [{ coding: [{ system: CATEGORY, code: 'vital-signs' }] }],
      code: { text: 'x' },
      subject: { reference: `Patient/${id}` },
    });
  }
});
afterAll(async () => {
  await at.stop();
  await place.remove();
});

const idOf = (status: string): string => status.split('/').at(-1) ?? '';
const fileOf = (manifest: Manifest, type: string): string =>
  manifest.output.find((file) => file.type === type)?.url ?? 'none';
const fetchFile = (token: string, url: string) => at.app(token, url, { accept: 'application/fhir+ndjson' });

let owner: Backend;
let token: string;
beforeEach(async () => {
  owner = await at.backend('system/*.rs');
  token = await owner.token();
});
async function complete(
  path = '/fhir/Patient/$export?_type=Patient,Observation',
): Promise<{ status: string; manifest: Manifest }> {
  const status = await at.start(token, path);
  return { status, manifest: await at.finished(token, status) };
}

describe('another client', () => {
  test('has neither status nor file nor end of it, as if there were none', async () => {
    const { status, manifest } = await complete();
    const other = await (await at.backend('system/*.rs')).token();
    const absent = `${at.base}/fhir/$export/${idOf(status).replace(/.$/, 'z')}`;
    for (const [method, path, nowhere] of [
      ['GET', status, absent],
      ['DELETE', status, absent],
      ['GET', fileOf(manifest, 'Patient'), `${absent}/Patient.1.ndjson`],
    ] as const) {
      const [one, none] = [await at.app(other, path, {}, { method }), await at.app(other, nowhere, {}, { method })];
      const words = (text: string): unknown =>
        (JSON.parse(text) as { issue: { details: unknown }[] }).issue[0]?.details;
      expect([one.status, words(one.text)]).toEqual([404, words(none.text)]);
    }
    expect((await fetchFile(token, fileOf(manifest, 'Patient'))).status).toBe(200);
  });

  test('of the same client, a token without system/ scopes for the type has none', async () => {
    const { manifest } = await complete();
    const narrow = await owner.token('system/Condition.rs');
    expect((await fetchFile(narrow, fileOf(manifest, 'Patient'))).status).toBe(403);
  });

  test('nobody without a token has a file', async () => {
    const { manifest } = await complete();
    expect((await at.ask(fileOf(manifest, 'Patient'))).status).toBe(401);
  });
});

describe('what a client lost after the start', () => {
  test('a scope that was taken back gives no file, and its type is not in the manifest', async () => {
    const { status, manifest } = await complete();
    expect((await at.admin('PUT', `/clients/${owner.id}`, { scope: 'system/Patient.rs' })).status).toBe(200);
    expect((await fetchFile(token, fileOf(manifest, 'Observation'))).status).toBe(401);
    const again = await owner.token('system/Patient.rs');
    expect((await fetchFile(again, fileOf(manifest, 'Observation'))).status).toBe(403);
    expect((await fetchFile(again, fileOf(manifest, 'Patient'))).status).toBe(200);
    const shown = JSON.parse((await at.app(again, status, { accept: 'application/json' })).text) as Manifest;
    expect(shown.output.map(({ type }) => type)).toEqual(['Patient']);
  });

  test('a scope that became granular gives no file that was read by the whole', async () => {
    const { manifest } = await complete();
    const granular = `system/Observation.rs?category=${CATEGORY}|laboratory`;
    expect((await at.admin('PUT', `/clients/${owner.id}`, { scope: granular })).status).toBe(200);
    const again = await owner.token(granular);
    expect((await fetchFile(again, fileOf(manifest, 'Observation'))).status).toBe(403);
  });

  test('a scope that is narrowed while it runs is read no further', async () => {
    // Paused, the EHR is asked nothing until the scope is narrowed.
    expect((await at.admin('POST', '/targets/ehr/pause')).status).toBe(200);
    const status = await at.start(token, '/fhir/Patient/$export?_type=Patient,Observation');
    await at.admin('PUT', `/clients/${owner.id}`, { scope: 'system/Patient.rs' });
    expect((await at.admin('POST', '/targets/ehr/resume')).status).toBe(200);
    const again = await owner.token('system/Patient.rs');
    const manifest = await at.finished(again, status);
    expect(manifest.output.map(({ type }) => type)).toEqual(['Patient']);
    const shown = JSON.parse((await at.admin('GET', `/exports/${idOf(status)}`)).text) as { resources: number };
    expect(shown.resources).toBe(3);
  });

  test('a client that is disabled while it runs has nothing, and the export ends', async () => {
    at.ehr.board.setRules([{ delayMs: 150 }]);
    const status = await at.start(token, '/fhir/Patient/$export');
    await at.admin('POST', `/clients/${owner.id}/disable`);
    at.ehr.board.setRules([]);
    const ended = await eventually(
      async () =>
        JSON.parse((await at.admin('GET', `/exports/${idOf(status)}`)).text) as { state: string; error: string },
      ({ state }) => state !== 'running',
    );
    expect([ended.state, ended.error]).toEqual(['failed', 'export.client']);
    expect((await at.app(token, status, { accept: 'application/json' })).status).toBe(401);
  });

  test('a client that is disabled afterwards has no file', async () => {
    const { manifest } = await complete();
    await at.admin('POST', `/clients/${owner.id}/disable`);
    expect((await fetchFile(token, fileOf(manifest, 'Patient'))).status).toBe(401);
  });
});

describe('a link that is revoked', () => {
  const mrn = THIRD?.mrn ?? '';
  const id = THIRD?.id ?? '';
  test('before the patient’s turn: nothing of the patient is in it', async () => {
    at.ehr.board.setRules([{ delayMs: 100 }]);
    const status = await at.start(token, '/fhir/Patient/$export?_type=Patient,Observation');
    await at.unlink(mrn);
    at.ehr.board.setRules([]);
    const lines = await at.lines(token, await at.finished(token, status));
    expect(JSON.stringify(lines)).not.toContain(id);
    await at.link(mrn);
  });

  test('after it was read: the file no longer has the patient, nor does the count tell', async () => {
    const { status, manifest } = await complete();
    expect((await at.lines(token, manifest))['Patient']?.map((one) => one.id)).toContain(id);
    await at.unlink(mrn);
    const later = JSON.parse((await at.app(token, status, { accept: 'application/json' })).text) as Manifest;
    const lines = await at.lines(token, later);
    expect(JSON.stringify(lines)).not.toContain(id);
    expect(later.output.find(({ type }) => type === 'Patient')?.count).toBe(2);
    await at.link(mrn);
  });
});

describe('addresses', () => {
  test.each([
    '../../metadata',
    '..%2f..%2fmetadata',
    '%2e%2e/Patient.1.ndjson',
    'Patient.1.ndjson%00',
    'Patient.01.ndjson',
    'Patient.-1.ndjson',
    'Patient.1.ndjson/x',
    'Patient.1.NDJSON',
    "Patient.1.ndjson'--",
    'AuditEvent.1.ndjson',
    'Patient.99.ndjson',
  ])('%s is no file', async (name) => {
    const { status } = await complete('/fhir/Patient/$export?_type=Patient');
    const answer = await fetchFile(token, `${status}/${name}`);
    expect([400, 403, 404, 406]).toContain(answer.status);
    expect(answer.text).not.toContain('"Patient"');
  });

  test.each(['exp_', 'exp_%27', '..', "exp_x' OR 1=1--", 'EXP_X'])('%s is no export', async (id) => {
    const answer = await at.app(token, `/fhir/$export/${id}`, { accept: 'application/json' });
    expect([400, 404]).toContain(answer.status);
  });
});

describe('whom it names', () => {
  const named = async (patients: readonly string[], path = '/fhir/Patient/$export') => {
    const parameter = [
      { name: '_type', valueString: 'Patient' },
      ...patients.map((one) => ({ name: 'patient', valueReference: { reference: `Patient/${one}` } })),
    ];
    const status = await at.start(
      token,
      path,
      { method: 'POST', body: JSON.stringify({ resourceType: 'Parameters', parameter }) },
      { 'content-type': 'application/fhir+json' },
    );
    const manifest = await at.finished(token, status);
    const lines = await at.lines(token, manifest);
    await at.app(token, status, {}, { method: 'DELETE' });
    return { output: lines['Patient'] ?? [], error: lines['OperationOutcome'] ?? [] };
  };
  const told = (error: readonly object[]): string => JSON.stringify(error).replaceAll(/req_\w+/g, 'req');

  test('a patient without a link is as one who is not there', async () => {
    const [stranger, nobody] = [await named([DEMO_STRANGER.id]), await named(['not-there-at-all'])];
    expect([stranger.output, nobody.output]).toEqual([[], []]);
    expect(told(stranger.error)).toBe(told(nobody.error));
  });

  test('a patient of another group is as one who is not there', async () => {
    const made = await at.admin('POST', '/groups', { name: 'One alone', mrns: [FIRST?.mrn] });
    const { id } = JSON.parse(made.text) as { id: string };
    const path = `/fhir/Group/${id}/$export`;
    const [other, nobody] = [await named([SECOND?.id ?? ''], path), await named(['not-there-at-all'], path)];
    expect(other.output).toEqual([]);
    expect(told(other.error)).toBe(told(nobody.error));
  });
});
