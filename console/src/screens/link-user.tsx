import { useState, type SyntheticEvent } from 'react';
import { ask, type ValueOf } from '../api/ask.ts';
import { useHandles } from '../api/handles.ts';
import { useMay } from '../api/session.tsx';
import { useAsk } from '../api/use-ask.ts';
import { Outcome, useAct } from '../ui/act.tsx';
import { AuditLink } from '../ui/audit-link.tsx';
import { CopyAs } from '../ui/copy-as.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { DialogButtons } from '../ui/dialog-buttons.tsx';
import { Field, textsOf } from '../ui/field.tsx';
import { PatientLink } from '../ui/named.tsx';
import { Shown } from '../ui/screen.tsx';
import { State } from '../ui/state.tsx';
import { Time } from '../ui/time.tsx';
import { Charted } from './link-charted.tsx';
import { NewLink, saidOf } from './link-make.tsx';

interface OfUser {
  readonly user: string;
  readonly client: string | undefined;
}
const callOf = ({ user, client }: OfUser) => ({ params: { user_id: user }, query: { client_uuid: client } });

/** What was charted, whether it stays, why: then the link is gone. */
function Unlink({
  of,
  mrn,
  onClose,
  onDone,
}: {
  readonly of: OfUser;
  readonly mrn: string | undefined;
  readonly onClose: () => void;
  readonly onDone: () => void;
}) {
  const act = useAct();
  const charted = useAsk('links.charted', callOf(of));
  const isDone = act.said?.isGood === true;
  const onSubmit = async (event: SyntheticEvent<HTMLFormElement>): Promise<void> => {
    event.preventDefault();
    const { reason, charted: what } = textsOf(event.currentTarget, 'reason', 'charted');
    const query = { client_uuid: of.client, reason, charted: what === 'retract' ? 'retract' : 'keep' } as const;
    const revoked = ask('links.revoke', { params: { user_id: of.user }, query });
    if (await act.run(revoked, saidOf)) onDone();
  };
  const choice = (value: 'keep' | 'retract', words: string, standard: string) => (
    <label className="check">
      <input type="radio" name="charted" value={value} defaultChecked={standard === value} />
      {words}
    </label>
  );
  return (
    <Dialog title="Unlink the user" onClose={onClose}>
      {isDone ? (
        <>
          <Outcome of={act} />
          <div className="row">
            <button type="button" onClick={onClose} autoFocus>
              Close
            </button>
            {mrn === undefined ? null : (
              <AuditLink of={{ patient: mrn, type: 'link.change' }}>Its record in the audit</AuditLink>
            )}
          </div>
        </>
      ) : (
        <Shown of={charted}>
          {(value) => (
            <form onSubmit={(event) => void onSubmit(event)}>
              <Charted of={value} />
              <fieldset>
                <legend>What was written to the chart</legend>
                {choice('keep', 'stays there', value.onRevoke)}
                {choice('retract', 'is withdrawn', value.onRevoke)}
              </fieldset>
              <Field
                label="Reason"
                hint="3 to 200 letters and digits, with nothing of the patient in it"
                name="reason"
                required
                minLength={3}
                maxLength={200}
              />
              <Outcome of={act} />
              <DialogButtons does="Unlink" isBusy={act.isBusy} isDanger closes="Cancel" onClose={onClose} />
            </form>
          )}
        </Shown>
      )}
    </Dialog>
  );
}

type Change = ValueOf<'links.history'>['changes'][number];
const wordsOf = ({ from, to }: Change): string => {
  if (to === 'revoked') return 'unlinked from';
  if (to === 'proposed') return 'proposed for';
  return from === null || from === 'proposed' ? 'linked to' : 'linked again to';
};

function History({ of }: { readonly of: OfUser }) {
  const history = useAsk('links.history', callOf(of));
  const find = useHandles(history.value?.changes.map(({ mrn }) => mrn) ?? [], []);
  return (
    <Shown of={history}>
      {({ changes }) =>
        changes.length === 0 ? (
          <p>The audit has no change any more.</p>
        ) : (
          <ol className="timeline">
            {changes.map((change) => (
              <li key={`${change.at} ${change.linkId} ${change.to}`}>
                <State is={change.to} /> {wordsOf(change)} <PatientLink mrn={change.mrn} find={find} />
                <div className="small quiet">
                  <Time at={change.at} /> by {change.by}
                  {change.roles.length === 0 ? '' : ` (${change.roles.join(', ')})`}
                  {change.why === null ? '' : ` · ${change.why}`}
                </div>
              </li>
            ))}
          </ol>
        )
      }
    </Shown>
  );
}

/** One user of the source: whose they are, who said so, and how to change it. */
export function LinkedUser({ of, onDone }: { readonly of: OfUser; readonly onDone: () => void }) {
  const links = useAsk('links.get', callOf(of));
  const [isUnlinking, setUnlinking] = useState(false);
  const [turn, setTurn] = useState(0);
  const mayChange = useMay('links.change');
  const live = links.value?.links.find(({ status }) => status !== 'revoked');
  const find = useHandles(links.value?.links.map(({ mrn }) => mrn) ?? [], []);
  const again = (): void => {
    links.again();
    setTurn((n) => n + 1);
    onDone();
  };
  const command = `links history '${of.user}'${of.client === undefined ? '' : ` --client '${of.client}'`}`;
  return (
    <section className="card" aria-labelledby="one-user">
      <div className="between">
        <h2 id="one-user">This user</h2>
        <CopyAs id="links.history" call={callOf(of)} command={command} />
      </div>
      {links.refusal?.code === 'link.not-found' ? (
        <p>This user was never linked to anybody.</p>
      ) : (
        <Shown of={links}>
          {({ isSettled }) => (
            <p>
              {live === undefined ? (
                'Linked to nobody now: what arrives waits for a link.'
              ) : (
                <>
                  <State is={live.status} /> for <PatientLink mrn={live.mrn} find={find} /> since{' '}
                  <Time at={live.changedAt} />
                </>
              )}
              {isSettled ? '' : ' · deliveries are still being moved'}
            </p>
          )}
        </Shown>
      )}
      {mayChange ? (
        <>
          <h3>{live === undefined ? 'Link' : 'Link to another patient'}</h3>
          <NewLink user={of.user} client={of.client} onDone={again} />
          {live === undefined ? null : (
            <p className="apart">
              <button type="button" className="plain risky" onClick={() => setUnlinking(true)}>
                Unlink …
              </button>
            </p>
          )}
        </>
      ) : null}
      <h3>History</h3>
      <History key={turn} of={of} />
      {isUnlinking ? (
        <Unlink of={of} mrn={find('mrn', live?.mrn ?? null)} onClose={() => setUnlinking(false)} onDone={again} />
      ) : null}
    </section>
  );
}
