import { useState, type SyntheticEvent } from 'react';
import { ask, type ValueOf } from '../../api/ask.ts';
import { Outcome, useAct } from '../../ui/act.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Field, textsOf } from '../../ui/field.tsx';
import { deliveriesOf } from '../../words/parts.ts';

type Preview = ValueOf<'links.preview'>;
const NOT_ONE: Readonly<Record<Exclude<Preview['found'], 'one'>, string>> = {
  none: 'The EHR has no patient with this MRN. Register the patient there first, or correct the MRN.',
  several: 'Several patients of the EHR have this MRN. Merge them there first.',
  inactive: 'The patient with this MRN is not active at the EHR.',
  merged: 'The record with this MRN was merged into one that cannot be found.',
  unverified: 'The EHR answered with a patient who does not carry this MRN.',
};

function Person({ of: { found, patient, linkedUsers } }: { readonly of: Preview }) {
  if (found !== 'one' || patient === null)
    return <p className="note warn">{found === 'one' ? 'The EHR tells nothing of the patient.' : NOT_ONE[found]}</p>;
  return (
    <>
      <dl className="facts">
        <dt>Name</dt>
        <dd>{patient.name ?? 'not given'}</dd>
        <dt>Born</dt>
        <dd>{patient.birthDate ?? 'not given'}</dd>
        <dt>Gender</dt>
        <dd>{patient.gender ?? 'not given'}</dd>
      </dl>
      {patient.isDeceased ? <p className="note warn">The EHR says that this patient has died.</p> : null}
      {patient.isMerged ? <p className="note warn">The MRN is of a record that was merged into this one.</p> : null}
      {linkedUsers === 0 ? null : (
        <p className="note warn">
          {linkedUsers === 1 ? 'Another user is' : `${linkedUsers} users are`} linked to this patient already.
        </p>
      )}
    </>
  );
}

/** Whom the EHR has under an MRN, and then the link: what is typed stays in the page. */
export function LinkUser({
  user,
  waiting,
  onClose,
  onDone,
}: {
  readonly user: string;
  readonly waiting: number;
  readonly onClose: () => void;
  readonly onDone: (words: string) => void;
}) {
  const looking = useAct();
  const linking = useAct();
  const [seen, setSeen] = useState<{ readonly mrn: string; readonly preview: Preview } | null>(null);
  const onSubmit = async (event: SyntheticEvent<HTMLFormElement>): Promise<void> => {
    event.preventDefault();
    const { mrn } = textsOf(event.currentTarget, 'mrn');
    setSeen(null);
    const asked = ask('links.preview', { params: { mrn } });
    if (!(await looking.run(asked, () => ''))) return;
    const reply = await asked;
    if (reply.kind === 'done') setSeen({ mrn, preview: reply.value });
  };
  const onConfirm = async (event: SyntheticEvent<HTMLFormElement>): Promise<void> => {
    event.preventDefault();
    if (seen === null) return;
    const { evidence } = textsOf(event.currentTarget, 'evidence');
    const body = { mrn: seen.mrn, ...(evidence === '' ? {} : { evidence }) };
    const asked = ask('links.put', { params: { user_id: user }, body });
    if (!(await linking.run(asked, () => ''))) return;
    const reply = await asked;
    if (reply.kind === 'done') onDone(`Linked. ${deliveriesOf(reply.value.released)} that waited go on.`);
  };
  return (
    <Dialog title="Link the user to a patient" onClose={onClose}>
      <p>
        User <code>{user}</code> of the source; {deliveriesOf(waiting)} wait.
      </p>
      <form onSubmit={(event) => void onSubmit(event)}>
        <Field label="Medical record number" name="mrn" required autoFocus onInput={() => setSeen(null)} />
        <div className="row">
          <button type="submit" className="plain" disabled={looking.isBusy}>
            Look at the EHR
          </button>
          <button type="button" className="plain" onClick={onClose}>
            Leave it
          </button>
        </div>
      </form>
      <Outcome of={looking} />
      {seen === null ? null : (
        <section aria-label="The patient at the EHR">
          <Person of={seen.preview} />
          {seen.preview.found === 'one' ? (
            <form onSubmit={(event) => void onConfirm(event)}>
              <Field label="How it is known (optional)" name="evidence" maxLength={200} />
              <button type="submit" disabled={linking.isBusy}>
                It is this patient: link
              </button>
            </form>
          ) : null}
        </section>
      )}
      <Outcome of={linking} />
    </Dialog>
  );
}
