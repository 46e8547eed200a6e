/*
 * Runs as a process of its own on a small file system (its folder is the argument): fills it until the store refuses,
 * frees a ballast, waits for the store to come back, and prints what happened as one line of JSON.
 */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { secret, silentLog, systemClock } from '../../src/kernel/index.ts';
import { openStore } from '../../src/store/index.ts';
import { eventually } from './eventually.ts';
import { probeSet } from './probe-commands/index.ts';

const [folder = ''] = process.argv.slice(2);
mkdirSync(folder, { recursive: true });
const ballast = join(folder, 'ballast');
writeFileSync(ballast, Buffer.alloc(4 * 1024 * 1024));

const key = (n: number) => secret(Buffer.alloc(32, n).toString('base64'));
const store = await openStore({
  database: { engine: 'sqlite', file: join(folder, 'chartgate.db'), filesystem: 'any' },
  keys: { data: [key(1)], pseudonym: key(2) },
  instance: 'ins_fill',
  sets: [probeSet],
  clock: systemClock,
  log: silentLog,
});
const probe = store.use(probeSet);
const codes = new Set<string>();
const acknowledged: string[] = [];
for (let n = 0; n < 4_000 && codes.size === 0; n += 8) {
  await Promise.all(
    Array.from({ length: 8 }, async (_, i) => {
      const id = `dlv_${n + i}`;
      const put = await probe.write('probe.put', { id, body: new Uint8Array(8_000), atMs: 1 });
      if (put.ok) acknowledged.push(id);
      else codes.add(put.fault.code);
    }),
  );
}
const whileFull = { state: store.health().state, read: (await probe.read('probe.count', null)).ok };
rmSync(ballast);
const recovered = await eventually(
  () => store.health().state,
  (state) => state === 'ready',
);
const after = await probe.write('probe.put', { id: 'dlv_after', body: new Uint8Array(8_000), atMs: 1 });
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
