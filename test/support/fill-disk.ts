/*
 * Runs as a process of its own on a small file system (its folder is the first argument): fills it until the store refuses,
 * frees a ballast, waits for the store to come back, and prints what happened as one line of JSON. The second argument says
 * whether it is filled by commands that are committed first, or by such as are journaled.
 */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { auditSet } from '../../src/audit/index.ts';
import { inboxSet } from '../../src/inbox/index.ts';
import { secret, silentLog, systemClock, type Result } from '../../src/kernel/index.ts';
import { openStore } from '../../src/store/index.ts';
import { eventually } from './eventually.ts';
import { probeSet } from './probe-commands/index.ts';

const [folder = '', kind = 'committed'] = process.argv.slice(2);
mkdirSync(folder, { recursive: true });
const ballast = join(folder, 'ballast');
// What was journaled needs room for the journal and for the database.
writeFileSync(ballast, Buffer.alloc((kind === 'committed' ? 4 : 24) * 1024 * 1024));

const key = (n: number) => secret(Buffer.alloc(32, n).toString('base64'));
const store = await openStore({
  database: { engine: 'sqlite', file: join(folder, 'chartgate.db'), filesystem: 'any' },
  keys: { data: [key(1)], pseudonym: key(2) },
  instance: 'ins_fill',
  sets: [probeSet, auditSet, inboxSet],
  clock: systemClock,
  log: silentLog,
});
const probe = store.use(probeSet);
const inbox = store.use(inboxSet);
const body = new Uint8Array(8_000);
let made = 0;
const put = (id: string): Promise<Result<unknown>> =>
  kind === 'committed'
    ? probe.write('probe.put', { id, body, atMs: 1 })
    : inbox.write('inbox.put', {
        id,
        tenant: 'default',
        hook: 'data',
        at: new Date(),
        requestId: 'r',
        receiver: 'i',
        sender: 's',
        // No two have the same bytes.
        body: Buffer.concat([body, Buffer.from(String((made += 1)))]),
      });
const codes = new Set<string>();
const acknowledged: string[] = [];
for (let n = 0; n < 4_000 && codes.size === 0; n += 8) {
  await Promise.all(
    Array.from({ length: 8 }, async (_, i) => {
      const id = `dlv_${n + i}`;
      const done = await put(id);
      if (done.ok) acknowledged.push(id);
      else codes.add(done.fault.code);
    }),
  );
}
const whileFull = { state: store.health().state, read: (await probe.read('probe.count', null)).ok };
rmSync(ballast);
const recovered = await eventually(
  () => store.health().state,
  (state) => state === 'ready',
);
const after = await put('dlv_after');
await eventually(
  () => store.health().journaled,
  (count) => count === 0,
);
const count = await probe.read('probe.count', null);
await store.close();
process.stdout.write(
  `${JSON.stringify({
    codes: [...codes],
    whileFull,
    recovered,
    isWrittenAfter: after.ok,
    acknowledged: acknowledged.length,
    stored: count.ok ? count.value.deliveries : -1,
  })}\n`,
);
