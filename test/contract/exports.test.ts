import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { auditSet } from '../../src/audit/index.ts';
import type { Grant } from '../../src/auth/index.ts';
import { enrolSet } from '../../src/enrol/index.ts';
import type { AskedExport } from '../../src/export/asked-export.ts';
import { RESOURCES_PER_FILE, type ClaimedExport } from '../../src/export/commands.ts';
import { exportSet } from '../../src/export/index.ts';
import { makePatientGroups } from '../../src/export/groups.ts';
import { unpack } from '../../src/export/packed.ts';
import { runExport, type RunExportDeps } from '../../src/export/run-export.ts';
import { identitySet } from '../../src/identity/index.ts';
import { fail, fault, ok, silentLog, type Result } from '../../src/kernel/index.ts';
import { deliverSet, eraseSet } from '../../src/lanes/index.ts';
import type { Store } from '../../src/store/index.ts';
import type { ChartLines, FindPatients, ReadChart } from '../../src/smart/index.ts';
import { testClock } from '../support/clock.ts';
import { PLACES, type Place } from '../support/new-store.ts';
import { readAuditSet } from '../support/read-audit/index.ts';
import { aGrant } from '../support/smart/a-grant.ts';

function must<T>(result: Result<T>): T {
  if (!result.ok) throw new Error(result.fault.code);
  return result.value;
}
const tenant = 'default';
const NOON = new Date('2026-03-01T12:00:00Z');
const SETS = [auditSet, identitySet, deliverSet, eraseSet, enrolSet, exportSet, readAuditSet];
const MRN_SYSTEM = 'urn:mrn';
const LEASE_MS = 30_000;
const OWNER = { issuer: 'https://issuer.example.org', client: 'app-1' };
const ASKED: AskedExport = {
  request: 'https://gateway.example.org/fhir/$export',
  types: null,
  since: null,
  elements: [],
  filters: [],
  patients: null,
  provenance: 'as-a-type',
};
const MRNS = ['m1', 'm2', 'm3'];

const linesOf = (type: string, ids: readonly string[], refers: readonly string[] = []): ChartLines => ({
  type,
  count: ids.length,
  bytes: Buffer.from(ids.map((id) => `${JSON.stringify({ resourceType: type, id })}\n`).join('')),
  refers,
});
/** Incompressible, so that one page is handed on before the patient is done. */
const NOISE = new Map(
  ['a', 'bb'].map((seed) => {
    let text = '';
    for (let n = seed.length * 7919; text.length < 1_200_000; n = (n * 48_271) % 2_147_483_647) text += n.toString(36);
    return [seed, text];
  }),
);
const noise = (seed: string): string => NOISE.get(seed) ?? '';

/** A chart of a few pages, of which the second patient's are large. */
const chart: ReadChart = {
  mayHave: () => true,
  async *lines(_asked, patient) {
    await Promise.resolve();
    yield ok(linesOf('Patient', [patient.id]));
    yield ok(linesOf('Observation', [`${patient.id}-o1`, `${patient.id}-o2`], ['Practitioner/p1']));
    if (patient.id === 'p-m2')
      for (const part of ['a', 'bb']) yield ok(linesOf('Observation', [`${patient.id}-${part}-${noise(part)}`]));
    yield ok(linesOf('Condition', [`${patient.id}-c1`], ['Practitioner/p1', 'Practitioner/p2']));
  },
  shared: (names) =>
    Promise.resolve(
      ok([
        linesOf(
          'Practitioner',
          names.map((name) => name.split('/')[1] ?? ''),
        ),
      ]),
    ),
};
const patients: FindPatients = {
  byMrn: (mrn) => Promise.resolve(ok({ resourceType: 'Patient', id: `p-${mrn}` })),
  idsOf: (mrns) => Promise.resolve(ok(new Map(mrns.map((mrn) => [mrn, `p-${mrn}`])))),
  mrnsOf: (id) => Promise.resolve(ok([id.slice(2)])),
};

