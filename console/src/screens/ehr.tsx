import { ask, type ValueOf } from '../api/ask.ts';
import { useMay } from '../api/session.tsx';
import { useAsk } from '../api/use-ask.ts';
import { Outcome, useAct } from '../ui/act.tsx';
import { CopyAs } from '../ui/copy-as.tsx';
import { Screen, Shown } from '../ui/screen.tsx';
import { State } from '../ui/state.tsx';
import { Table, type Column } from '../ui/table.tsx';
import { durationOf, Time } from '../ui/time.tsx';

type Target = ValueOf<'targets.list'>['targets'][number];

const BECAUSE: Readonly<Record<string, string>> = {
  untried: 'nothing was compared yet',
  growing: 'more at once raised the throughput',
  steady: 'neither more nor less is better',
  queueing: 'more at once only took longer',
  overload: 'it was overloaded, and the limit was halved',
};
const DIALECT: Readonly<Record<string, string>> = {
  setting: 'by CHARTGATE_EHR_DIALECT',
  recognised: 'recognised by what it says of itself',
  'nothing-fits': 'no dialect fits; it is written to as R4 has it',
  'not-asked-yet': 'it has not been asked yet',
};

interface Choice {
  readonly of: string;
  readonly chosen: string;
  readonly because: string;
}

/** Types of which the same was chosen for the same reason are one row. */
function choicesOf(plan: NonNullable<Target['plan']>): readonly Choice[] {
  const { reasons = [] } = plan as { readonly reasons?: readonly Choice[] };
  const rows = new Map<string, { of: string[]; chosen: string; because: string }>();
  for (const { of, chosen, because } of reasons) {
    const [type = of, what] = of.split('.');
    const key = what === undefined ? of : `${what} ${chosen} ${because}`;
    const row = rows.get(key) ?? { of: what === undefined ? [] : [`${what} of`], chosen, because };
    row.of.push(type);
    rows.set(key, row);
  }
  return [...rows.values()].map(({ of, ...rest }) => ({ of: of.join(' '), ...rest }));
}

const PLAN_COLUMNS: readonly Column<Choice>[] = [
  { name: 'What', show: ({ of }) => of },
  { name: 'Chosen', show: ({ chosen }) => chosen },
  { name: 'Because', show: ({ because }) => because },
];

function Plan({ of }: { readonly of: Target['plan'] }) {
  if (of === null) return <p className="quiet">The EHR has not said what it can.</p>;
  return (
    <Table
      caption="What follows from what it can"
      rows={choicesOf(of)}
      columns={PLAN_COLUMNS}
      keyOf={({ of: what, chosen }) => `${what} ${chosen}`}
    />
  );
}

function Switch({ of, onDone }: { readonly of: Target; readonly onDone: () => void }) {
  const act = useAct();
  const isPaused = of.state === 'paused';
  const onClick = async (): Promise<void> => {
    const asked = ask(isPaused ? 'targets.resume' : 'targets.pause', { params: { id: of.id } });
    if (await act.run(asked, ({ state }) => `It is ${state}.`)) onDone();
  };
  return (
    <>
      <button type="button" className={isPaused ? '' : 'plain'} disabled={act.isBusy} onClick={() => void onClick()}>
        {isPaused ? 'Resume sending' : 'Pause sending'}
      </button>
      <Outcome of={act} />
    </>
  );
}

function One({ target, onDone }: { readonly target: Target; readonly onDone: () => void }) {
  const mayAct = useMay('targets.act');
  const { concurrency, waiting, dialect } = target;
  return (
    <>
      <section className="card" aria-label="State">
        <h2>
          <State is={target.state} />
        </h2>
        <dl className="facts">
          <dt>Breaker</dt>
          <dd>
            {target.breaker}
            {target.openForMs === undefined || target.openForMs === 0
              ? ''
              : `, asked again in ${durationOf(target.openForMs)}`}
          </dd>
          <dt>Requests at once</dt>
          <dd>
            {target.inFlight} under way, {concurrency.limit} allowed: {BECAUSE[concurrency.because]}
            {concurrency.latencyMs === null ? '' : `; an answer takes ${Math.round(concurrency.latencyMs)} ms`}
          </dd>
          <dt>Waiting</dt>
          <dd>
            {waiting.jobs} deliveries of {waiting.lanes} patients
            {waiting.oldestAt === null ? '' : ', the oldest since '}
            {waiting.oldestAt === null ? null : <Time at={waiting.oldestAt} />}
          </dd>
          <dt>Retractions that cannot be made</dt>
          <dd>{waiting.retractionsParked}</dd>
          <dt>Left out in part</dt>
          <dd>{waiting.leftOut}</dd>
          {(target.pausedAt ?? null) === null ? null : (
            <>
              <dt>Paused</dt>
              <dd>
                <Time at={target.pausedAt} /> by {target.pausedBy}
              </dd>
            </>
          )}
        </dl>
        {mayAct && (target.state === 'running' || target.state === 'paused') ? (
          <Switch of={target} onDone={onDone} />
        ) : null}
      </section>
      <section className="card" aria-label="What it can do">
        <h2>How it is written to, and why</h2>
        <p>
          Probed <Time at={target.probedAt} />
          {target.probeFault === null ? '' : ` (the last probe failed: ${target.probeFault})`}. Dialect{' '}
          {dialect.name ?? 'none'}: {DIALECT[dialect.because]}.
        </p>
        <Plan of={target.plan} />
      </section>
    </>
  );
}

export function Ehr() {
  const found = useAsk('targets.list', undefined, { everyMs: 5_000 });
  return (
    <Screen title="EHR" actions={<CopyAs id="targets.list" />}>
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
