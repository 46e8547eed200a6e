import { AlertIcon, XCircleIcon } from '@primer/octicons-react';
import { useEffect, useRef, type ReactNode } from 'react';
import { Link } from 'wouter';
import type { ValueOf } from '../../api/ask.ts';
import { useMay } from '../../api/session.tsx';
import { useAsk } from '../../api/use-ask.ts';
import { useStream } from '../../api/use-stream.ts';
import { CopyAs } from '../../ui/copy-as.tsx';
import { problemWords } from '../../ui/problem-words.ts';
import { Shown } from '../../ui/screen.tsx';
import { State } from '../../ui/state.tsx';
import { Table, type Column } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';

type Target = ValueOf<'targets.list'>['targets'][number];
type Group = ValueOf<'deliveries.groups'>['groups'][number];

const EVERY_MS = 60_000;
/** Groups are counted at the store: a flood of problems must not have them counted every second. */
const AT_MOST_EVERY_MS = 5_000;

const amountOf = ({ count, isExact }: Group['deliveries']): string =>
  `${isExact ? '' : 'more than '}${count.toLocaleString()}`;
const groupPath = ({ state, reason, faultCode }: Group): string => {
  const query = new URLSearchParams({ state, reason, ...(faultCode === null ? {} : { fault: faultCode }) });
  return `/queue?${query.toString()}`;
};

const Need = ({ isBad = false, children }: { readonly isBad?: boolean; readonly children: ReactNode }) => (
  <li>
    <span className={isBad ? 'bad' : 'warn'}>
      {isBad ? <XCircleIcon size={16} aria-hidden /> : <AlertIcon size={16} aria-hidden />}
    </span>
    <span>{children}</span>
  </li>
);

/** What of the EHR waits for a person. */
function needsOf(target: Target | undefined): readonly ReactNode[] {
  if (target === undefined) return [];
  const { state, breaker, probeFault, waiting } = target;
  return [
    state === 'paused' ? (
      <Need key="paused">
        Sending is paused, and {waiting.jobs.toLocaleString()} deliveries wait. <Link to="/ehr">Resume it</Link>.
      </Need>
    ) : null,
    state === 'held' || state === 'shadow' ? (
      <Need key="mode">
        {state === 'shadow' ? 'In shadow mode nothing is written.' : 'What waited in shadow mode must be confirmed.'}{' '}
        <Link to="/ehr">See what to do</Link>.
      </Need>
    ) : null,
    breaker === 'closed' ? null : (
      <Need key="breaker" isBad>
        The EHR fails and is left alone for now. <Link to="/ehr">See since when</Link>.
      </Need>
    ),
    probeFault === null ? null : (
      <Need key="probe">
        The last probe of the EHR failed: <code>{probeFault}</code>. <Link to="/ehr">Probe it again</Link>.
      </Need>
    ),
    waiting.retractionsParked === 0 ? null : (
      <Need key="retractions" isBad>
        {waiting.retractionsParked.toLocaleString()} documents must leave a chart and cannot.{' '}
        <Link to="/ehr">See the EHR</Link>.
      </Need>
    ),
    waiting.leftOut === 0 ? null : (
      <Need key="left-out">
        Of {waiting.leftOut.toLocaleString()} deliveries a part was left out.{' '}
        <Link to="/mappings">See what is unmapped</Link>.
      </Need>
    ),
  ].filter((one) => one !== null);
}

const COLUMNS: readonly Column<Group>[] = [
  {
    name: 'Why',
    show: (group) => (
      <div className="prose">
        <Link to={groupPath(group)}>{problemWords(group.reason)}</Link>
        {group.detail === null ? null : <div className="small quiet">{group.detail}</div>}
      </div>
    ),
  },
  { name: 'State', show: ({ state, reason }) => <State is={state} reason={reason} /> },
  { name: 'Deliveries', show: ({ deliveries }) => amountOf(deliveries), isNumber: true },
  { name: 'Newest', show: ({ newestAt }) => <Time at={newestAt} /> },
  { name: 'Oldest', show: ({ oldestAt }) => <Time at={oldestAt} /> },
];

/** Asked again when the stream tells of new problems, and now and then for those that were solved. */
function Groups({ needs }: { readonly needs: readonly ReactNode[] }) {
  const { problems } = useStream();
  const found = useAsk('deliveries.groups', undefined, { everyMs: EVERY_MS });
  const newest = problems[0]?.at;
  const lastAsked = useRef(0);
  const { again } = found;
  useEffect(() => {
    if (newest === undefined) return;
    const wait = Math.max(0, lastAsked.current + AT_MOST_EVERY_MS - Date.now());
    const timer = setTimeout(() => {
      lastAsked.current = Date.now();
      again();
    }, wait);
    return () => clearTimeout(timer);
  }, [newest, again]);
  return (
    <Shown of={found}>
      {({ groups }) =>
        groups.length === 0 ? (
          needs.length === 0 ? (
            <p className="good">Nothing needs you.</p>
          ) : null
        ) : (
          <Table
            caption="Problems by reason, newest first"
            rows={[...groups].sort((a, b) => b.newestAt.localeCompare(a.newestAt))}
            columns={COLUMNS}
            keyOf={({ state, reason, faultCode }) => `${state} ${reason} ${faultCode ?? ''}`}
          />
        )
      }
    </Shown>
  );
}

/** For who may not see deliveries: what the stream told, without a way to them. */
function Told({ needs }: { readonly needs: readonly ReactNode[] }) {
  const { problems, flow } = useStream();
  const stuck = (flow?.byState.parked ?? 0) + (flow?.byState.quarantined ?? 0);
  if (stuck === 0 && needs.length === 0) return <p className="good">Nothing needs anybody.</p>;
  return (
    <>
      {stuck === 0 ? null : <p>{stuck.toLocaleString()} deliveries wait for a person who may see them.</p>}
      <ul>
        {problems.map(({ at, state, reason, count, isExact }) => (
          <li key={`${at} ${state} ${reason ?? ''}`}>
            <Time at={at} /> {isExact ? '' : 'more than '}
            {count.toLocaleString()} <State is={state} reason={reason} />
          </li>
        ))}
      </ul>
    </>
  );
}

export function Needs({ target }: { readonly target: Target | undefined }) {
  const maySee = useMay('deliveries.read');
  const needs = needsOf(target);
  return (
    <section className="card" aria-labelledby="needs">
      <div className="between">
        <h2 id="needs">What needs you</h2>
        {maySee ? <CopyAs id="deliveries.groups" command="deliveries groups" /> : null}
      </div>
      {needs.length === 0 ? null : <ul className="needs">{needs}</ul>}
      {maySee ? <Groups needs={needs} /> : <Told needs={needs} />}
    </section>
  );
}
