import type { ValueOf } from '../../api/ask.ts';
import { useMay } from '../../api/session.tsx';
import { useAsk } from '../../api/use-ask.ts';
import { CopyAs } from '../../ui/copy-as.tsx';
import { Screen, Shown } from '../../ui/screen.tsx';
import { State } from '../../ui/state.tsx';
import { durationOf, Time } from '../../ui/time.tsx';
import { Lanes } from './lanes.tsx';
import { PlanInWords } from './plan.tsx';
import { Probes } from './probes.tsx';
import { EhrSeries } from './series.tsx';
import { Switch } from './switch.tsx';

type Target = ValueOf<'targets.list'>['targets'][number];

const LOOK_MS = 5_000;

const BECAUSE: Readonly<Record<Target['concurrency']['because'], string>> = {
  untried: 'nothing was compared yet',
  growing: 'more at once raised the throughput',
  steady: 'neither more nor less is better',
  queueing: 'more at once only took longer',
  overload: 'it was overloaded, and the limit was halved',
};
const MEANS: Readonly<Record<Target['state'], string>> = {
  running: 'Deliveries are sent as they come.',
  paused: 'Nothing is sent until somebody resumes. Deliveries wait in their lanes.',
  shadow: 'It is only read; what would be written is reported.',
  held: 'What waited in shadow mode is held until somebody confirms it.',
};

function breakerOf({ breaker, openForMs = 0 }: Target): string {
  if (breaker === 'closed') return 'closed: the EHR answers';
  const again = openForMs === 0 ? '' : `; asked again in ${durationOf(openForMs)}`;
  return breaker === 'open'
    ? `open: the EHR failed often and is left alone${again}`
    : `half-open: one request tries whether it answers again${again}`;
}

function trialOf({ lastTrial }: Target['concurrency']): string | null {
  if (lastTrial === null) return null;
  const { from, to, fromMs, toMs } = lastTrial;
  return `Last compared: ${Math.round(fromMs)} ms at ${from}, ${Math.round(toMs)} ms at ${to}.`;
}

function Facts({ of: target }: { readonly of: Target }) {
  const { concurrency, waiting } = target;
  const trial = trialOf(concurrency);
  return (
    <dl className="facts">
      <dt>Breaker</dt>
      <dd>{breakerOf(target)}</dd>
      <dt>Concurrency found</dt>
      <dd>
        {concurrency.limit} at once, since {BECAUSE[concurrency.because]}; {target.inFlight} under way
        {concurrency.latencyMs === null ? '' : `; an answer takes ${Math.round(concurrency.latencyMs)} ms`}
        {trial === null ? null : <div className="small quiet">{trial}</div>}
      </dd>
      <dt>Waiting</dt>
      <dd>
        {waiting.jobs.toLocaleString()} deliveries of {waiting.lanes.toLocaleString()} patients
        {waiting.oldestAt === null ? '' : ', the oldest since '}
        {waiting.oldestAt === null ? null : <Time at={waiting.oldestAt} />}
      </dd>
      <dt>Retractions that cannot be made</dt>
      <dd className={waiting.retractionsParked === 0 ? undefined : 'bad'}>
        {waiting.retractionsParked.toLocaleString()}
      </dd>
      <dt>Left out in part</dt>
      <dd>{waiting.leftOut.toLocaleString()} deliveries</dd>
      <dt>Last probed</dt>
      <dd>
        <Time at={target.probedAt} />
        {target.probeFault === null ? null : (
          <span className="bad">
            ; the last probe failed: <code>{target.probeFault}</code>
          </span>
        )}
      </dd>
      {(target.pausedAt ?? null) === null ? null : (
        <>
          <dt>Paused</dt>
          <dd>
            <Time at={target.pausedAt} /> by {target.pausedBy}
          </dd>
        </>
      )}
    </dl>
  );
}

function One({ target, onDone }: { readonly target: Target; readonly onDone: () => void }) {
  const mayAct = useMay('targets.act');
  const { next } = target.forwarding;
  return (
    <>
      <section className="card" aria-label="State">
        <p className="row">
          <State is={target.state} /> <span>{MEANS[target.state]}</span>
        </p>
        {next === null ? null : <p className="note warn">{next}</p>}
        <Facts of={target} />
        {mayAct && (target.state === 'running' || target.state === 'paused') ? (
          <div className="acts">
            <Switch of={target} onDone={onDone} />
          </div>
        ) : null}
      </section>
      <Lanes id={target.id} />
      <EhrSeries />
      <PlanInWords of={target} />
      <Probes id={target.id} onDone={onDone} />
    </>
  );
}

export function Ehr() {
  const found = useAsk('targets.list', undefined, { everyMs: LOOK_MS });
  return (
    <Screen title="EHR" actions={<CopyAs id="targets.list" command="targets show" />}>
      <Shown of={found}>
        {({ targets }) => (
          <>
            {targets.map((target) => (
              <One key={target.id} target={target} onDone={found.again} />
            ))}
          </>
        )}
      </Shown>
    </Screen>
  );
}
