import { useState } from 'react';
import { Link } from 'wouter';
import { useAsk } from '../../api/use-ask.ts';
import { useQuery } from '../../api/use-query.ts';
import { CopyAs } from '../../ui/copy-as.tsx';
import { Screen, Shown } from '../../ui/screen.tsx';
import { GroupCard, keyOf, type Group } from './group.tsx';
import { RunningJobs } from './jobs.tsx';

const KINDS = [
  [undefined, 'All'],
  ['parked', 'Parked'],
  ['quarantined', 'Quarantined'],
] as const;

const sumOf = (groups: readonly Group[]): string => {
  const sum = groups.reduce((so, { deliveries }) => so + deliveries.count, 0);
  return `${groups.every(({ deliveries }) => deliveries.isExact) ? '' : '> '}${sum.toLocaleString()}`;
};

/** What waits for a person, in groups, each with the act that solves it. */
export function Work() {
  const [{ state, open }, change] = useQuery();
  const [said, setSaid] = useState('');
  const found = useAsk('deliveries.groups', {}, { everyMs: 10_000 });
  return (
    <Screen
      title="Work queue"
      actions={
        <span className="row">
          <Link to="/jobs">Bulk jobs</Link>
          <CopyAs id="deliveries.groups" command="deliveries groups" />
        </span>
      }
    >
      <RunningJobs />
      <p role="status" className="good">
        {said}
      </p>
      <Shown of={found}>
        {({ groups }) => {
          const of = (kind: string | undefined): Group[] =>
            groups.filter((one) => kind === undefined || one.state === kind);
          const shown = of(state).toSorted((a, b) => a.oldestAt.localeCompare(b.oldestAt));
          return (
            <>
              <div className="tabs views" role="group" aria-label="Which">
                {KINDS.map(([kind, name]) => (
                  <button
                    key={name}
                    type="button"
                    aria-pressed={state === kind}
                    onClick={() => change({ state: kind, open: undefined, cursor: undefined })}
                  >
                    {name} <span className="tally">{sumOf(of(kind))}</span>
                  </button>
                ))}
              </div>
              {shown.length === 0 ? (
                <p className="card good">Nothing waits for a person. What comes to wait is shown here by itself.</p>
              ) : (
                shown.map((group) => (
                  <GroupCard
                    key={keyOf(group)}
                    group={group}
                    isOpen={open === keyOf(group)}
                    onToggle={() =>
                      change({ open: open === keyOf(group) ? undefined : keyOf(group), cursor: undefined })
                    }
                    onLinked={(words) => {
                      setSaid(words);
                      found.again();
                    }}
                  />
                ))
              )}
            </>
          );
        }}
      </Shown>
    </Screen>
  );
}
