import { useState } from 'react';
import { Link } from 'wouter';
import { ask } from '../../api/ask.ts';
import { useMay } from '../../api/session.tsx';
import { useAsk } from '../../api/use-ask.ts';
import { Outcome, useAct } from '../../ui/act.tsx';
import { AuditLink } from '../../ui/audit-link.tsx';
import { CopyAs } from '../../ui/copy-as.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Screen, Shown } from '../../ui/screen.tsx';
import { State } from '../../ui/state.tsx';
import { Time } from '../../ui/time.tsx';
import { deliveriesOf } from '../../words/parts.ts';
import { aboutOf, actOf, Progress, type Job } from './jobs.tsx';

function Stop({ job, onDone }: { readonly job: Job; readonly onDone: () => void }) {
  const [isOpen, setOpen] = useState(false);
  const act = useAct();
  const stop = async (): Promise<void> => {
    if (!(await act.run(ask('jobs.stop', { params: { id: job.id } }), () => 'Stopped.'))) return;
    setOpen(false);
    onDone();
  };
  return (
    <>
      <button type="button" className="danger" onClick={() => setOpen(true)}>
        Stop …
      </button>
      {isOpen ? (
        <Dialog title="Stop this job" onClose={() => setOpen(false)}>
          <p>
            {deliveriesOf(job.done)} had their turn and stay as they are now; the other{' '}
            {(job.total - job.done).toLocaleString()} are left alone. A job that was stopped does not go on: it is
            previewed and started anew.
          </p>
          <Outcome of={act} />
          <div className="row">
            <button type="button" className="danger" disabled={act.isBusy} onClick={() => void stop()}>
              Stop
            </button>
            <button type="button" className="plain" onClick={() => setOpen(false)}>
              Let it run
            </button>
          </div>
        </Dialog>
      ) : null}
    </>
  );
}

function Ended({ job: { state, total, done, skipped, endedAt } }: { readonly job: Job }) {
  if (endedAt === null) return null;
  return (
    <p className={state === 'done' ? 'note' : 'note warn'} role="status">
      {state === 'done' ? 'Done' : 'Stopped'} <Time at={endedAt} />: {deliveriesOf(done - skipped)} moved
      {skipped === 0 ? '' : `, ${skipped.toLocaleString()} left alone, since somebody had moved them meanwhile`}
      {done === total ? '.' : `, ${(total - done).toLocaleString()} not reached.`}
    </p>
  );
}

/** One bulk job, how far it is, and what came of it. Its address holds it: a reload changes nothing. */
export function OneJob({ id }: { readonly id: string }) {
  const mayAct = useMay('deliveries.act');
  const [isOver, setOver] = useState(false);
  const found = useAsk('jobs.get', { params: { id } }, isOver ? {} : { everyMs: 1_000 });
  const state = found.value?.state;
  if (!isOver && state !== undefined && state !== 'running') setOver(true);
  return (
    <Screen
      title="Bulk job"
      actions={
        <span className="row">
          <Link to="/jobs">All jobs</Link>
          <CopyAs id="jobs.get" call={{ params: { id } }} command={`jobs show ${id}`} />
        </span>
      }
    >
      <Shown of={found}>
        {(job) => (
          <section className="card" aria-labelledby="job">
            <div className="between">
              <h2 id="job">{actOf(job)}</h2>
              <State is={job.state} />
            </div>
            <Progress of={job} />
            <Ended job={job} />
            <dl className="facts">
              <dt>About</dt>
              <dd>{aboutOf(job)}</dd>
              {job.reason === null ? null : (
                <>
                  <dt>Reason</dt>
                  <dd>{job.reason}</dd>
                </>
              )}
              <dt>Patients</dt>
              <dd>{job.patients.toLocaleString()}</dd>
              <dt>Started</dt>
              <dd>
                <Time at={job.startedAt} /> by {job.startedBy}
              </dd>
              <dt>Job</dt>
              <dd>
                <code>{job.id}</code>
              </dd>
            </dl>
            <p className="row">
              {mayAct && job.state === 'running' ? <Stop job={job} onDone={found.again} /> : null}
              <AuditLink of={{ request: job.requestId }} />
              <Link to="/queue">Back to the work queue</Link>
            </p>
          </section>
        )}
      </Shown>
    </Screen>
  );
}
