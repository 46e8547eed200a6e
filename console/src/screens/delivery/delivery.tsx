import { useState, type ReactNode } from 'react';
import { Link } from 'wouter';
import type { ValueOf } from '../../api/ask.ts';
import { useAsk } from '../../api/use-ask.ts';
import { useQuery } from '../../api/use-query.ts';
import { AuditLink } from '../../ui/audit-link.tsx';
import { CopyAs } from '../../ui/copy-as.tsx';
import { Screen, Shown } from '../../ui/screen.tsx';
import { State } from '../../ui/state.tsx';
import { Time } from '../../ui/time.tsx';
import { adviceOf, reasonOf } from '../../words/reasons.ts';
import { Acts } from './acts.tsx';
import { Care } from './care.tsx';
import { Changes } from './changes.tsx';
import { Decide } from './decide.tsx';
import { Explained } from './explained.tsx';
import { History } from './history.tsx';
import { Raw } from './raw.tsx';
import { Wrote } from './wrote.tsx';

/** Each look is in the audit: what rests is looked at seldom. */
const [MOVING_MS, RESTING_MS] = [2_000, 30_000];
const MOVING: ReadonlySet<string> = new Set(['received', 'queued', 'sending', 'unknown']);

export type OneDelivery = ValueOf<'deliveries.get'>;

const VIEWS: readonly (readonly [name: string, title: string, show: (of: OneDelivery) => ReactNode])[] = [
  ['history', 'History', (of) => <History of={of} />],
  ['written', 'Said and written', (of) => <Explained of={of} />],
  ['changes', 'Since the version before', ({ id }) => <Changes id={id} />],
  ['ehr', 'At the EHR', (of) => <Wrote of={of} />],
  ['raw', 'Raw body', (of) => <Raw of={of} />],
];

/** Where it stands, in words. */
function Standing({ of }: { readonly of: OneDelivery }) {
  if (of.state !== 'parked' && of.state !== 'quarantined') return of.detail === null ? null : <p>{of.detail}</p>;
  return (
    <p>
      <strong>{reasonOf(of.state, of.reason).title}.</strong> {adviceOf(of)}
    </p>
  );
}

function Facts({ of }: { readonly of: OneDelivery }) {
  const rows: readonly (readonly [string, ReactNode])[] = [
    ['Delivery', <code key="id">{of.id}</code>],
    ['Received', <Time key="at" at={of.receivedAt} />],
    [
      'Structure',
      `${of.dataStructure ?? 'unknown'}${(of.documentVersion ?? null) === null ? '' : `, version ${of.documentVersion}`}`,
    ],
    ['User of the source', of.userId === null ? null : <code key="user">{of.userId}</code>],
    ['MRN', of.mrn],
    ['Bytes', `${of.bodyBytes.toLocaleString()}${of.hasBody ? '' : ' (no longer kept)'}`],
    ['Request', <code key="request">{of.requestId}</code>],
    ['Fault', of.faultCode === null ? null : <code key="fault">{of.faultCode}</code>],
    [
      'Findings',
      of.findings.length === 0
        ? null
        : of.findings.map((finding) => (
            <div key={finding}>
              <code>{finding}</code>
            </div>
          )),
    ],
    [
      'Same as',
      (of.duplicateOf ?? null) === null ? null : (
        <Link key="same" to={`/deliveries/${of.duplicateOf}`}>
          <code>{of.duplicateOf}</code>
        </Link>
      ),
    ],
  ];
  return (
    <dl className="facts wide-facts">
      {rows.map(([name, value]) =>
        value === null ? null : (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ),
      )}
    </dl>
  );
}

function Opened({ of, onChange }: { readonly of: OneDelivery; readonly onChange: () => void }) {
  const [{ view }, change] = useQuery();
  const [said, setSaid] = useState<string | null>(null);
  const [name, , show] = VIEWS.find(([one]) => one === view) ?? VIEWS[0] ?? [];
  const onDone = (words: string): void => {
    setSaid(words);
    onChange();
  };
  return (
    <>
      <section className="card" aria-labelledby="what">
        <h2 id="what">
          <State is={of.state} reason={of.reason} />
        </h2>
        <Standing of={of} />
        <div role="status">
          {said === null ? null : (
            <p className="note">
              {said} <AuditLink of={{ delivery: of.id, type: 'delivery.change' }} />{' '}
              <Link to="/queue">Back to the work queue</Link>
            </p>
          )}
        </div>
        <Facts of={of} />
        <Acts of={of} onDone={onDone} />
      </section>
      <Decide of={of} onDone={onDone} />
      <div className="tabs views" role="group" aria-label="What to see of it">
        {VIEWS.map(([one, label]) => (
          <button
            key={one}
            type="button"
            aria-pressed={one === name}
            onClick={() => change({ view: one === 'history' ? undefined : one })}
          >
            {label}
          </button>
        ))}
      </div>
      {show?.(of)}
      <Care of={of} onDone={onChange} />
    </>
  );
}

/** One delivery: where it stands, what a person can do, and its history from the first byte to the chart. */
export function Delivery({ id }: { readonly id: string }) {
  const [isMoving, setMoving] = useState(false);
  const found = useAsk('deliveries.get', { params: { id } }, { everyMs: isMoving ? MOVING_MS : RESTING_MS });
  const moves = MOVING.has(found.value?.state ?? '');
  if (moves !== isMoving) setMoving(moves);
  return (
    <Screen
      title="One delivery"
      actions={<CopyAs id="deliveries.get" call={{ params: { id } }} command={`deliveries show ${id}`} />}
    >
      <Shown of={found}>{(delivery) => <Opened key={id} of={delivery} onChange={found.again} />}</Shown>
    </Screen>
  );
}
