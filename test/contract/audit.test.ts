import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import {
  auditSet,
  checkSegments,
  earlierKeys,
  exportPart,
  EXPORT_START,
  exportSegments,
  makeCheckpoint,
  readExport,
  storeSource,
  toAuditEvent,
  verifyAudit,
  type AuditDraft,
  proveRecord,
  type AuditRecord,
  type FoundRecord,
  type ReadAudit,
  type Search,
  type StoredRecord,
} from '../../src/audit/index.ts';
import { signCheckpoints } from '../../src/audit/sign-checkpoints.ts';
import { ok, systemClock, type Result } from '../../src/kernel/index.ts';
import { loadValidator } from '../../src/r4/index.ts';
import type { Store } from '../../src/store/index.ts';
import { testClock } from '../support/clock.ts';
import { collectLog } from '../support/collect-log.ts';
import { eventually } from '../support/eventually.ts';
import { aDraft, auditKey } from '../support/memory-audit.ts';
import { PLACES, type Place } from '../support/new-store.ts';

const key = auditKey(7);
const must = <T>(result: Result<T>): T => {
  if (!result.ok) throw new Error(result.fault.code);
  return result.value;
};
const EVERYTHING: Search = {
  tenant: 'default',
  patient: null,
  chart: null,
  actors: null,
  client: null,
  delivery: null,
  request: null,
  types: null,
  tellingOf: [],
  outcome: null,
  fromMs: null,
  toMs: null,
  before: null,
  limit: 100,
  sealed: 'leave',
};

