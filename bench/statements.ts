import { begunBy, finishAsk, linkAsk, putAsk, ROWS, settleAsk, USERS } from '../test/support/delivery-asks.ts';
import { makeDeliveries } from './deliveries.ts';
import { drivePostgres, driveSqlite, type Driven, type Spent } from './drive-store.ts';
import { median, round, type Figure } from './figure.ts';

/** So many of each command share a commit. */
const TOGETHER = 8;
const ROUNDS = 9;
/** Of each round; twice as many before the first. PostgreSQL takes ten times as long for each. */
const DELIVERIES = { sqlite: 200, postgres: 40 } as const;
const AIM = 25;
const SHOWN = 70;

type Group = readonly number[];

/**
 * Some are put, some settled and begun, some finished. On SQLite all in one commit; on PostgreSQL what is put has a
 * commit of its own, since it goes on another connection.
 */
function makeDeliver(driven: Driven, nextBody: () => Uint8Array, commits: 'shared' | 'put-apart') {
  let put: Group = [];
  let begun: readonly (readonly [number, ReturnType<typeof begunBy>])[] = [];
  return async (group: Group): Promise<void> => {
    const seqs = await driven.seqsOf(put.map((n) => `dlv_${n}`));
    const settling = put;
    const puts = group.map((n) => putAsk(n, nextBody()));
    const lanes = [
      ...begun.map(([n, one]) => finishAsk(n, one)),
      ...settling.map((n) => settleAsk(n, seqs.get(`dlv_${n}`) ?? 0)),
    ];
    if (commits === 'put-apart') await driven.run(puts);
    const outs = await driven.run(commits === 'put-apart' ? lanes : [...lanes, ...puts]);
    begun = settling.map((n, i) => [n, begunBy(outs[begun.length + i])] as const);
    put = group;
  };
}

function tell(engine: string, texts: ReadonlyMap<string, Spent>, deliveries: number): void {
  const all = [...texts].sort(([, a], [, b]) => b.ms - a.ms);
  const total = all.reduce((sum, [, { ms }]) => sum + ms, 0);
  console.error(`${engine}: each statement, how often a delivery, and its share of their time`);
  for (const [text, { count, ms }] of all)
    console.error(
      `${(count / deliveries).toFixed(2).padStart(7)} ${((ms / total) * 100).toFixed(1).padStart(5)} %  ${text.slice(0, SHOWN)}`,
    );
}

async function* measure(engine: 'sqlite' | 'postgres'): AsyncGenerator<Figure> {
  const driven = await (engine === 'sqlite' ? driveSqlite() : drivePostgres());
  try {
    for (let n = 0; n < USERS; n += 1) await driven.run([linkAsk(n)]);
    const deliver = makeDeliver(driven, makeDeliveries(), engine === 'sqlite' ? 'shared' : 'put-apart');
    let n = 0;
    const some = async (count: number): Promise<void> => {
      for (const end = n + count; n < end;) await deliver(Array.from({ length: TOGETHER }, () => n++));
    };
    const perRound = DELIVERIES[engine];
    await some(2 * perRound);
    driven.take();
    const cpus: number[] = [];
    for (let i = 0; i < ROUNDS; i += 1) {
      const from = process.cpuUsage();
      await some(perRound);
      const { user, system } = process.cpuUsage(from);
      cpus.push((user + system) / perRound);
    }
    const deliveries = ROUNDS * perRound;
    const { texts, trips } = driven.take();
    tell(engine, texts, deliveries);
    const count = [...texts.values()].reduce((sum, one) => sum + one.count, 0) / deliveries;
    const note = `put, settled, begun and finished with ${ROWS} rows of the ledger, ${TOGETHER} of each command a commit; ${round(trips / deliveries)} round trips; ${round(median(cpus))} us of CPU`;
    yield {
      bench: 'statements',
      figure: `${engine}-statements`,
      ratio: round(AIM / count),
      ours: round(count),
      theirs: AIM,
      unit: 'statements a delivery',
      note: `${note}; theirs: the aim`,
    };
  } finally {
    await driven.end();
  }
}

/** How many statements a delivery takes from its acknowledgement to its end, and which; the commands alone. */
export async function* run(): AsyncGenerator<Figure> {
  yield* measure('sqlite');
  yield* measure('postgres');
}
