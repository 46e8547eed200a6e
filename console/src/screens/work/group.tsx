import { Link } from 'wouter';
import type { ValueOf } from '../../api/ask.ts';
import { useMay } from '../../api/session.tsx';
import { State } from '../../ui/state.tsx';
import { durationOf, Time } from '../../ui/time.tsx';
import { adviceOf, reasonOf, type Remedy } from '../../words/reasons.ts';
import { BulkActs } from './bulk-act.tsx';
import { GroupDeliveries } from './group-deliveries.tsx';
import { Whose } from './whose.tsx';
import { WordsUnmapped } from './words-unmapped.tsx';

export type Group = ValueOf<'deliveries.groups'>['groups'][number];

/** By which the address says what is open. */
export const keyOf = ({ state, reason, faultCode }: Group): string =>
  [state, reason, faultCode].filter((one) => one !== null).join(' ');

function Acts({
  group,
  remedy,
  onToggle,
}: {
  readonly group: Group;
  readonly remedy: Remedy;
  readonly onToggle: () => void;
}) {
  const mayDecide = useMay('plans.decide');
  const [newest] = group.examples;
  const isDecided = remedy === 'approve' || remedy === 'decide';
  return (
    <div className="row">
      {isDecided && newest !== undefined ? (
        <Link className={mayDecide ? 'button' : 'button plain'} to={`/deliveries/${newest}`}>
          {remedy === 'decide' ? 'See both sides' : 'See what it would do'}
        </Link>
      ) : null}
      {remedy === 'link' || remedy === 'map' ? (
        <button type="button" onClick={onToggle}>
          {remedy === 'link' ? 'Link the users' : 'See what to map'}
        </button>
      ) : null}
      <BulkActs group={group} isFirst={remedy === 'replay'} />
    </div>
  );
}

/** Deliveries that wait for the same reason, and what solves it. */
export function GroupCard({
  group,
  isOpen,
  onToggle,
  onLinked,
}: {
  readonly group: Group;
  readonly isOpen: boolean;
  readonly onToggle: () => void;
  readonly onLinked: (words: string) => void;
}) {
  const { state, reason, faultCode, deliveries, oldestAt, newestAt, examples } = group;
  const { title, remedy } = reasonOf(state, reason);
  const mayRead = useMay('mappings.read');
  const id = `group-${keyOf(group).replaceAll(/\W/g, '-')}`;
  return (
    <article className="card group" aria-labelledby={id}>
      <div className="group-head">
        <div>
          <h2 id={id}>{title}</h2>
          <p className="marks">
            <State is={state} reason={reason} />
            {faultCode === null ? null : <code>{faultCode}</code>}
          </p>
        </div>
        <p className="group-count">
          <strong>
            {deliveries.isExact ? '' : '> '}
            {deliveries.count.toLocaleString()}
          </strong>
          <span>{deliveries.count === 1 ? 'delivery' : 'deliveries'}</span>
        </p>
      </div>
      <p>{adviceOf(group)}</p>
      <p className="small quiet">
        The oldest waits for {durationOf(Math.max(0, Date.now() - Date.parse(oldestAt)))} (<Time at={oldestAt} />
        ), the newest came <Time at={newestAt} />. Such as{' '}
        {examples.map((one) => (
          <Link key={one} to={`/deliveries/${one}`} className="example">
            <code>{one}</code>
          </Link>
        ))}
      </p>
      <Acts group={group} remedy={remedy} onToggle={onToggle} />
      <details open={isOpen} className="whose">
        <summary
          onClick={(event) => {
            event.preventDefault();
            onToggle();
          }}
        >
          {remedy === 'map' ? 'Which words, whose they are, and all of them' : 'Whose they are, and all of them'}
        </summary>
        {isOpen ? (
          <>
            {remedy === 'map' && mayRead ? <WordsUnmapped group={group} /> : null}
            <Whose group={group} onLinked={onLinked} />
            <GroupDeliveries group={group} />
          </>
        ) : null}
      </details>
    </article>
  );
}
