import type { ReactNode } from 'react';
import { State } from '../../ui/state.tsx';
import { durationOf, Time } from '../../ui/time.tsx';
import { issueWords } from '../../words/issues.ts';
import { countOf } from '../../words/parts.ts';
import { reasonOf } from '../../words/reasons.ts';
import type { OneDelivery } from './delivery.tsx';

interface Event {
  readonly at: string;
  readonly kind: 'source' | 'verdict' | 'attempt' | 'chart' | 'person';
  readonly key: string;
  readonly title: ReactNode;
  readonly more?: ReactNode;
}

const KIND_NAMES: Readonly<Record<Event['kind'], string>> = {
  source: 'Receipt',
  verdict: 'State',
  attempt: 'Attempt',
  chart: 'Chart',
  person: 'Person',
};

/** What a person did, by the reason of the step that it led to. */
const DEEDS: Readonly<Record<string, string>> = {
  replay: 'Judged again',
  'keep-theirs': 'Decided: keep the chart',
  overwrite: 'Decided: write the document',
  approve: 'Decided: the plan is approved',
};

const stepOf = (
  { at, from, to, reason, faultCode, actor }: OneDelivery['steps'][number],
  n: number,
  { bodyBytes, requestId, sender }: OneDelivery,
): Event => {
  const isArrival = from === null;
  const waits = to === 'parked' || to === 'quarantined';
  const deed = to === 'received' ? DEEDS[reason ?? ''] : undefined;
  return {
    at,
    kind: isArrival ? 'source' : actor === 'gateway' ? 'verdict' : 'person',
    key: `step ${n}`,
    title: isArrival ? (
      <strong>{bodyBytes.toLocaleString()} bytes received</strong>
    ) : deed === undefined ? (
      <State is={to} reason={reason} />
    ) : (
      <strong>{deed}</strong>
    ),
    more: isArrival ? (
      <>
        Request <code>{requestId}</code>, believed by {sender}
      </>
    ) : (
      <>
        {waits ? `${reasonOf(to, reason).title}. ` : ''}
        {faultCode === null ? null : (
          <>
            Fault <code>{faultCode}</code>.{' '}
          </>
        )}
        From {from}, by {actor}
      </>
    ),
  };
};

const attemptsOf = (attempts: OneDelivery['attempts']): Event[] =>
  attempts.map(({ id, kind, startedAt, endedAt, durationMs, outcome, faultCode, httpStatus, issues }) => ({
    at: endedAt ?? startedAt,
    kind: 'attempt',
    key: id,
    title: (
      <>
        <strong>{kind === 'deliver' ? 'Write to the EHR' : 'Take out of the chart'}</strong>{' '}
        <State is={outcome ?? 'under way'} />
      </>
    ),
    more: (
      <>
        <span>
          {httpStatus === null ? 'No answer of the EHR' : `Status ${httpStatus}`}
          {durationMs === null ? '' : `, ${durationMs.toLocaleString()} ms`}
          {faultCode === null ? null : (
            <>
              , fault <code>{faultCode}</code>
            </>
          )}
        </span>
        {issues.length === 0 ? null : (
          <ul className="issues" aria-label="What the EHR said was wrong">
            {issues.map(({ code, at }, i) => (
              <li key={i}>
                {issueWords(code)} (<code>{code}</code>){at === null ? '' : ' at '}
                {at === null ? null : <code>{at}</code>}
              </li>
            ))}
          </ul>
        )}
      </>
    ),
  }));

/** What came to the chart, or left it, at the same moment is one event. */
function chartEventsOf(wrote: OneDelivery['wrote']): Event[] {
  const moments = new Map<string, { readonly at: string; readonly isBack: boolean; readonly types: string[] }>();
  for (const { resourceType, writtenAt, retractedAt } of wrote)
    for (const [at, isBack] of [
      [writtenAt, false],
      [retractedAt, true],
    ] as const) {
      if (at === null) continue;
      const key = `${at} ${isBack}`;
      const moment = moments.get(key) ?? { at, isBack, types: [] };
      moment.types.push(resourceType);
      moments.set(key, moment);
    }
  return [...moments].map(([key, { at, isBack, types }]) => {
    const counts = new Map<string, number>();
    for (const type of types) counts.set(type, (counts.get(type) ?? 0) + 1);
    return {
      at,
      kind: 'chart',
      key,
      title: (
        <strong>
          {isBack ? 'Taken back' : 'Read back in the chart'}: {countOf(types.length, 'resource', 'resources')}
        </strong>
      ),
      more: [...counts].map(([type, n]) => `${n} ${type}`).join(', '),
    };
  });
}

const notesOf = (notes: OneDelivery['notes']): Event[] =>
  notes.map(({ at, actor, text }, n) => ({
    at,
    kind: 'person',
    key: `note ${n}`,
    title: <strong>Note of {actor}</strong>,
    more: <span className="said">{text}</span>,
  }));

/** Of the same moment: first what was tried, then what came of it. */
const RANK: Readonly<Record<Event['kind'], number>> = { source: 0, attempt: 1, chart: 2, verdict: 3, person: 4 };

/** From the first byte to the chart, in the order in which it happened. */
export function History({ of }: { readonly of: OneDelivery }) {
  const events = [
    ...of.steps.map((step, n) => stepOf(step, n, of)),
    ...attemptsOf(of.attempts),
    ...chartEventsOf(of.wrote),
    ...notesOf(of.notes),
  ].sort((a, b) => a.at.localeCompare(b.at) || RANK[a.kind] - RANK[b.kind]);
  return (
    <section className="card" aria-labelledby="history">
      <h2 id="history">From the first byte to the chart</h2>
      <ol className="timeline events">
        {events.map(({ at, kind, key, title, more }, i) => {
          const before = events[i - 1];
          const since = before === undefined ? 0 : Date.parse(at) - Date.parse(before.at);
          return (
            <li key={key} className={`event-${kind}`}>
              <div className="event-head">
                <span className="event-kind">{KIND_NAMES[kind]}</span>
                <span>{title}</span>
                <span className="event-time">
                  <Time at={at} />
                  {since > 0 ? (
                    <span className="quiet"> +{since < 1_000 ? `${since} ms` : durationOf(since)}</span>
                  ) : null}
                </span>
              </div>
              {more === undefined ? null : <div className="small quiet">{more}</div>}
            </li>
          );
        })}
      </ol>
      {of.attempts.length < 20 ? null : <p className="small quiet">The last 20 attempts are kept.</p>}
    </section>
  );
}