describe.each(PLACES)('the audit on %s', (_engine, makePlace) => {
  let place: Place;
  let store: Store;
  let n = 0;
  const audit = () => store.use(auditSet);
  const append = async (more: Partial<AuditDraft> = {}): Promise<void> => {
    n += 1;
    must(await audit().write('audit.append', aDraft(n, more)));
  };
  const checkpoint = async () => must(await makeCheckpoint({ audit: audit(), key, clock: systemClock }));
  const verify = (anchored: string[] = []) => verifyAudit(storeSource(audit()), key, anchored);
  const search = async (f: Partial<Search>): Promise<AuditRecord[]> =>
    must(await audit().read('audit.search', { ...EVERYTHING, ...f })).map(
      ({ record }) => JSON.parse(record) as AuditRecord,
    );
  const requests = async (f: Partial<Search>): Promise<string[]> => (await search(f)).map(({ requestId }) => requestId);

  beforeEach(async () => {
    n = 0;
    place = await makePlace();
    store = await place.open({ sets: [auditSet] });
  });
  afterEach(() => place.remove());

  test('is sound over restarts, with and without checkpoints between, and says what is not proven', async () => {
    const anchored: string[] = [];
    for (let start = 0; start < 4; start += 1) {
      for (let i = 0; i < 5; i += 1) await append();
      const made = start % 2 === 0 ? await checkpoint() : null;
      if (made !== null) anchored.push(made.note);
      await store.close();
      store = await place.open({ sets: [auditSet] });
    }
    const before = await verify(anchored);
    expect([before.flaw, before.records, before.proven]).toEqual([null, 20, 15]);
    await checkpoint();
    expect(await verify(anchored)).toMatchObject({ sound: true, records: 20, proven: 20, unproven: [] });
  });

  test('what the last life left is signed at the start, some hundred records before the minute is over, the rest at the end', async () => {
    await append();
    let commands = 0;
    const parts = { audit: audit(), key, anchor: null, log: collectLog(), commands: () => commands };
    // Its minute never comes.
    const checkpoints = signCheckpoints({ ...parts, clock: testClock() });
    await checkpoints.start();
    expect(await verify()).toMatchObject({ sound: true, checkpoints: 1, proven: 1 });
    await append();
    commands += 250;
    expect(await eventually(verify, (verified) => verified.checkpoints > 1)).toMatchObject({
      checkpoints: 2,
      proven: 2,
    });
    await append();
    await checkpoints.stop();
    expect(await verify()).toMatchObject({ sound: true, checkpoints: 3, proven: 3, unproven: [] });
  });

  test('of two that sign at the same time one is stored, and the next goes on from it', async () => {
    await append();
    await Promise.all([checkpoint(), checkpoint(), checkpoint()]);
    await append();
    await checkpoint();
    expect(await verify()).toMatchObject({ sound: true, checkpoints: 2, proven: 2 });
  });

  test('an older copy of the database does not hold what was anchored', async () => {
    await append();
    await checkpoint();
    const later = 'chartgate/audit\n9\n';
    expect((await verify([later])).flaw?.what).toBe('checkpoint-forged');
  });

  test('a person is found under the MRN and under the EHR’s id, once the two are known to be one', async () => {
    const patient = { system: 'urn:mrn', mrn: '0042' };
    await append({ type: 'ehr.write', toSeal: { patient } });
    await append({
      type: 'fhir.read',
      client: 'app',
      toSeal: { chart: 'p1', resourceId: 'o1', query: 'Observation/o1' },
    });
    await append({ type: 'fhir.read', client: 'app', toSeal: { chart: 'p2' } });
    expect(await requests({ patient })).toEqual(['req_1']);
    await append({ type: 'ehr.write', toSeal: { patient, chart: 'p1' } });
    expect(await requests({ patient })).toEqual(['req_4', 'req_2', 'req_1']);
    expect(await requests({ chart: 'p1' })).toEqual(['req_4', 'req_2', 'req_1']);
    expect(await requests({ patient: { system: 'urn:other', mrn: '0042' } })).toEqual([]);
    const opened = must(await audit().read('audit.search', { ...EVERYTHING, chart: 'p1', sealed: 'open' }));
    expect(opened.map((one) => one.opened?.query ?? null)).toEqual([null, 'Observation/o1', null]);
    expect(opened.some(({ record }) => /0042|Observation\/o1/.test(record))).toBe(false);
  });

  test('what a client did, what became of a delivery, what was refused, within times, page by page', async () => {
    await append({ client: 'a' });
    await append({ client: 'b', outcome: '8', type: 'fhir.deny' });
    await append({ client: 'a', outcome: '4', deliveryId: 'dlv_x' });
    await append({ type: 'admin', deliveryId: 'dlv_x' });
    expect(await requests({ client: 'a' })).toEqual(['req_3', 'req_1']);
    expect(await requests({ delivery: 'dlv_x' })).toEqual(['req_4', 'req_3']);
    expect(await requests({ request: 'req_2' })).toEqual(['req_2']);
    expect(await requests({ outcome: 'refused' })).toEqual(['req_3', 'req_2']);
    expect(await requests({ outcome: '8' })).toEqual(['req_2']);
    expect(await requests({ outcome: '0' })).toEqual(['req_4', 'req_1']);
    expect(await requests({ types: ['admin'] })).toEqual(['req_4']);
    expect(await requests({ types: ['hook.accept'], client: 'a' })).toEqual(['req_3', 'req_1']);
    expect(await requests({ fromMs: aDraft(2).at.getTime(), toMs: aDraft(4).at.getTime() })).toEqual([
      'req_3',
      'req_2',
    ]);
    const seen: string[] = [];
    for (let before: Search['before'] = null; ;) {
      const page: readonly FoundRecord[] = must(
        await audit().read('audit.search', { ...EVERYTHING, before, limit: 3 }),
      );
      seen.push(...page.map(({ record }) => (JSON.parse(record) as AuditRecord).requestId));
      const last = page.at(-1);
      if (last === undefined) break;
      before = last;
    }
    expect(seen).toEqual(['req_4', 'req_3', 'req_2', 'req_1']);
  });

  test('changes of a delivery are found in records of their own and in those of what brought them', async () => {
    const steps = [{ from: 'sending', to: 'delivered' }];
    await append({ type: 'delivery.change', deliveryId: 'dlv_x', from: 'received', to: 'queued' });
    await append({ type: 'ehr.write', deliveryId: 'dlv_x', steps });
    await append({ type: 'ehr.write', deliveryId: 'dlv_x', why: 'said "steps":[ by somebody' });
    await append({ type: 'admin', deliveryId: 'dlv_x' });
    const tellingOf = (...types: string[]) => ({ tellingOf: [types] });
    expect(await requests(tellingOf('delivery.change'))).toEqual(['req_2', 'req_1']);
    expect(await requests({ ...tellingOf('delivery.change'), delivery: 'dlv_x' })).toEqual(['req_2', 'req_1']);
    expect(await requests(tellingOf('delivery.change', 'admin'))).toEqual(['req_4', 'req_2', 'req_1']);
    expect(await requests(tellingOf('ehr.write'))).toEqual(['req_3', 'req_2']);
    expect(await requests(tellingOf('admin'))).toEqual(['req_4']);
    expect(await requests({ tellingOf: [['ehr.write'], ['delivery.change']] })).toEqual(['req_2']);
    expect(await requests({ types: ['delivery.change'] })).toEqual(['req_1']);
    expect(await requests(tellingOf())).toEqual([]);
  });

  test('what a person did is found under the name and under the id that older records have, page by page', async () => {
    await append({ type: 'admin', actor: 'opr_1' });
    await append({ type: 'admin', actor: 'ada' });
    await append({ type: 'admin', actor: 'bea' });
    await append({ type: 'operator.sign-in', actor: 'ada' });
    const ada = { actors: ['ada', 'opr_1'] };
    expect(await requests(ada)).toEqual(['req_4', 'req_2', 'req_1']);
    expect(await requests({ ...ada, types: ['operator.sign-in'] })).toEqual(['req_4']);
    const [first] = must(await audit().read('audit.search', { ...EVERYTHING, ...ada, limit: 1 }));
    expect(await requests({ ...ada, before: first ?? null, limit: 1 })).toEqual(['req_2']);
    expect(await requests({ actors: ['nobody'] })).toEqual([]);
  });

  test('one record is proven by the checkpoint after it, and one that was changed is not', async () => {
    const prove = (seq: number, chain: string) => proveRecord(audit(), key, { tenant: 'default', chain, seq });
    // PostgreSQL has several writers with a chain each.
    for (let i = 0; i < 9; i += 1) await append();
    const chain = (await search({}))[0]?.chain ?? '';
    expect(await prove(1, chain)).toMatchObject({ state: 'waiting', checkpoint: null });
    await checkpoint();
    for (let i = 0; i < 9; i += 1) await append();
    await checkpoint();
    const all = await search({});
    const proofs = await Promise.all(all.map((one) => prove(one.seq, one.chain)));
    expect(new Set(proofs.map((one) => one?.state))).toEqual(new Set(['proven']));
    expect(proofs.map((one) => one?.checkpoint?.n)).toEqual([...Array<number>(9).fill(2), ...Array<number>(9).fill(1)]);
    expect((await prove(3, chain))?.previous).toEqual((await prove(2, chain))?.link);
    expect(await prove(99, chain)).toBeNull();
    expect(await proveRecord(audit(), key, { tenant: 'another', chain, seq: 1 })).toBeNull();
    // Another key than the one that signed.
    expect(await proveRecord(audit(), auditKey(8), { tenant: 'default', chain, seq: 1 })).toMatchObject({
      state: 'broken',
      checkpoint: { n: 1, root: null },
    });
    // As somebody would read it who changed a record of the database.
    const forged: ReadAudit = {
      async read(name, args) {
        const found = await audit().read(name, args);
        return found.ok && name === 'audit.chain'
          ? ok(
              (found.value as readonly StoredRecord[]).map((one) =>
                one.seq === 2 ? { ...one, record: one.record.replace('"outcome":"0"', '"outcome":"8"') } : one,
              ) as typeof found.value,
            )
          : found;
      },
    };
    const states = await Promise.all(
      [1, 2, 3].map((seq) => proveRecord(forged, key, { tenant: 'default', chain, seq })),
    );
    expect(states.map((one) => one?.state)).toEqual(['broken', 'broken', 'proven']);
  });

  test('an export is verified by itself, and a changed one is not', async () => {
    for (let i = 0; i < 12; i += 1) {
      await append(i % 2 === 0 ? { toSeal: { chart: 'p1' } } : {});
      if (i % 5 === 4) await checkpoint();
    }
    const note = (await checkpoint())?.note ?? '';
    const lines: string[] = [];
    for (let at: typeof EXPORT_START | null = EXPORT_START; at !== null;) {
      const part: Awaited<ReturnType<typeof exportPart>> = await exportPart(storeSource(audit()), at, 4);
      lines.push(...part.lines.map((line) => JSON.stringify(line)));
      at = part.next;
    }
    const check = async (all: readonly string[]) => {
      // eslint-disable-next-line @typescript-eslint/require-await -- a stream of lines
      const stream = async function* () {
        yield* all;
      };
      const read = await readExport(stream());
      return 'source' in read ? verifyAudit(read.source, key, [note]) : read;
    };
    expect(await check(lines)).toMatchObject({ sound: true, records: 12, proven: 12 });
    const at = lines.findIndex((line) => line.includes('"seq":3'));
    expect(await check(lines.map((line, i) => (i === at ? line.replace('dlv_', 'dlx_') : line)))).toMatchObject({
      sound: false,
      flaw: { what: 'record-changed', seq: 3 },
    });
    expect(await check(lines.filter((_, i) => i !== at))).toMatchObject({ flaw: { what: 'record-missing', seq: 3 } });
    for (const odd of [
      '{"other":1}',
      '{"of":"ins_a.0","seq":"1"}',
      '{"checkpoint":1}',
      '{"dropped":{"checkpoint":1}}',
      'null',
      '[]',
    ])
      expect([odd, await check([odd])]).toEqual([odd, { bad: 1 }]);
  });

  test('records go only after a signed checkpoint names their export, and what stays is still proven', async () => {
    for (let i = 0; i < 6; i += 1) await append();
    const closed = await checkpoint();
    // What the checkpoint covers of each chain: on PostgreSQL there are several, and who writes to which is chance.
    const heads = await Promise.all(
      must(await audit().read('audit.chains', null)).map(async ({ chain }) => {
        const records = must(await audit().read('audit.chain', { chain, after: 0, limit: 100 }));
        return { chain, seq: records.at(-1)?.seq ?? 0 };
      }),
    );
    for (let i = 0; i < 4; i += 1) await append();
    const digest = createHash('sha256').update(JSON.stringify(heads)).digest('hex');
    expect(must(await audit().write('audit.drop', { limit: 100 }))).toEqual({ count: 0 });
    const segment = { checkpoint: closed?.n ?? 0, digest, heads: heads.filter(({ seq }) => seq > 0) };
    const named = must(
      await makeCheckpoint({ audit: audit(), key, clock: systemClock }, { digest, upto: segment.checkpoint }),
    );
    const covered = heads.reduce((sum, { seq }) => sum + seq, 0);
    must(await audit().write('audit.close-segment', { ...segment, namedBy: named?.n ?? 0 }));
    const { count } = must(await audit().write('audit.drop', { limit: 100 }));
    expect(count).toBeGreaterThan(0);
    expect(count).toBeLessThanOrEqual(covered);
    await append();
    await checkpoint();
    expect(await verify()).toMatchObject({ sound: true, flaw: null });
  });

  test('what is older than the retention goes into a file that proves itself, day after day, and the rest stays proven', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'chartgate-segments-'));
    const clock = testClock();
    const anchored: string[] = [];
    const anchor = ({ note }: { note: string }) => Promise.resolve(void anchored.push(note));
    const log = collectLog();
    const segments = exportSegments({
      audit: audit(),
      key,
      folder: () => Promise.resolve(folder),
      days: 2,
      instance: 'ins_me',
      checkpoints: { anchor },
      clock,
      log,
    });
    try {
      for (let day = 0; day < 6; day += 1) {
        for (let i = 0; i < 5; i += 1) await append();
        must(await makeCheckpoint({ audit: audit(), key, clock }));
        must(await segments.close());
        clock.advance(86_400_000);
      }
      expect((await verify(anchored)).flaw).toBeNull();
      const { segments: named } = await verify(anchored);
      expect(await checkSegments(`${folder}/`, named)).toBeNull();
      const files = readdirSync(folder).sort();
      expect(files.length).toBeGreaterThan(1);
      const kept = await requests({});
      expect(kept).toContain('req_30');
      expect(kept.length).toBeLessThan(30);
      for (const file of files) {
        const text = readFileSync(join(folder, file), 'utf8');
        const digest = createHash('sha256').update(text).digest('hex');
        expect(anchored.some((note) => note.includes(`exported ${digest} `))).toBe(true);
        const read = await readExport(Readable.from(text.split('\n')) as AsyncIterable<string>);
        expect('source' in read ? (await verifyAudit(read.source, key)).flaw : read).toBeNull();
      }
      // What was exported is gone from the chain, so that a record put in its place must be found out by something
      // else.
      const dropped = must(await audit().read('audit.dropped', null));
      const end = dropped?.ends[0];
      if (end === undefined) throw new Error('nothing was removed');
      const [left] = must(await audit().read('audit.chain', { chain: end.chain, after: 0, limit: 1 }));
      if (left === undefined) throw new Error('nothing stayed');
      await place.tamper(
        `INSERT INTO audit_record (chain, seq, at, tenant, type, outcome, request_id, record, leaf, link)
         SELECT chain, ${end.seq}, at, tenant, type, outcome, request_id, record, leaf, link FROM audit_record
         WHERE chain = '${end.chain}' AND seq = ${left.seq}`,
      );
      expect((await verify()).flaw).toMatchObject({ what: 'record-moved', chain: end.chain, seq: end.seq });
      await place.tamper(`UPDATE audit_dropped SET seq = ${end.seq - 1} WHERE chain = '${end.chain}'`);
      expect((await verify()).sound).toBe(false);
      const [gone = '', changed = ''] = files;
      writeFileSync(join(folder, changed), 'x');
      expect(await checkSegments(`${folder}/`, named)).toMatchObject({ what: 'segment-changed' });
      rmSync(join(folder, gone));
      expect(await checkSegments(`${folder}/`, named)).toMatchObject({ what: 'segment-missing' });
    } finally {
      segments.stop();
      rmSync(folder, { recursive: true, force: true });
    }
  });

  test('who hides a patient by what joins MRN and Patient, or shows one as another, is found out', async () => {
    await append({ type: 'ehr.write', toSeal: { patient: { system: 'urn:mrn', mrn: '1' }, chart: 'p1' } });
    await append({ type: 'ehr.write', toSeal: { patient: { system: 'urn:mrn', mrn: '2' }, chart: 'p2' } });
    await checkpoint();
    expect((await verify()).flaw).toBeNull();
    await place.tamper(`INSERT INTO audit_chart (tenant, patient, chart) SELECT a.tenant, a.patient, b.chart FROM audit_chart a
      JOIN audit_chart b ON a.patient < b.patient`);
    expect((await verify()).flaw?.what).toBe('pairs-changed');
    await place.tamper('DELETE FROM audit_chart WHERE chart = (SELECT min(chart) FROM audit_chart)');
    expect((await verify()).flaw?.what).toBe('pairs-changed');
    await place.tamper('DELETE FROM audit_chart');
    expect((await verify()).flaw).toMatchObject({ what: 'pairs-changed', seq: 1 });
  });

  test('who keeps records from being signed is found out', async () => {
    await append();
    await checkpoint();
    await place.tamper('UPDATE audit_chain SET covered = 1000000');
    await append();
    await checkpoint();
    const { flaw } = await verify();
    expect(flaw).toMatchObject({ what: 'withheld' });
  });

  test('a key is changed by a checkpoint that both sign, and segments from before it can still go', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'chartgate-segments-'));
    const clock = testClock();
    const next = auditKey(9);
    const anchor = () => Promise.resolve();
    const parts = {
      audit: audit(),
      key: next,
      folder: () => Promise.resolve(folder),
      days: 2,
      instance: 'ins_me',
      checkpoints: { anchor },
      clock,
    };
    const segments = exportSegments({ ...parts, log: collectLog() });
    try {
      for (let day = 0; day < 6; day += 1) {
        await append();
        if (day === 3) {
          must(await makeCheckpoint({ audit: audit(), key: next, clock }, null, key));
          expect(must(await makeCheckpoint({ audit: audit(), key: next, clock }, null, key))).toBeNull();
        } else must(await makeCheckpoint({ audit: audit(), key: day < 3 ? key : next, clock }));
        clock.advance(86_400_000);
      }
      must(await segments.close());
      expect(readdirSync(folder)).toHaveLength(1);
      for (const one of [key, next])
        expect(await verifyAudit(storeSource(audit()), one)).toMatchObject({ sound: true, key: next.text });
      expect(earlierKeys(must(await audit().read('audit.rotations', null)))).toEqual([{ key: key.text, until: 4 }]);
      await expect(makeCheckpoint({ audit: audit(), key, clock })).resolves.toMatchObject({ ok: true, value: null });
      await append();
      await expect(makeCheckpoint({ audit: audit(), key, clock })).rejects.toThrow('another key');
    } finally {
      segments.stop();
      rmSync(folder, { recursive: true, force: true });
    }
  });

  test('no false alarm over crashes at any moment of a real store', async () => {
    const anchored: string[] = [];
    for (let crash = 0; crash < 8; crash += 1) {
      const writing = Array.from({ length: 12 }, () => append());
      if (crash % 2 === 0) {
        const made = await checkpoint();
        if (made !== null && crash % 4 === 0) anchored.push(made.note);
      }
      await Promise.all(writing);
      // Not drained: the process is gone, and another comes.
      await store.close();
      store = await place.open({ sets: [auditSet] });
      expect((await verify(anchored)).flaw).toBeNull();
    }
  });

  test('a segment that no signed checkpoint names is a gap', async () => {
    for (let i = 0; i < 3; i += 1) await append();
    const closed = await checkpoint();
    const [chain = ''] = must(await audit().read('audit.chains', null)).map((one) => one.chain);
    const n1 = closed?.n ?? 0;
    must(
      await audit().write('audit.close-segment', {
        checkpoint: n1,
        namedBy: n1,
        digest: '0'.repeat(64),
        heads: [{ chain, seq: 3 }],
      }),
    );
    must(await audit().write('audit.drop', { limit: 100 }));
    expect((await verify()).flaw).toMatchObject({ what: 'record-missing', checkpoint: n1 });
  });

  test('every record that a flow leaves is a valid AuditEvent', async () => {
    await append({
      type: 'fhir.search',
      action: 'E',
      client: 'app',
      toSeal: { chart: 'p1', query: 'Observation?patient=p1' },
    });
    await append({ type: 'hook.reject', outcome: '8', why: 'secret-path' });
    const validator = loadValidator();
    const site = { publicUrl: 'https://gateway.example', ehrUrl: 'https://ehr.example/fhir' };
    for (const one of must(await audit().read('audit.search', { ...EVERYTHING, sealed: 'open' })))
      expect(validator.validate(toAuditEvent(JSON.parse(one.record) as AuditRecord, site, one.opened))).toEqual([]);
  });
});
