/*
 * node test/chaos/memory.ts [--engine sqlite|postgres] [--megabytes 512] [--seed N] [--json]: the process stays within
 * CHARTGATE_MEMORY_MB.
 */
import { parseArgs } from 'node:util';
import { makePostgresPlace, makeSqlitePlace } from './chaos-place.ts';
import { runBacklog } from './run-backlog.ts';
import { runMemory } from './run-memory.ts';

const { values } = parseArgs({
  options: {
    engine: { type: 'string', default: 'sqlite' },
    megabytes: { type: 'string', default: '512' },
    seed: { type: 'string', default: '1' },
    json: { type: 'boolean', default: false },
  },
});
const { engine, megabytes, json } = values;
if (engine !== 'sqlite' && engine !== 'postgres') throw new Error('--engine is sqlite or postgres');
const most = Number(megabytes);
if (!Number.isInteger(most)) throw new Error('--megabytes is a whole number');

const place = engine === 'sqlite' ? makeSqlitePlace() : await makePostgresPlace();
try {
  const figures = await runMemory({
    place,
    seed: Number(values.seed),
    plan: {
      large: { count: 20, bytes: 4.9 * 1024 * 1024 },
      offered: { perSecond: 1_500, seconds: 20 },
      hostile: { times: 10 },
    },
    settings: { CHARTGATE_MEMORY_MB: megabytes },
    onFigure: (figure) => process.stdout.write(json ? '' : `${JSON.stringify(figure)}\n`),
  });
  const backlog = engine === 'sqlite' ? [await runBacklog(12, 1024 * 1024, { CHARTGATE_MEMORY_MB: megabytes })] : [];
  for (const figure of backlog) process.stdout.write(json ? '' : `${JSON.stringify(figure)}\n`);
  const highestMb = Math.max(...[...figures, ...backlog].map(({ peakMb }) => peakMb));
  process.stdout.write(
    `${JSON.stringify({ engine, megabytes: most, highestMb, ...(json ? { figures: [...figures, ...backlog] } : {}) })}\n`,
  );
  process.exitCode = highestMb <= most ? 0 : 1;
} finally {
  await place.remove();
}
