import { Link } from 'wouter';
import type { ValueOf } from '../../api/ask.ts';
import { useAsk } from '../../api/use-ask.ts';
import { useQuery } from '../../api/use-query.ts';
import { CopyAs } from '../../ui/copy-as.tsx';
import { Pages } from '../../ui/pages.tsx';
import { Screen, Shown } from '../../ui/screen.tsx';
import { State } from '../../ui/state.tsx';
import { Table, type Column } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { reasonOf } from '../../words/reasons.ts';

export type Job = ValueOf<'jobs.get'>;

const PAGE = 20;
export const actOf = ({ act }: Job): string => (act === 'replay' ? 'Judge again' : 'Discard');
/** What the deliveries of a job have in common. */
export const aboutOf = ({ filter: { state, reason, fault, word, of_one: ofOne } }: Job): string =>
  [
    reason === undefined ? `all ${state}` : reasonOf(state, reason).title,
    fault,
    word === undefined ? undefined : 'for one word',
    ofOne === undefined ? undefined : `of one ${ofOne}`,
  ]
    .filter((one) => one !== undefined)
    .join(', ');

export function Progress({ of: { id, done, total } }: { readonly of: Job }) {
  return (
    <span className="progress-row">
      <progress aria-label={`Progress of ${id}`} value={done} max={Math.max(1, total)} />
      <span>
        {done.toLocaleString()} of {total.toLocaleString()}
      </span>
    </span>
  );
}

const COLUMNS: readonly Column<Job>[] = [
  { name: 'Started', show: ({ startedAt }) => <Time at={startedAt} /> },
  { name: 'Act', show: (job) => <Link to={`/jobs/${job.id}`}>{actOf(job)}</Link> },
  { name: 'About', show: aboutOf },
  { name: 'State', show: ({ state }) => <State is={state} /> },
  { name: 'Deliveries', show: (job) => <Progress of={job} /> },
  { name: 'By', show: ({ startedBy }) => startedBy },
];

/** Those under way, above what waits. */
export function RunningJobs() {
  const found = useAsk('jobs.list', { query: { limit: PAGE } }, { everyMs: 5_000 });
  const running = (found.value?.jobs ?? []).filter(({ state }) => state === 'running');
  return running.map((job) => (
    <p key={job.id} className="note row">
      <span>
        Under way: <Link to={`/jobs/${job.id}`}>{actOf(job)}</Link>, {aboutOf(job)}
      </span>
      <Progress of={job} />
    </p>
  ));
}

export function Jobs() {
  const [{ cursor }, change] = useQuery();
  const query = { cursor, limit: PAGE };
  const found = useAsk('jobs.list', { query }, cursor === undefined ? { everyMs: 5_000 } : {});
  return (
    <Screen
      title="Bulk jobs"
      actions={
        <span className="row">
          <Link to="/queue">Work queue</Link>
          <CopyAs id="jobs.list" call={{ query }} command="jobs list" />
        </span>
      }
    >
      <Shown of={found}>
        {({ jobs, next }) =>
          jobs.length === 0 ? (
            <p className="card">
              Nobody has moved many deliveries at once yet. Start with a group of the{' '}
              <Link to="/queue">work queue</Link>.
            </p>
          ) : (
            <section className="card">
              <Table caption="Bulk jobs, newest first" rows={jobs} columns={COLUMNS} keyOf={({ id }) => id} />
              <Pages cursor={cursor} next={next} onGo={(to) => change({ cursor: to })} />
            </section>
          )
        }
      </Shown>
    </Screen>
  );
}
