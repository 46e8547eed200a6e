import { useState, type SyntheticEvent } from 'react';
import { useLocation } from 'wouter';
import { ask, type ValueOf } from '../../api/ask.ts';
import { useMay } from '../../api/session.tsx';
import { Outcome, useAct } from '../../ui/act.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { DialogButtons } from '../../ui/dialog-buttons.tsx';
import { Field, textsOf } from '../../ui/field.tsx';
import { ReasonField } from '../../ui/reason-field.tsx';
import { deliveriesOf, patientsOf } from '../../words/parts.ts';
import type { Group } from './group.tsx';

/** Of a group those alone that wait for one word, or that are of one user. */
export interface GroupPart {
  /** What they have in common. */
  readonly about: string;
  readonly filter: { readonly word: string } | { readonly user_id: string };
}

type Act = 'replay' | 'discard';
type Preview = ValueOf<'jobs.preview'>;

const TITLES = { replay: 'Judge all of them again', discard: 'Discard all of them' } as const;
const EXPLAINED = {
  replay: 'Each is judged from its stored bytes, by the mapping data and links of now. Nothing is approved by it.',
  discard: 'None of them is ever judged or sent again. The audit keeps your name and the reason.',
} as const;

/** A moment in the viewer's zone, as the API wants it. */
const instantOf = (local: string): string | undefined => (local === '' ? undefined : new Date(local).toISOString());

function sentenceOf({ act, deliveries: { count, isExact }, patients, ofNobody }: Preview): string {
  const nobody = ofNobody === 0 ? '' : `, ${ofNobody.toLocaleString()} of them of nobody known`;
  const verb = act === 'replay' ? 'judge again' : 'discard';
  return `Would ${verb} ${isExact ? '' : 'more than '}${deliveriesOf(count)} of ${patientsOf(patients)}${nobody}.`;
}

function Start({ preview, onBack }: { readonly preview: Preview; readonly onBack: () => void }) {
  const [, navigate] = useLocation();
  const act = useAct();
  const { id, deliveries } = preview;
  const start = async (): Promise<void> => {
    if (id === null) return;
    const body = { preview: id, confirm: deliveries.count };
    if (await act.run(ask('jobs.start', { body }), () => 'Started.')) navigate(`/jobs/${id}`);
  };
  return (
    <>
      <p className="note" role="status">
        {sentenceOf(preview)}
      </p>
      {id === null ? (
        <p>
          {deliveries.isExact
            ? 'There is nothing to move any more.'
            : 'That is too many for one job: choose a shorter time, and make several jobs.'}
        </p>
      ) : (
        <p className="small quiet">The job is about these deliveries and no other. It can be stopped.</p>
      )}
      <Outcome of={act} />
      <div className="row">
        {id === null ? null : (
          <button
            type="button"
            className={preview.act === 'discard' ? 'danger' : undefined}
            disabled={act.isBusy}
            onClick={() => void start()}
          >
            {preview.act === 'discard' ? `Discard ${deliveriesOf(deliveries.count)}` : 'Start'}
          </button>
        )}
        <button type="button" className="plain" onClick={onBack}>
          Back
        </button>
      </div>
    </>
  );
}

/** The two acts on all of a group, or of a part of it. */
export function BulkActs({
  group,
  part,
  isFirst = false,
}: {
  readonly group: Group;
  readonly part?: GroupPart;
  /** Judging again is what solves it. */
  readonly isFirst?: boolean;
}) {
  const mayAct = useMay('deliveries.act');
  const [open, setOpen] = useState<Act | null>(null);
  const all = part === undefined ? ' all' : '';
  if (!mayAct) return null;
  return (
    <>
      <button type="button" className={isFirst ? undefined : 'plain'} onClick={() => setOpen('replay')}>
        Judge{all} again …
      </button>
      <button type="button" className="plain risky" onClick={() => setOpen('discard')}>
        Discard{all} …
      </button>
      {open === null ? null : <BulkAct group={group} part={part} act={open} onClose={() => setOpen(null)} />}
    </>
  );
}

/** First what it would move, then a job that moves just that. */
function BulkAct({
  group,
  part,
  act,
  onClose,
}: {
  readonly group: Group;
  readonly part?: GroupPart | undefined;
  readonly act: Act;
  readonly onClose: () => void;
}) {
  const asking = useAct();
  const [preview, setPreview] = useState<Preview | null>(null);
  const onSubmit = async (event: SyntheticEvent<HTMLFormElement>): Promise<void> => {
    event.preventDefault();
    const { reason, from, to } = textsOf(event.currentTarget, 'reason', 'from', 'to');
    const filter = {
      state: group.state,
      reason: group.reason,
      ...(group.faultCode === null ? {} : { fault: group.faultCode }),
      ...part?.filter,
      ...(from === '' ? {} : { received_from: instantOf(from) }),
      ...(to === '' ? {} : { received_to: instantOf(to) }),
    };
    const body = { act, filter, ...(act === 'discard' ? { reason } : {}) };
    const reply = ask('jobs.preview', { body });
    if (!(await asking.run(reply, () => ''))) return;
    const found = await reply;
    if (found.kind === 'done') setPreview(found.value);
  };
  return (
    <Dialog title={TITLES[act]} onClose={onClose}>
      {preview === null ? (
        <form onSubmit={(event) => void onSubmit(event)}>
          {part === undefined ? null : <p>{part.about}</p>}
          <p>{EXPLAINED[act]}</p>
          {act === 'discard' ? <ReasonField /> : null}
          <details className="narrow">
            <summary>Only some of them</summary>
            <div className="row">
              <Field label="Received from" name="from" type="datetime-local" />
              <Field label="Received before" name="to" type="datetime-local" />
            </div>
          </details>
          <Outcome of={asking} />
          <DialogButtons does="Preview" isBusy={asking.isBusy} onClose={onClose} />
        </form>
      ) : (
        <Start preview={preview} onBack={() => setPreview(null)} />
      )}
    </Dialog>
  );
}
