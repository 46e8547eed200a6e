import {
  AlertIcon,
  BroadcastIcon,
  CheckCircleIcon,
  InboxIcon,
  RowsIcon,
  ServerIcon,
  XCircleIcon,
  type Icon,
} from '@primer/octicons-react';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { useStream, type FlowNow } from '../../api/use-stream.ts';
import { durationOf } from '../../ui/time.tsx';
import { useNow } from '../../ui/use-now.ts';

const count = (n: number): string => n.toLocaleString();
const perSecond = (rate: number | null): string => (rate === null ? '–' : `${rate.toLocaleString()} / s`);

type Tone = 'good' | 'warn' | 'bad';
const TONES: Readonly<Record<Tone, Icon>> = { good: CheckCircleIcon, warn: AlertIcon, bad: XCircleIcon };

/** Waiting for longer than this is worth a look, and for longer than that something is wrong. */
const LAG_WARN_MS = 60_000;
const LAG_BAD_MS = 15 * 60_000;

interface Judged {
  readonly tone: Tone;
  readonly words: string;
}

const lagOf = (waiting: FlowNow['waiting'], now: number): number | null =>
  waiting.oldestAt === null ? null : Math.max(0, now - Date.parse(waiting.oldestAt));

function judgeLag(lagMs: number | null): Judged {
  if (lagMs === null) return { tone: 'good', words: 'Nothing waits' };
  const tone = lagMs > LAG_BAD_MS ? 'bad' : lagMs > LAG_WARN_MS ? 'warn' : 'good';
  return { tone, words: `The longest wait is ${durationOf(lagMs)}` };
}

/** Paused is known only to who may see the EHR's own screen. */
function judgeEhr({ breaker, forwarding }: FlowNow['target'], isPaused: boolean): Judged {
  if (breaker === 'open') return { tone: 'bad', words: 'Left alone after failures' };
  if (breaker === 'half-open') return { tone: 'warn', words: 'Tried carefully after failures' };
  if (isPaused) return { tone: 'warn', words: 'Paused by a person' };
  if (forwarding === 'shadow') return { tone: 'warn', words: 'Shadow mode: nothing is written' };
  if (forwarding === 'held') return { tone: 'warn', words: 'Held until somebody confirms' };
  return { tone: 'good', words: 'Taking writes' };
}

function Node({
  icon: Picture,
  name,
  figure,
  unit,
  judged,
  children,
}: {
  readonly icon: Icon;
  readonly name: string;
  readonly figure: string;
  readonly unit: string;
  readonly judged?: Judged;
  readonly children?: ReactNode;
}) {
  const Shape = judged === undefined ? null : TONES[judged.tone];
  return (
    <li className={`flow-node ${judged?.tone ?? ''}`}>
      <strong>
        <Picture size={16} aria-hidden /> {name}
      </strong>
      <span className="flow-figure">{figure}</span>
      <span className="small quiet">{unit}</span>
      {judged === undefined || Shape === null ? null : (
        <span className={`flow-verdict small ${judged.tone}`}>
          <Shape size={12} aria-hidden /> {judged.words}
        </span>
      )}
      {children}
    </li>
  );
}

/** What runs along an arrow. */
const Pipe = ({ rate, what }: { readonly rate?: number | null; readonly what: string }) => (
  <li className="flow-pipe">
    {rate === undefined ? null : <span className="flow-rate">{perSecond(rate)}</span>}
    <span className="flow-arrow" aria-hidden />
    <span className="small quiet">{what}</span>
  </li>
);

/** Where everything is at this moment, from the source to the EHR. */
export function FlowPicture({ isPaused }: { readonly isPaused: boolean }) {
  const { flow } = useStream();
  const now = useNow();
  if (flow === null) return null;
  const { received, queued, sending, unknown } = flow.byState;
  return (
    <section className="card" aria-labelledby="flow">
      <h2 id="flow">The flow</h2>
      <ol className="flow-picture">
        <Node icon={BroadcastIcon} name="Source" figure={count(flow.acknowledged)} unit="acknowledged in all" />
        <Pipe rate={flow.rates.received} what="received" />
        <Node icon={InboxIcon} name="Inbox" figure={count(received)} unit="to be judged" />
        <Pipe what="judged" />
        <Node
          icon={RowsIcon}
          name="Lanes"
          figure={count(queued + sending + unknown)}
          unit={`on their way, ${count(sending)} of them being sent`}
          judged={judgeLag(lagOf(flow.waiting, now))}
        />
        <Pipe rate={flow.rates.delivered} what="delivered" />
        <Node
          icon={ServerIcon}
          name="EHR"
          figure={`${count(flow.target.inFlight)} of ${count(flow.target.limit)}`}
          unit="requests under way"
          judged={judgeEhr(flow.target, isPaused)}
        >
          <span className="small quiet">breaker {flow.target.breaker}</span>
        </Node>
      </ol>
    </section>
  );
}

/** Acknowledged is the sum of all states, at every instant. */
export function LedgerEquation({ actions }: { readonly actions: ReactNode }) {
  const { flow } = useStream();
  if (flow === null) return null;
  const states = Object.entries(flow.byState);
  const sum = states.reduce((total, [, n]) => total + n, 0);
  const isSound = sum === flow.acknowledged && states.every(([, n]) => n >= 0);
  return (
    <section className="card" aria-labelledby="ledger">
      <div className="between">
        <h2 id="ledger">The ledger</h2>
        {actions}
      </div>
      <p className={isSound ? 'good' : 'bad'} role={isSound ? undefined : 'alert'}>
        {isSound ? <CheckCircleIcon size={16} aria-hidden /> : <XCircleIcon size={16} aria-hidden />}{' '}
        {count(flow.acknowledged)} acknowledged {isSound ? '=' : '≠'} {count(sum)} in all states.{' '}
        {isSound ? 'It adds up.' : 'It does not add up: see “What happens when” in docs/operate.md.'}
      </p>
      <dl className="tiles">
        {states.map(([state, n]) => (
          <div className="tile" key={state}>
            <dt>
              <Link to={`/deliveries?state=${state}`}>{state}</Link>
            </dt>
            <dd>{count(n)}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
