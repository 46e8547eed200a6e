import { useState, type SyntheticEvent } from 'react';
import { ask, type ValueOf } from '../../api/ask.ts';
import { useMay } from '../../api/session.tsx';
import { useAsk } from '../../api/use-ask.ts';
import { Outcome, useAct } from '../../ui/act.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { DialogButtons } from '../../ui/dialog-buttons.tsx';
import { textsOf } from '../../ui/field.tsx';
import { ReasonField } from '../../ui/reason-field.tsx';
import { Shown } from '../../ui/screen.tsx';
import { countOf } from '../../words/parts.ts';
import { isUndecided, reasonOf } from '../../words/reasons.ts';
import type { OneDelivery } from './delivery.tsx';

type Explanation = ValueOf<'deliveries.explain'>;
const CHANGES: readonly (readonly [Explanation['resources'][number]['change'], string])[] = [
  ['create', 'new'],
  ['update', 'changed'],
  ['retract', 'withdrawn'],
  ['conflict', 'in conflict'],
  ['keep', 'as they are'],
  ['skip', 'skipped'],
];

function forecastOf({ trouble, resources }: Explanation): string {
  const counts = CHANGES.flatMap(([change, words]) => {
    const n = resources.filter((one) => one.change === change).length;
    return n === 0 ? [] : [`${n} ${words}`];
  });
  const what = `${countOf(resources.length, 'resource', 'resources')}${counts.length === 0 ? '' : `: ${counts.join(', ')}`}`;
  return trouble === null
    ? `Nothing would keep it back now. ${what}.`
    : `It would be parked again: ${reasonOf('parked', trouble).title}. ${what}.`;
}

/** What the delivery would come to now, before it is judged again. */
function Forecast({ id }: { readonly id: string }) {
  const found = useAsk('deliveries.explain', { params: { id } });
  return <Shown of={found}>{(explained) => <p className="note">{forecastOf(explained)}</p>}</Shown>;
}

interface ActProps {
  readonly of: OneDelivery;
  readonly onClose: () => void;
  readonly onDone: (words: string) => void;
}

function Replay({ of, onClose, onDone }: ActProps) {
  const act = useAct();
  const replay = async (): Promise<void> => {
    const asked = ask('deliveries.replay', { params: { id: of.id } });
    if (!(await act.run(asked, () => ''))) return;
    const reply = await asked;
    if (reply.kind === 'done')
      onDone(reply.value.undecided ? 'It is judged again, and still waits for a decision.' : 'It is judged again.');
  };
  return (
    <Dialog title="Judge this delivery again" onClose={onClose}>
      <p>It is judged from its stored bytes, by the mapping data and links of now. Nothing is approved by it.</p>
      <Forecast id={of.id} />
      {isUndecided(of.state, of.reason) ? (
        <p className="note warn">It waits for a decision. Without one it is parked again.</p>
      ) : null}
      <Outcome of={act} />
      <div className="row">
        <button type="button" disabled={act.isBusy} onClick={() => void replay()}>
          Judge again
        </button>
        <button type="button" className="plain" onClick={onClose}>
          Leave it
        </button>
      </div>
    </Dialog>
  );
}

function Discard({ of, onClose, onDone }: ActProps) {
  const act = useAct();
  const onSubmit = async (event: SyntheticEvent<HTMLFormElement>): Promise<void> => {
    event.preventDefault();
    const { reason } = textsOf(event.currentTarget, 'reason');
    const asked = ask('deliveries.discard', { params: { id: of.id }, body: { reason } });
    if (await act.run(asked, () => '')) onDone('It is discarded.');
  };
  return (
    <Dialog title="Discard this delivery" onClose={onClose}>
      <form onSubmit={(event) => void onSubmit(event)}>
        <p>
          It is never judged or sent again: a {of.dataStructure ?? 'document of unknown structure'} of{' '}
          {of.bodyBytes.toLocaleString()} bytes. A newer version of its document is taken as ever.
        </p>
        <ReasonField />
        <Outcome of={act} />
        <DialogButtons does="Discard" isBusy={act.isBusy} isDanger onClose={onClose} />
      </form>
    </Dialog>
  );
}

/** What a person does about a delivery that waits for one. */
export function Acts({ of, onDone }: { readonly of: OneDelivery; readonly onDone: (words: string) => void }) {
  const mayAct = useMay('deliveries.act');
  const [open, setOpen] = useState<'replay' | 'discard' | null>(null);
  if (!mayAct || (of.state !== 'parked' && of.state !== 'quarantined')) return null;
  const props: ActProps = {
    of,
    onClose: () => setOpen(null),
    onDone: (words) => {
      setOpen(null);
      onDone(words);
    },
  };
  return (
    <div className="row">
      {of.hasBody ? (
        <button
          type="button"
          className={isUndecided(of.state, of.reason) ? 'plain' : undefined}
          onClick={() => setOpen('replay')}
        >
          Judge again …
        </button>
      ) : null}
      <button type="button" className="plain risky" onClick={() => setOpen('discard')}>
        Discard …
      </button>
      {open === 'replay' ? <Replay {...props} /> : null}
      {open === 'discard' ? <Discard {...props} /> : null}
    </div>
  );
}
