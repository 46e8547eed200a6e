import { aGrant, startSmart } from '../test/support/smart/start-smart.ts';
import { median, round, type Figure } from './figure.ts';
import { loadRequests, type Loaded } from './load.ts';
import { startServer } from './side.ts';

const CONNECTIONS = 16;
const ROUNDS = 8;
const ROUND_MS = 1_500;
const WARM_MS = 2_000;
const PATHS = {
  read: '/fhir/Observation/o-1',
  search: '/fhir/Observation?patient=p-1&category=vital-signs&_count=20',
} as const;

type Kind = keyof typeof PATHS;
type Recorded = 'writes' | 'skips';

/** Reads and searches of one read API that puts each into the audit before it answers, or does not, in turns. */
export async function* runReads(): AsyncGenerator<Figure> {
  const sink = await startServer('bench/chart-sink.ts');
  const rig = await startSmart(`http://127.0.0.1:${sink.port}/fhir`, { capability: 'probed' });
  const results = new Map<`${Kind} ${Recorded}`, Loaded[]>();
  try {
    await rig.link('mrn-1');
    const token = rig.token(aGrant('patient/*.rs', { patient: 'p-1' }));
    const { port } = new URL(rig.url);
    const ask = async (kind: Kind, ms: number): Promise<Loaded> => {
      const request = Buffer.from(
        `GET ${PATHS[kind]} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nAccept: application/fhir+json\r\nAuthorization: Bearer ${token}\r\n\r\n`,
      );
      const loaded = await loadRequests(Number(port), () => request, CONNECTIONS, { ms });
      if ([...loaded.statuses.keys()].some((status) => status !== 200))
        throw new Error(`not every answer was 200: ${JSON.stringify([...loaded.statuses])}`);
      return loaded;
    };
    for (const kind of ['read', 'search'] as const) await ask(kind, WARM_MS);
    for (let i = 0; i < ROUNDS; i += 1)
      for (const recorded of ['writes', 'skips'] as const)
        for (const kind of ['read', 'search'] as const) {
          rig.failAudit(recorded);
          const key = `${kind} ${recorded}` as const;
          results.set(key, [...(results.get(key) ?? []), await ask(kind, ROUND_MS)]);
        }
  } finally {
    await rig.stop();
    await sink.end();
  }
  const of = (kind: Kind, recorded: Recorded, what: 'perSecond' | 'p50Ms'): number =>
    median((results.get(`${kind} ${recorded}`) ?? []).map((one) => one[what]));
  for (const kind of ['read', 'search'] as const) {
    const [ours, theirs] = [of(kind, 'writes', 'perSecond'), of(kind, 'skips', 'perSecond')];
    const [with_, without] = [of(kind, 'writes', 'p50Ms'), of(kind, 'skips', 'p50Ms')];
    yield {
      bench: 'audit',
      figure: `${kind}-with-vs-without`,
      ratio: round(ours / theirs),
      ours: round(ours),
      theirs: round(theirs),
      unit: 'answers/s',
      note: `${CONNECTIONS} connections, SQLite FULL, the record durable before the answer; p50 ${round(with_)} against ${round(without)} ms`,
    };
  }
}
