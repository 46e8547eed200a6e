import { useState, type SyntheticEvent } from 'react';
import { ask, type ValueOf } from '../api/ask.ts';
import { handleOf } from '../api/handles.ts';
import { useAsk } from '../api/use-ask.ts';
import { Outcome, useAct } from '../ui/act.tsx';
import { AuditLink } from '../ui/audit-link.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Field, textsOf } from '../ui/field.tsx';
import { Shown } from '../ui/screen.tsx';
import { Charted } from './link-charted.tsx';
import { PatientPreview } from './link-preview.tsx';

type Made = ValueOf<'links.put'>;
const counted = (n: number, one: string, many: string): string => `${n.toLocaleString()} ${n === 1 ? one : many}`;

/** What became of a user's deliveries, in a sentence. */
export function saidOf({ change, released, requeued, retracting, unrepeatable, isSettled }: Made): string {
  const done = {
    proposed: 'The link is proposed.',
    confirmed: 'The link is confirmed.',
    changed: 'The link was changed.',
    revoked: 'The link is revoked.',
    unchanged: 'The link was like that already.',
  }[change];
  return [
    done,
    `${counted(released, 'delivery goes', 'deliveries go')} on,`,
    `${counted(requeued, 'is', 'are')} written again, ${counted(retracting, 'leaves', 'leave')} the chart they stood in.`,
    unrepeatable === 0 ? '' : `Of ${unrepeatable} the bytes are gone: the source must send them again.`,
    isSettled ? '' : 'Some are still being moved.',
  ]
    .filter((one) => one !== '')
    .join(' ');
}

interface Wanted {
  readonly user: string;
  readonly client?: string | undefined;
  readonly mrn: string;
  readonly evidence: string;
}

/** What re-linking moves: the user has a confirmed link to somebody else. */
function WhatMoves({ wanted }: { readonly wanted: Wanted }) {
  const call = { params: { user_id: wanted.user }, query: { client_uuid: wanted.client } };
  const links = useAsk('links.get', call);
  const live = links.value?.links.find(({ status }) => status === 'confirmed');
  const charted = useAsk('links.charted', call, { isWanted: live !== undefined });
  if (links.refusal?.code === 'link.not-found') return <p className="small quiet">The user was never linked before.</p>;
  return (
    <Shown of={links}>
      {() =>
        live === undefined ? (
          <p className="small quiet">The user has no confirmed link now.</p>
        ) : (
          <>
            <p className="note warn">
              The user is linked to MRN <strong>{live.mrn}</strong> now. What was written there because of them is taken
              out and written for the other patient.
            </p>
            <Shown of={charted}>{(value) => <Charted of={value} />}</Shown>
          </>
        )
      }
    </Shown>
  );
}

/** Whom the link would be to, what it would move, and only then the button that makes it. */
function ConfirmLink({
  wanted,
  onClose,
  onDone,
}: {
  readonly wanted: Wanted;
  readonly onClose: () => void;
  readonly onDone: () => void;
}) {
  const act = useAct();
  const preview = useAsk('links.preview', { params: { mrn: wanted.mrn } });
  const isRight = preview.value?.found === 'one';
  const isDone = act.said?.isGood === true;
  const confirm = async (status: 'confirmed' | 'proposed'): Promise<void> => {
    const { user, client, mrn, evidence } = wanted;
    const body = {
      mrn,
      status,
      ...(evidence === '' ? {} : { evidence }),
      ...(client === undefined ? {} : { client_uuid: client }),
    };
    if (await act.run(ask('links.put', { params: { user_id: user }, body }), saidOf)) onDone();
  };
  return (
    <Dialog title="Is this the right patient?" onClose={onClose}>
      <Shown of={preview}>{(value) => <PatientPreview of={value} />}</Shown>
      {isDone ? null : <WhatMoves wanted={wanted} />}
      <Outcome of={act} />
      {isDone ? (
        <div className="row">
          <button type="button" onClick={onClose} autoFocus>
            Close
          </button>
          <AuditLink of={{ patient: wanted.mrn, type: 'link.change' }}>Its record in the audit</AuditLink>
        </div>
      ) : (
        <div className="row">
          <button type="button" disabled={act.isBusy || !isRight} onClick={() => void confirm('confirmed')}>
            Yes, link
          </button>
          <button type="button" className="plain" disabled={act.isBusy} onClick={() => void confirm('proposed')}>
            Only propose
          </button>
          <button type="button" className="plain" onClick={onClose}>
            Cancel
          </button>
        </div>
      )}
    </Dialog>
  );
}

/** Asks for a user (unless it is known) and an MRN; both leave this form as handles. */
export function NewLink({
  user,
  client,
  onDone,
}: {
  readonly user?: string;
  readonly client?: string | undefined;
  readonly onDone: () => void;
}) {
  const act = useAct();
  const [wanted, setWanted] = useState<Wanted | null>(null);
  const onSubmit = async (event: SyntheticEvent<HTMLFormElement>): Promise<void> => {
    event.preventDefault();
    const typed = textsOf(event.currentTarget, 'user', 'mrn', 'evidence');
    const makeUser =
      user === undefined ? handleOf('user', typed.user) : Promise.resolve({ kind: 'done', value: user } as const);
    const [ofUser, ofMrn] = await Promise.all([makeUser, handleOf('mrn', typed.mrn)]);
    const refused = [ofUser, ofMrn].find(({ kind }) => kind === 'refused');
    if (refused !== undefined) return void act.run(Promise.resolve(refused), () => '');
    if (ofUser.kind === 'done' && ofMrn.kind === 'done')
      setWanted({ user: ofUser.value, client, mrn: ofMrn.value, evidence: typed.evidence });
  };
  return (
    <form
      className="row"
      aria-label={user === undefined ? 'Link a user' : 'Link to another patient'}
      onSubmit={(event) => void onSubmit(event)}
    >
      {user === undefined ? <Field label="User of the source" name="user" required maxLength={600} /> : null}
      <Field label="Medical record number" name="mrn" required maxLength={600} />
      <Field label="How it is known (optional)" name="evidence" maxLength={200} />
      <button type="submit" disabled={act.isBusy}>
        Look up …
      </button>
      {act.said === null ? null : <Outcome of={act} />}
      {wanted === null ? null : <ConfirmLink wanted={wanted} onClose={() => setWanted(null)} onDone={onDone} />}
    </form>
  );
}