describe.each(PLACES)('exports on %s', (engine, makePlace) => {
  let place: Place;
  let store: Store;
  let made = 0;
  const clock = testClock(NOON.toISOString());
  const exports = () => store.use(exportSet);
  const act = { tenant, at: NOON, requestId: 'req_test', actor: 'ada' };

  beforeEach(async () => {
    place = await makePlace();
    store = await place.open({ sets: SETS });
    for (const mrn of MRNS) await link(mrn);
  });
  afterEach(() => place.remove());

  async function link(mrn: string): Promise<void> {
    const wanted = { id: `lnk_${mrn}_${(made += 1)}`, client: 'c', user: `u-${mrn}`, mrnSystem: MRN_SYSTEM, mrn };
    const args = { ...act, wanted: { ...wanted, status: 'confirmed', evidence: null }, limit: 100 } as const;
    must(await store.use(deliverSet).write('deliver.link', args));
  }
  const unlink = async (mrn: string): Promise<void> =>
    void must(
      await store.use(deliverSet).write('deliver.revoke', {
        ...act,
        user: { client: 'c', user: `u-${mrn}` },
        why: 'x',
        charted: 'keep',
        limit: 10,
      }),
    );

  async function kickOff(more: { asked?: AskedExport; underWayMax?: number; keptMax?: number } = {}) {
    const id = `exp_${(made += 1)}`;
    const started = must(
      await exports().write('exports.kick-off', {
        ...OWNER,
        tenant,
        id,
        tokenId: 'tok_1',
        scope: 'system/*.rs',
        level: 'system',
        group: null,
        asked: more.asked ?? ASKED,
        at: NOON,
        requestId: 'req_start',
        underWayMax: more.underWayMax ?? 100,
        keptMax: more.keptMax ?? 100,
        audit: { at: NOON, type: 'fhir.export', tenant, requestId: 'req_start', action: 'E', outcome: '0' },
      }),
    );
    return { id, started };
  }
  const claim = async (owner: string): Promise<ClaimedExport | null> =>
    must(await exports().write('exports.claim', { tenant, owner, at: NOON, leaseMs: LEASE_MS }));
  const endLeases = (): Promise<void> => place.tamper('UPDATE export_job SET lease_until = 0');

  const depsOf = (more: Partial<RunExportDeps> = {}): RunExportDeps => ({
    tenant,
    mrnSystem: MRN_SYSTEM,
    exports: exports(),
    groups: makePatientGroups({
      tenant,
      mrnSystem: MRN_SYSTEM,
      exports: exports(),
      identity: store.use(identitySet),
      enrolment: store.use(enrolSet),
    }),
    chart,
    patients,
    parseFilter: () => ok([]),
    askStanding: () => Promise.resolve(ok<Grant>(aGrant('system/*.rs', { ...OWNER, clientId: OWNER.client }))),
    isPaused: () => Promise.resolve(false),
    concurrency: 2,
    keepMs: 3_600_000,
    clock,
    log: silentLog,
    ...more,
  });
  async function run(owner: string, more: Partial<RunExportDeps> = {}): Promise<ClaimedExport> {
    const job = await claim(owner);
    if (job === null) throw new Error('nothing to claim');
    await runExport(depsOf(more), job, new AbortController().signal);
    return job;
  }

  /** What can be fetched, by type; names alone. */
  async function fetched(seq: number): Promise<Record<string, string[]>> {
    const all: Record<string, string[]> = {};
    for (const { type, part, resources } of must(await exports().read('exports.files', { tenant, seq }))) {
      let text = '';
      let after: { patient: number; n: number } | null = null;
      for (;;) {
        const some: readonly { patient: number; n: number; data: Uint8Array }[] = must(
          await exports().read('exports.segments', { tenant, seq, type, part, after, limit: 1 }),
        );
        const [one] = some;
        if (one === undefined) break;
        text += (await unpack(one.data)).toString();
        after = { patient: one.patient, n: one.n };
      }
      const lines = text.split('\n').slice(0, -1);
      expect(lines).toHaveLength(resources);
      all[type] = [
        ...(all[type] ?? []),
        ...lines.map((line) => (JSON.parse(line) as { id: string }).id.slice(0, 20)),
      ].sort();
    }
    return all;
  }
  const stateOf = async (id: string) => must(await exports().read('exports.get', { tenant, id }));

  const WHOLE = {
    Condition: MRNS.map((mrn) => `p-${mrn}-c1`),
    Observation: [
      ...MRNS.flatMap((mrn) => [`p-${mrn}-o1`, `p-${mrn}-o2`]),
      ...['a', 'bb'].map((part) => `p-m2-${part}-${noise(part)}`.slice(0, 20)),
    ].sort(),
    Patient: MRNS.map((mrn) => `p-${mrn}`),
    Practitioner: ['p1', 'p2'],
  };
  async function recordsOf(): Promise<string[]> {
    const { records } = must(await store.use(readAuditSet).read('audit-test.everything', null));
    return records
      .map(({ record }) => JSON.parse(record) as { type: string; counts?: object; patientHash?: string })
      .filter(({ type, counts }) => type === 'fhir.export' && counts !== undefined)
      .map(({ patientHash = '' }) => patientHash);
  }

  test('every line stands in the files once, and what is nobody’s too', async () => {
    const { id } = await kickOff();
    const { seq } = await run('one');
    expect(await fetched(seq)).toEqual(WHOLE);
    expect(await stateOf(id)).toMatchObject({ state: 'complete', total: 3, done: 3, failed: 0, resources: 16 });
    expect((await recordsOf()).length).toBe(3);
  });

  /** Lets so many writes of a run through; the next is lost, before or after it was done, and nothing follows. */
  function cutAfter(writes: number, when: 'before' | 'after'): RunExportDeps['exports'] {
    const real = exports();
    let left = writes;
    const cut =
      (write: typeof real.write): typeof real.write =>
      async (name, args) => {
        left -= 1;
        if (left > 0) return write(name, args);
        if (left === 0 && when === 'after') await write(name, args);
        return fail(fault('store.closed'));
      };
    return { ...real, write: cut(real.write), writeBehind: cut(real.writeBehind) };
  }

  test.each(['before', 'after'] as const)(
    'a run that dies %s any of its commits leaves the same files',
    async (when) => {
      for (let writes = 1; ; writes += 1) {
        const { id } = await kickOff();
        const job = await claim(`dies-${writes}`);
        if (job === null) throw new Error('nothing to claim');
        await runExport(depsOf({ exports: cutAfter(writes, when) }), job, new AbortController().signal);
        const before = await stateOf(id);
        if (before?.state === 'complete') break;
        await endLeases();
        await run(`ends-${writes}`);
        expect([writes, await fetched(job.seq)]).toEqual([writes, WHOLE]);
        expect(await stateOf(id)).toMatchObject({ state: 'complete', done: 3, resources: 16 });
      }
      const records = await recordsOf();
      const count = Number((await stateOf(`exp_${made}`))?.seq);
      expect(records.length).toBe(count * 3);
    },
  );

  test('an EHR that an operator paused is asked nothing; the export waits, and goes on afterwards', async () => {
    for (const asked of [0, 1, 2, 3]) {
      const { id } = await kickOff();
      let looks = 0;
      await run(`waits-${asked}`, { isPaused: () => Promise.resolve((looks += 1) > asked) });
      expect(await stateOf(id)).toMatchObject({ state: 'running', done: Math.max(0, asked - 1) });
      await endLeases();
      const { seq } = await run(`goes-on-${asked}`);
      expect(await fetched(seq)).toEqual(WHOLE);
    }
  });

  test('a Patient who has two MRNs is exported once', async () => {
    const { id } = await kickOff();
    const twofold: FindPatients = {
      ...patients,
      byMrn: (mrn) => Promise.resolve(ok({ resourceType: 'Patient', id: mrn === 'm3' ? 'p-m1' : `p-${mrn}` })),
    };
    const { seq } = await run('one', { patients: twofold });
    expect(await fetched(seq)).toMatchObject({
      Patient: ['p-m1', 'p-m2'],
      Condition: ['p-m1-c1', 'p-m2-c1'],
      Practitioner: ['p1', 'p2'],
    });
    expect(await stateOf(id)).toMatchObject({ state: 'complete', total: 3, done: 3, failed: 0, resources: 12 });
    // In another export the same Patient is there again.
    await kickOff();
    expect((await fetched((await run('one', { patients: twofold })).seq))['Patient']).toEqual(['p-m1', 'p-m2']);
  });

  test('what an earlier run writes late is refused', async () => {
    await kickOff();
    const first = await claim('one');
    await endLeases();
    const second = await claim('two');
    expect([second?.seq, (second?.epoch ?? 0) > (first?.epoch ?? 0)]).toEqual([first?.seq, true]);
    const late = { tenant, seq: first?.seq ?? 0, epoch: first?.epoch ?? 0, at: NOON, leaseMs: LEASE_MS };
    expect(must(await exports().write('exports.renew', late))).toBe('lost');
    const segment = { n: 0, type: 'Patient', resources: 1, bytes: 1, before: 0, data: new Uint8Array(1) };
    expect(must(await exports().write('exports.put-segments', { ...late, patient: 1, segments: [segment] }))).toBe(
      'lost',
    );
    expect(must(await exports().write('exports.settle', { ...late, to: 'complete', fault: null, keepMs: 1 }))).toBe(
      'lost',
    );
    // Whoever opens a SQLite database has it alone: another owner there is the process before this one.
    expect(await claim(engine === 'sqlite' ? 'two' : 'three')).toBeNull();
  });

  test('a patient who is put off is read again, and told of after too many tries', async () => {
    const { id } = await kickOff();
    let tries = 0;
    const failing: ReadChart = {
      ...chart,
      async *lines(asked, patient, caller) {
        if (patient.id !== 'p-m3') return yield* chart.lines(asked, patient, caller);
        tries += 1;
        yield ok(linesOf('Patient', [patient.id]));
        yield fail(fault('ehr.busy', { retryAfterMs: 1 }));
      },
    };
    const { seq } = await run('one', { chart: failing });
    expect(tries).toBe(10);
    const files = await fetchedWithErrors(seq);
    expect(files['Patient']).toEqual(['p-m1', 'p-m2']);
    expect(files['OperationOutcome']).toHaveLength(1);
    expect(await stateOf(id)).toMatchObject({ state: 'complete', done: 3, failed: 1 });
  });
  async function fetchedWithErrors(seq: number): Promise<Record<string, unknown[]>> {
    const files = must(await exports().read('exports.files', { tenant, seq }));
    const all: Record<string, unknown[]> = {};
    for (const { type, part } of files) {
      const of = { tenant, seq, type, part, after: null, limit: 100 };
      for (const { data } of must(await exports().read('exports.segments', of)))
        (all[type] ??= []).push(
          ...(await unpack(data))
            .toString()
            .trim()
            .split('\n')
            .map((line) => (JSON.parse(line) as { id?: string }).id),
        );
    }
    return Object.fromEntries(Object.entries(all).map(([type, ids]) => [type, ids.sort()]));
  }

  test('a link that ends takes its patient out of the files, at once and then for good', async () => {
    await kickOff();
    const { seq } = await run('one');
    await unlink('m2');
    expect((await fetched(seq))['Patient']).toEqual(['p-m1', 'p-m3']);
    const gone = must(await exports().read('exports.unlinked', { tenant, limit: 10 }));
    expect(gone).toHaveLength(1);
    must(await exports().write('exports.forget-unlinked', { tenant, patients: gone }));
    await link('m2');
    expect((await fetched(seq))['Patient']).toEqual(['p-m1', 'p-m3']);
  });

  test('a link that ends while the patient is read: nothing of the patient is kept', async () => {
    const { id } = await kickOff();
    const leaving: ReadChart = {
      ...chart,
      async *lines(asked, patient, caller) {
        if (patient.id === 'p-m2') await unlink('m2');
        yield* chart.lines(asked, patient, caller);
      },
    };
    const { seq } = await run('one', { chart: leaving });
    expect((await fetched(seq))['Patient']).toEqual(['p-m1', 'p-m3']);
    expect(await stateOf(id)).toMatchObject({ state: 'complete', resources: 10 });
  });

  test('what has expired or was deleted has no key and, soon, no rows', async () => {
    const [kept, deleted] = [await kickOff(), await kickOff()];
    for (const _ of [kept, deleted]) await run('one');
    const audit = { at: NOON, type: 'fhir.export', tenant, requestId: 'r', action: 'D', outcome: '0' } as const;
    const end = { tenant, id: deleted.id, at: NOON, audit };
    expect(must(await exports().write('exports.end', { ...end, of: { ...OWNER, client: 'another' } }))).toBeNull();
    expect(must(await exports().write('exports.end', { ...end, of: OWNER }))).toMatchObject({ state: 'deleted' });
    const later = new Date(NOON.getTime() + 3_600_001);
    for (let left = 1; left > 0;) left = must(await exports().write('exports.sweep', { tenant, at: later, limit: 3 }));
    expect([(await stateOf(kept.id))?.state, (await stateOf(deleted.id))?.state]).toEqual(['expired', 'deleted']);
    for (const { id } of [kept, deleted]) {
      const seq = (await stateOf(id))?.seq ?? 0;
      expect(must(await exports().read('exports.files', { tenant, seq }))).toEqual([]);
      expect(must(await exports().read('exports.request', { tenant, id }))).toBeNull();
    }
  });

  test('a client has so many under way and so many kept', async () => {
    expect((await kickOff({ underWayMax: 1 })).started).toBe('started');
    expect((await kickOff({ underWayMax: 1 })).started).toBe('too-many');
    await run('one');
    expect((await kickOff({ underWayMax: 1, keptMax: 1 })).started).toBe('too-many');
    expect((await kickOff({ underWayMax: 1, keptMax: 2 })).started).toBe('started');
  });

  test('a file that is full is followed by another', async () => {
    await kickOff();
    const many = Array.from({ length: RESOURCES_PER_FILE + 1 }, (_, n) => `o${n}`);
    const large: ReadChart = {
      ...chart,
      async *lines(_asked, patient) {
        await Promise.resolve();
        yield ok(linesOf('Observation', patient.id === 'p-m3' ? many : [`${patient.id}-o`]));
      },
    };
    const { seq } = await run('one', { chart: large, concurrency: 1 });
    const files = must(await exports().read('exports.files', { tenant, seq }));
    expect(files.map(({ part }) => part)).toEqual([1, 2]);
    expect(files.reduce((sum, { resources }) => sum + resources, 0)).toBe(RESOURCES_PER_FILE + 3);
  });

  test('patients who are named are found in the group; of the others nothing is told but their number', async () => {
    await kickOff({ asked: { ...ASKED, patients: ['p-m1', 'p-unknown', 'p-other'] } });
    const { seq } = await run('one');
    const files = await fetchedWithErrors(seq);
    expect([files['Patient'], files['OperationOutcome']?.length]).toEqual([['p-m1'], 1]);
  });

  test('of the patients who are named, one whom the EHR refuses is left out', async () => {
    await kickOff({ asked: { ...ASKED, patients: ['p-m1', 'p-m2'] } });
    const refusing: FindPatients = {
      ...patients,
      mrnsOf: (id, caller) =>
        id === 'p-m2' ? Promise.resolve(fail(fault('ehr.rejected'))) : patients.mrnsOf(id, caller),
    };
    const { seq } = await run('one', { patients: refusing });
    const files = await fetchedWithErrors(seq);
    expect([files['Patient'], files['OperationOutcome']?.length]).toEqual([['p-m1'], 1]);
  });

  test('an export that cannot even find its patients within a day is given up', async () => {
    const { id } = await kickOff({ asked: { ...ASKED, patients: ['p-m1'] } });
    const late = testClock(new Date(NOON.getTime() + 24 * 3_600_000 + 1).toISOString());
    const failing: FindPatients = { ...patients, mrnsOf: () => Promise.resolve(fail(fault('ehr.busy'))) };
    await run('one', { patients: failing, clock: late });
    expect(await stateOf(id)).toMatchObject({ state: 'failed', fault: 'export.given-up' });
  });

  test('a client that may nothing any more ends it', async () => {
    const { id } = await kickOff();
    await run('one', { askStanding: () => Promise.resolve(ok('client-ended')) });
    expect(await stateOf(id)).toMatchObject({ state: 'failed', fault: 'export.client' });
  });

  test('groups keep MRNs, and tell who is linked', async () => {
    const group = {
      ...act,
      id: 'grp-1',
      name: 'Clinic',
      members: [...MRNS, 'm9'].map((mrn) => ({ mrnSystem: MRN_SYSTEM, mrn })),
    };
    expect(must(await exports().write('groups.add', group))).toMatchObject({ members: 4, linked: 3 });
    expect(must(await exports().write('groups.add', { ...group, id: 'grp-2' }))).toBe('name-taken');
    const change = {
      ...act,
      id: 'grp-1',
      name: 'Ward',
      add: [{ mrnSystem: MRN_SYSTEM, mrn: 'm8' }],
      remove: [{ mrnSystem: MRN_SYSTEM, mrn: 'm1' }],
    };
    expect(must(await exports().write('groups.change', change))).toMatchObject({ name: 'Ward', members: 4, linked: 2 });
    const seq = must(await exports().read('groups.get', { tenant, id: 'grp-1' }))?.seq ?? 0;
    const of = { tenant, group: seq, which: 'linked', after: 0, limit: 10 } as const;
    expect(must(await exports().read('groups.members', of)).map(({ mrn }) => mrn)).toEqual(['m2', 'm3']);
    expect(must(await exports().write('groups.remove', { ...act, id: 'grp-1' }))).toBe('removed');
    expect(must(await exports().write('groups.remove', { ...act, id: 'grp-1' }))).toBe('not-found');
  });

  test(`on ${engine} whoever is erased is in no export any more`, async () => {
    await kickOff();
    const { seq } = await run('one');
    await unlink('m1');
    const user = { client: 'c', user: 'u-m1' };
    const look = must(await store.use(eraseSet).read('erase.look', { tenant, user }));
    expect(
      look.counts.filter(({ table, held }) => table.startsWith('export_') && held > 0).map(({ table }) => table),
    ).toEqual(['export_segment', 'export_patient']);
    expect(must(await store.use(eraseSet).write('erase.finish', { ...act, user, counts: {} }))).toBe('done');
    await link('m1');
    expect((await fetched(seq))['Patient']).toEqual(['p-m2', 'p-m3']);
  });
});
