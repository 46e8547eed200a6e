import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { DEMO_PATIENTS, DEMO_STRANGER, seedEhr, type Resource } from '../../../sandbox/ehr/index.ts';
import { PLACES, type Place } from '../../support/new-store.ts';
import { startExporting, type Backend, type Exporting } from '../../support/export/start-exporting.ts';

const LINKED = DEMO_PATIENTS.slice(0, 3);
/** Those made here, and those that the demonstration has of its own. */
const PRELIMINARY = [
  ...LINKED.map(({ id }) => `${id}-b`),
  'demo-potassium-preliminary',
  'demo-transport-preliminary',
].sort();
const [FIRST, SECOND] = LINKED;
const ids = (lines: readonly { readonly id: string }[] | undefined): string[] =>
  (lines ?? []).map(({ id }) => id).sort();

const observation = (id: string, patient: string, more: object = {}): Resource & { id: string } => ({
  resourceType: 'Observation',
  id,
  status: 'final',
  code: { coding: [{ system: 'http://loinc.org', code: '8867-4' }] },
  subject: { reference: `Patient/${patient}` },
  performer: [{ reference: 'Practitioner/export-practitioner' }],
  valueQuantity: { value: 61.5, unit: '/min' },
  ...more,
});

describe.each(PLACES)('bulk export on %s', (_engine, makePlace) => {
  let place: Place;
  let at: Exporting;
  let backend: Backend;
  let token: string;
  beforeAll(async () => {
    place = await makePlace();
    at = await startExporting(place, { settings: { CHARTGATE_EXPORTS: '2' } });
    seedEhr(at.ehr);
    at.ehr.put({ resourceType: 'Practitioner', id: 'export-practitioner', name: [{ family: 'Known' }] });
    at.ehr.put({ resourceType: 'Practitioner', id: 'export-stranger', name: [{ family: 'Unknown' }] });
    for (const { id } of LINKED) {
      at.ehr.put(observation(`${id}-a`, id));
      at.ehr.put(observation(`${id}-b`, id, { status: 'preliminary', note: [{ text: 'line\nbreak' }] }));
    }
    at.ehr.put(observation('of-stranger', DEMO_STRANGER.id));
    for (const { mrn } of LINKED) await at.link(mrn);
    backend = await at.backend();
    token = await backend.token();
  });
  afterAll(async () => {
    await at.stop();
    await place.remove();
  });

  async function exported(path: string, init: RequestInit = {}, by = token) {
    const status = await at.start(by, path, init);
    const manifest = await at.finished(by, status);
    const lines = await at.lines(by, manifest);
    const ended = await at.app(by, status, {}, { method: 'DELETE' });
    expect(ended.status).toBe(202);
    return { manifest, lines };
  }
  const post = (parameter: readonly object[]): RequestInit => ({
    method: 'POST',
    body: JSON.stringify({ resourceType: 'Parameters', parameter }),
    headers: {},
  });
  const posted = (path: string, parameter: readonly object[]) =>
    at.kickOff(token, path, { 'content-type': 'application/fhir+json' }, post(parameter));

  test('every linked patient is exported once with all that is theirs, and nobody else', async () => {
    const { manifest, lines } = await exported('/fhir/Patient/$export');
    expect(ids(lines['Patient'])).toEqual(LINKED.map(({ id }) => id).sort());
    expect(ids(lines['Observation'])).toEqual(expect.arrayContaining(LINKED.map(({ id }) => `${id}-a`)));
    expect(JSON.stringify(lines)).not.toContain(DEMO_STRANGER.id);
    expect(manifest).toMatchObject({
      request: `${at.base}/fhir/Patient/$export`,
      requiresAccessToken: true,
      deleted: [],
      error: [],
    });
    const names = Object.entries(lines).flatMap(([type, all]) => all.map(({ id }) => `${type}/${id}`));
    expect(new Set(names).size).toBe(names.length);
  });

  test('what is nobody’s comes once, and only what an exported record refers to', async () => {
    const { lines } = await exported('/fhir/$export?_type=Observation,Practitioner');
    expect(Object.keys(lines).sort()).toEqual(['Observation', 'Practitioner']);
    expect(ids(lines['Practitioner'])).toContain('export-practitioner');
    expect(ids(lines['Practitioner'])).not.toContain('export-stranger');
    expect(new Set(ids(lines['Practitioner'])).size).toBe(lines['Practitioner']?.length);
  });

  test('_typeFilter, _elements and _since narrow it', async () => {
    const filtered = await exported(
      '/fhir/Patient/$export?_type=Observation&_typeFilter=Observation%3Fstatus%3Dpreliminary',
    );
    expect(ids(filtered.lines['Observation'])).toEqual(PRELIMINARY);
    const both = await exported(
      '/fhir/Patient/$export?_type=Observation&_typeFilter=Observation%3Fstatus%3Dpreliminary,Observation%3Fstatus%3Dpreliminary%26code%3D8867-4',
    );
    expect(ids(both.lines['Observation'])).toEqual(PRELIMINARY);
    const known = await exported(
      `/fhir/Patient/$export?_type=Patient,Observation,Practitioner&_typeFilter=Patient%3Ffamily%3D${FIRST?.name.split(' ').at(-1) ?? ''},Practitioner%3Ffamily%3Dknown`,
    );
    expect([ids(known.lines['Patient']), ids(known.lines['Practitioner'])]).toEqual([
      [FIRST?.id],
      ['export-practitioner'],
    ]);
    expect(ids(known.lines['Observation'])).toEqual(expect.arrayContaining(LINKED.map(({ id }) => `${id}-a`)));
    const short = await exported('/fhir/Patient/$export?_type=Patient&_elements=Patient.birthDate');
    expect(Object.keys(short.lines['Patient']?.[0] ?? {}).sort()).toEqual(['birthDate', 'id', 'meta', 'resourceType']);
    const later = await exported('/fhir/Patient/$export?_since=2999-01-01T00:00:00Z');
    expect(later.lines).toEqual({});
  });

  test('POST takes Parameters, and patients who are linked', async () => {
    const begun = await posted('/fhir/Patient/$export', [
      { name: '_type', valueString: 'Patient' },
      { name: 'patient', valueReference: { reference: `Patient/${FIRST?.id ?? ''}` } },
      { name: 'patient', valueReference: { reference: `Patient/${DEMO_STRANGER.id}` } },
      { name: 'patient', valueReference: { reference: 'Patient/nobody' } },
    ]);
    const status = begun.headers.get('content-location') ?? '';
    const manifest = await at.finished(token, status);
    const lines = await at.lines(token, manifest);
    expect(ids(lines['Patient'])).toEqual([FIRST?.id]);
    expect(lines['OperationOutcome']).toHaveLength(1);
    expect(JSON.stringify(lines['OperationOutcome'])).not.toMatch(/stranger|nobody|0001/);
    expect(manifest.request).toBe(`${at.base}/fhir/Patient/$export`);
    await at.app(token, status, {}, { method: 'DELETE' });
  });

  test('a file is sent packed to whom it may be, with the same lines', async () => {
    const status = await at.start(token, '/fhir/Patient/$export?_type=Observation');
    const { output } = await at.finished(token, status);
    const [file] = output;
    const fetched = async (acceptEncoding: string) => {
      const { headers, text } = await at.app(token, file?.url ?? '', { 'accept-encoding': acceptEncoding });
      return [headers.get('content-encoding'), headers.get('vary'), text] as const;
    };
    const [, , whole] = await fetched('identity');
    expect(whole.split('\n')).toHaveLength((file?.count ?? 0) + 1);
    expect(await fetched('identity')).toEqual([null, expect.stringContaining('Accept-Encoding'), whole]);
    expect(await fetched('gzip;q=0, br')).toEqual([null, expect.stringContaining('Accept-Encoding'), whole]);
    expect(await fetched('br, gzip;q=0.8')).toEqual(['gzip', expect.stringContaining('Accept-Encoding'), whole]);
    await at.app(token, status, {}, { method: 'DELETE' });
  });

  test.each(['application/fhir+ndjson', 'application/ndjson', 'ndjson'])(
    '_outputFormat %s is taken',
    async (format) => {
      const status = await at.start(token, `/fhir/Patient/$export?_outputFormat=${encodeURIComponent(format)}`);
      expect((await at.app(token, status, {}, { method: 'DELETE' })).status).toBe(202);
      const gone = await at.app(token, status, { accept: 'application/json' });
      expect([gone.status, (JSON.parse(gone.text) as { resourceType: string }).resourceType]).toEqual([
        404,
        'OperationOutcome',
      ]);
    },
  );

  test.each([
    ['_outputFormat=application/fhir+xml', 400],
    ['_since=yesterday', 400],
    ['_type=Nonsense', 400],
    ['_type=Observation&_typeFilter=Observation%3Fpatient%3D1', 400],
    ['_type=Observation&_typeFilter=Observation%3Fsubject.name%3Dx', 400],
    ['_type=Encounter&_typeFilter=Encounter%3Fstatus%3Dfinished%26_revinclude%3DObservation:encounter', 400],
    ['_type=Observation&_typeFilter=Condition%3Fcode%3Dx', 400],
    ['_type=Patient&_typeFilter=Patient%3Femail%3Dx', 400],
    ['_elements=*', 400],
    ['patient=Patient/1', 400],
    ['includeAssociatedData=LatestProvenanceResources', 400],
    ['organizeOutputBy=Patient', 400],
  ])('%s is refused', async (query, status) => {
    const answer = await at.kickOff(token, `/fhir/Patient/$export?${query}`);
    expect([answer.status, answer.headers.get('content-type')]).toEqual([
      status,
      'application/fhir+json; charset=utf-8',
    ]);
  });

  test('handling=lenient leaves undone what is not supported', async () => {
    const path = '/fhir/Patient/$export?_type=Patient,Nonsense&includeAssociatedData=_custom&organizeOutputBy=Patient';
    const begun = await at.kickOff(token, path, { prefer: 'respond-async, handling=lenient' });
    expect(begun.status).toBe(202);
    const status = begun.headers.get('content-location') ?? '';
    expect((await at.finished(token, status)).output.map(({ type }) => type)).toEqual(['Patient']);
    await at.app(token, status, {}, { method: 'DELETE' });
  });

  test('it must be asked for asynchronously, with a token that acts for a client', async () => {
    expect((await at.app(token, '/fhir/$export')).status).toBe(400);
    expect((await at.ask('/fhir/$export', { headers: { prefer: 'respond-async' } })).status).toBe(401);
    const narrow = await (await at.backend('system/AuditEvent.rs')).token();
    expect((await at.kickOff(narrow, '/fhir/$export')).status).toBe(403);
    expect((await at.kickOff(await backend.token('system/Patient.rs'), '/fhir/$export?_type=Observation')).status).toBe(
      403,
    );
  });

  test('no more than so many at once; the status tells how far it is', async () => {
    at.ehr.board.setRules([{ delayMs: 300 }]);
    const first = await at.start(token, '/fhir/Patient/$export');
    const second = await at.start(token, '/fhir/Patient/$export');
    const third = await at.kickOff(token, '/fhir/Patient/$export');
    expect([third.status, Number(third.headers.get('retry-after')) > 0]).toEqual([429, true]);
    const told = await at.app(token, first, { accept: 'application/json' });
    if (told.status === 202) {
      expect(told.headers.get('x-progress')).toMatch(/patients/);
      expect(Number(told.headers.get('retry-after'))).toBeGreaterThan(0);
    }
    for (const one of [first, second]) await at.app(token, one, {}, { method: 'DELETE' });
    at.ehr.board.setRules([]);
  });

  test('groups come page by page, none is left out, and what is not known is said', async () => {
    type Found = {
      total?: number;
      link: { relation: string; url: string }[];
      entry: { resource: { resourceType: string; id: string; issue?: { expression: string[] }[] } }[];
    };
    const made: string[] = [];
    for (const name of ['Page a', 'Page b', 'Page c']) {
      const { text } = await at.admin('POST', '/groups', { name, mrns: [FIRST?.mrn] });
      made.push((JSON.parse(text) as { id: string }).id);
    }
    const seen: string[] = [];
    const totals: unknown[] = [];
    for (let url: string | undefined = '/fhir/Group?name=page&_count=2'; url !== undefined;) {
      const page = JSON.parse((await at.app(token, url)).text) as Found;
      seen.push(...page.entry.map(({ resource }) => resource.id));
      totals.push(page.total);
      url = page.link.find(({ relation }) => relation === 'next')?.url;
    }
    expect([seen, totals]).toEqual([made.toReversed(), [undefined, undefined]]);
    const noted = JSON.parse((await at.app(token, '/fhir/Group?name=page&identifier=x')).text) as Found;
    expect(noted.total).toBe(3);
    expect(noted.entry.at(-1)?.resource.issue?.[0]?.expression).toEqual(['identifier']);
    const strict = await at.app(token, '/fhir/Group?identifier=x', { prefer: 'handling=strict' });
    expect([strict.status, strict.text.includes('identifier')]).toEqual([400, true]);
    for (const id of made) await at.admin('DELETE', `/groups/${id}`);
  });

  test('groups: all, and a list of MRNs, of whom only the linked are told', async () => {
    const made = await at.admin('POST', '/groups', {
      name: 'Clinic',
      mrns: [FIRST?.mrn, DEMO_STRANGER.mrn, 'unknown-number'],
    });
    const { id } = JSON.parse(made.text) as { id: string };
    const listed = JSON.parse((await at.app(token, '/fhir/Group')).text) as { entry: { resource: { id: string } }[] };
    expect(listed.entry.map(({ resource }) => resource.id)).toEqual(expect.arrayContaining(['all', id]));
    const group = JSON.parse((await at.app(token, `/fhir/Group/${id}`)).text) as { member: unknown; quantity: number };
    expect([group.quantity, group.member]).toEqual([1, [{ entity: { reference: `Patient/${FIRST?.id ?? ''}` } }]]);
    const { lines } = await exported(`/fhir/Group/${id}/$export?_type=Patient`);
    expect(ids(lines['Patient'])).toEqual([FIRST?.id]);
    const all = await exported('/fhir/Group/all/$export?_type=Patient');
    expect(all.lines['Patient']).toHaveLength(LINKED.length);
    expect((await at.kickOff(token, '/fhir/Group/none/$export')).status).toBe(404);
    const changed = await at.admin('POST', `/groups/${id}`, { add: [SECOND?.mrn], remove: [FIRST?.mrn] });
    expect(JSON.parse(changed.text)).toMatchObject({ members: 3, linked: 1 });
    const members = JSON.parse((await at.admin('GET', `/groups/${id}/members?limit=2`)).text) as {
      members: unknown[];
      next: string;
    };
    const rest = JSON.parse((await at.admin('GET', `/groups/${id}/members?cursor=${members.next}`)).text) as {
      members: unknown[];
    };
    expect([...members.members, ...rest.members]).toEqual(
      expect.arrayContaining([
        { mrn: SECOND?.mrn, isLinked: true },
        { mrn: DEMO_STRANGER.mrn, isLinked: false },
      ]),
    );
    expect((await at.admin('DELETE', `/groups/${id}`)).status).toBe(200);
    expect((await at.app(token, `/fhir/Group/${id}`)).status).toBe(404);
  });

  test('a restart in the middle loses nothing and doubles nothing', async () => {
    const status = await at.start(token, '/fhir/Patient/$export');
    await at.restart();
    const lines = await at.lines(token, await at.finished(token, status, 60_000));
    expect(ids(lines['Patient'])).toEqual(LINKED.map(({ id }) => id).sort());
    const names = Object.entries(lines).flatMap(([type, all]) => all.map(({ id }) => `${type}/${id}`));
    expect(new Set(names).size).toBe(names.length);
    await at.app(token, status, {}, { method: 'DELETE' });
  });

  test('the audit has one record for each patient, by the request that began it', async () => {
    const status = await at.start(token, '/fhir/Patient/$export?_type=Observation');
    await at.finished(token, status);
    const id = status.split('/').at(-1) ?? '';
    const shown = JSON.parse((await at.admin('GET', `/exports/${id}`)).text) as { requestId: string };
    const { records } = JSON.parse((await at.admin('GET', `/audit?request=${shown.requestId}&limit=100`)).text) as {
      records: { type: string; outcome: string; to?: string; counts?: object; patientHash?: string }[];
    };
    const patients = records.filter(({ counts }) => counts !== undefined);
    expect(patients.map(({ type, outcome, to }) => [type, outcome, to])).toEqual(
      LINKED.map(() => ['fhir.export', '0', id]),
    );
    expect(new Set(patients.map(({ patientHash }) => patientHash)).size).toBe(LINKED.length);
    await at.app(token, status, {}, { method: 'DELETE' });
  });

  test('an operator sees exports and ends one', async () => {
    const status = await at.start(token, '/fhir/Patient/$export?_type=Patient');
    await at.finished(token, status);
    const id = status.split('/').at(-1) ?? '';
    const page = JSON.parse(
      (await at.admin('GET', `/exports?client_id=${backend.id}&state=complete&limit=1`)).text,
    ) as {
      exports: object[];
    };
    expect(page.exports).toEqual([
      expect.objectContaining({ id, state: 'complete', resources: LINKED.length, error: null }),
    ]);
    expect((await at.admin('POST', `/exports/${id}/end`)).status).toBe(200);
    expect((await at.admin('POST', `/exports/${id}/end`)).status).toBe(409);
    expect((await at.app(token, status, { accept: 'application/json' })).status).toBe(404);
  });

  test('the CapabilityStatement names the operations of the guide', async () => {
    const told = JSON.parse((await at.ask('/fhir/metadata')).text) as {
      instantiates: string[];
      rest: [{ operation: object[]; resource: { type: string; operation?: { name: string; definition: string }[] }[] }];
    };
    expect(told.instantiates).toContain('http://hl7.org/fhir/uv/bulkdata/CapabilityStatement/bulk-data');
    const of = (type: string) =>
      told.rest[0].resource.find((one) => one.type === type)?.operation?.find(({ name }) => name === 'export')
        ?.definition;
    expect([told.rest[0].operation, of('Patient'), of('Group')]).toEqual([
      [expect.objectContaining({ definition: 'http://hl7.org/fhir/uv/bulkdata/OperationDefinition/export' })],
      'http://hl7.org/fhir/uv/bulkdata/OperationDefinition/patient-export',
      'http://hl7.org/fhir/uv/bulkdata/OperationDefinition/group-export',
    ]);
  });
});
