import type { LaneWrites } from '../src/lanes/index.ts';
import {
  beginAsk,
  begunBy,
  finishAsk,
  linkAsk,
  owner,
  putAsk,
  ROWS,
  settleAsk,
  tenant,
  USERS,
  type Claimed,
} from '../test/support/delivery-asks.ts';
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

/** As on SQLite: some are put, some settled and begun, some finished, all in one commit. */
function makeShared(driven: Driven, nextBody: () => Uint8Array) {
  let put: Group = [];
  let begun: readonly (readonly [number, ReturnType<typeof begunBy>])[] = [];
  return async (group: Group): Promise<void> => {
    const seqs = await driven.seqsOf(put.map((n) => `dlv_${n}`));
    const settling = put;
    const outs = await driven.run([
      ...group.map((n) => putAsk(n, nextBody())),
      ...begun.map(([n, one]) => finishAsk(n, one)),
      ...settling.map((n) => settleAsk(n, seqs.get(`dlv_${n}`) ?? 0)),
    ]);
    const from = group.length + begun.length;
    begun = settling.map((n, i) => [n, begunBy(outs[from + i])] as const);
    put = group;
  };
}

/** As on PostgreSQL: nothing is claimed at once, and what gives way has commits of its own. */
function makeApart(driven: Driven, nextBody: () => Uint8Array) {
  return async (group: Group): Promise<void> => {
    await driven.run(group.map((n) => putAsk(n, nextBody())));
    const seqs = await driven.seqsOf(group.map((n) => `dlv_${n}`));
    await driven.run(group.map((n) => settleAsk(n, seqs.get(`dlv_${n}`) ?? 0)));
    const claim = { tenant, owner, at: new Date(), leaseMs: 60_000, limit: TOGETHER };
    const [out] = await driven.run([{ name: 'lane.claim', args: claim }]);
    const { claimed } = out as LaneWrites['lane.claim']['out'];
    if (claimed.length !== group.length) throw new Error(`${claimed.length} were claimed`);
    const numberOf = (one: Claimed): number => Number(one.delivery.id.slice('dlv_'.length));
    await driven.run(claimed.map((one) => beginAsk(numberOf(one), one)));
    await driven.run(claimed.map((one) => finishAsk(numberOf(one), { ...one, attemptId: `att_${numberOf(one)}` })));
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
    const deliver = (engine === 'sqlite' ? makeShared : makeApart)(driven, makeDeliveries());
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
