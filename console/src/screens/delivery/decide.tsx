import { useState, type ReactNode, type SyntheticEvent } from 'react';
import { ask } from '../../api/ask.ts';
import { useMay } from '../../api/session.tsx';
import { Outcome, useAct } from '../../ui/act.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { textsOf } from '../../ui/field.tsx';
import { ReasonField } from '../../ui/reason-field.tsx';
import { Said, Sides } from '../../ui/sides.tsx';
import { Table, type Column } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { countOf } from '../../words/parts.ts';
import { isUndecided } from '../../words/reasons.ts';
import type { OneDelivery } from './delivery.tsx';

type Withdrawal = NonNullable<OneDelivery['withdrawals']>[number];

const part = ({ chart }: Withdrawal, name: string): ReactNode => {
  const text = chart?.[name];
  return text === undefined ? null : <Said part={name} text={text} />;
};
const WITHDRAWN_COLUMNS: readonly Column<Withdrawal>[] = [
  { name: 'Resource', show: ({ resourceType }) => resourceType },
  {
    name: 'What',
    show: (one) => (one.chart === null ? <span className="quiet">removed from the chart</span> : part(one, 'code')),
  },
  { name: 'Value', show: (one) => part(one, 'value') ?? part(one, 'components'), isNumber: true },
  { name: 'Unit', show: (one) => part(one, 'unit') },
  { name: 'Time', show: (one) => part(one, 'time') },
  { name: 'Version', show: ({ versionId }) => versionId },
];

type Decision = 'keep-theirs' | 'overwrite' | 'approve';

const CHOICES: Readonly<
  Record<Decision, { readonly name: string; readonly means: string; readonly done: string; readonly isRisky: boolean }>
> = {
  'keep-theirs': {
    name: 'Keep the chart',
    means: 'What stands in the chart stays, until a later version of the document says something else.',
    done: 'The chart stays as it is; the rest of the document is written.',
    isRisky: false,
  },
  overwrite: {
    name: 'Write the document',
    means:
      'What the document says is written over the version that is shown here. If somebody changes it meanwhile, you are asked again.',
    done: 'The document is written over it.',
    isRisky: true,
  },
  approve: {
    name: 'Approve the plan',
    means:
      'The plan is carried out as it was parked. If anything leads to another plan meanwhile, you are asked again.',
    done: 'The plan is approved and carried out.',
    isRisky: true,
  },
};

const choicesFor = ({ reason }: OneDelivery): readonly Decision[] =>
  reason === 'conflict' ? ['keep-theirs', 'overwrite'] : ['approve'];

/** What the choice is about, in numbers. */
function stakeOf({ conflicts, withdrawals }: OneDelivery, decision: Decision): string | null {
  if (conflicts !== undefined)
    return `About ${countOf(conflicts.length, 'resource', 'resources')} that somebody changed.`;
  if (decision === 'approve' && withdrawals !== undefined)
    return `Takes ${countOf(withdrawals.length, 'resource', 'resources')} out of the chart${withdrawals.length >= 100 ? ', or more' : ''}.`;
  return null;
}

function Confirm({
  of,
  decision,
  onClose,
  onDone,
}: {
  readonly of: OneDelivery;
  readonly decision: Decision;
  readonly onClose: () => void;
  readonly onDone: (words: string) => void;
}) {
  const act = useAct();
  const { name, means, done, isRisky } = CHOICES[decision];
  const onSubmit = async (event: SyntheticEvent<HTMLFormElement>): Promise<void> => {
    event.preventDefault();
    const { reason } = textsOf(event.currentTarget, 'reason');
    const asked = ask('deliveries.decide', { params: { id: of.id }, body: { decision }, reason });
    if (await act.run(asked, () => '')) onDone(done);
  };
  const stake = stakeOf(of, decision);
  return (
    <Dialog title={name} onClose={onClose}>
      {stake === null ? null : <p className="note">{stake}</p>}
      <p>{means}</p>
      <form onSubmit={(event) => void onSubmit(event)}>
        <ReasonField />
        <Outcome of={act} />
        <div className="row">
          <button type="submit" className={isRisky ? 'danger' : undefined} disabled={act.isBusy}>
            {name}
          </button>
          <button type="button" className="plain" onClick={onClose}>
            Leave it
          </button>
        </div>
      </form>
    </Dialog>
  );
}

/** Both sides of a conflict, or what a plan takes out of the chart, and the choice. */
export function Decide({ of, onDone }: { readonly of: OneDelivery; readonly onDone: (words: string) => void }) {
  const mayDecide = useMay('plans.decide');
  const [open, setOpen] = useState<Decision | null>(null);
  if (!isUndecided(of.state, of.reason)) return null;
  return (
    <section className="card decide" aria-labelledby="decide">
      <h2 id="decide">{of.reason === 'conflict' ? 'Both sides' : 'What it would do'}</h2>
      {of.conflicts?.map(({ resourceType, name, versionId, seenAt, ours, theirs }) => (
        <div key={name} className="one-side">
          <Sides
            caption={`${resourceType}, version ${versionId ?? 'removed'} of the chart`}
            left={ours}
            right={theirs}
            names={['The document says', 'The chart says']}
          />
          <p className="small quiet">
            The chart was read <Time at={seenAt} />.
            {ours === null ? ' The document no longer says anything of it.' : ''}
            {theirs === null ? ' Somebody removed it from the chart.' : ''}
          </p>
        </div>
      ))}
      {of.withdrawals === undefined ? null : (
        <>
          <p>
            It would take {countOf(of.withdrawals.length, 'resource', 'resources')} out of the chart, which the document
            no longer says.
          </p>
          <Table
            caption="What would leave the chart"
            rows={of.withdrawals}
            columns={WITHDRAWN_COLUMNS}
            keyOf={({ name }) => name}
          />
        </>
      )}
      {of.conflicts === undefined && of.withdrawals === undefined ? (
        <p>See “Said and written” for what would be written, and compare it with the chart.</p>
      ) : null}
      {mayDecide ? (
        <div className="row">
          {choicesFor(of).map((decision) => (
            <button
              key={decision}
              type="button"
              className={decision === 'overwrite' ? 'plain' : undefined}
              onClick={() => setOpen(decision)}
            >
              {CHOICES[decision].name} …
            </button>
          ))}
        </div>
      ) : (
        <p className="quiet">A clinical reviewer decides on it.</p>
      )}
      {open === null ? null : (
        <Confirm
          of={of}
          decision={open}
          onClose={() => setOpen(null)}
          onDone={(words) => {
            setOpen(null);
            onDone(words);
          }}
        />
      )}
    </section>
  );
}
