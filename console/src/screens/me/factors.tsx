import { useState, type SyntheticEvent } from 'react';
import { ask, rememberCsrf, type Reply, type ValueOf } from '../../api/ask.ts';
import { useReadSession, useSession, type SessionView } from '../../api/session.tsx';
import { Outcome, useAct } from '../../ui/act.tsx';
import { Confirm } from '../../ui/confirm.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Field, textsOf } from '../../ui/field.tsx';
import { Table, type Column } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { FACTORS } from '../../words/factors.ts';

type Factor = SessionView['factors'][number];

/** A session that has proved more has another token. */
function opened<T extends { readonly csrf: string }>(reply: Reply<T>): Reply<T> {
  if (reply.kind === 'done') rememberCsrf(reply.value.csrf);
  return reply;
}

function AddTotp({ onDone }: { readonly onDone: () => void }) {
  const [shown, setShown] = useState<ValueOf<'session.newTotp'> | null>(null);
  const act = useAct();
  const begin = (): Promise<boolean> =>
    act.run(ask('session.newTotp'), (value) => {
      setShown(value);
      return '';
    });
  const onSubmit = async (event: SyntheticEvent<HTMLFormElement>): Promise<void> => {
    event.preventDefault();
    const { code, label } = textsOf(event.currentTarget, 'code', 'label');
    const body = { code, ...(label === '' ? {} : { label }) };
    const done = await act.run(ask('session.addTotp', { body }).then(opened), () => 'The app is added.');
    if (!done) return;
    setShown(null);
    onDone();
  };
  return (
    <>
      <button type="button" disabled={act.isBusy} onClick={() => void begin()}>
        Add an authenticator app …
      </button>
      {shown === null ? (
        act.said?.isGood === false ? (
          <Outcome of={act} />
        ) : null
      ) : (
        <Dialog title="Add an authenticator app" onClose={() => setShown(null)}>
          <ol className="set-up">
            <li>
              Scan this with the app.
              <img className="qr" src={shown.qr} alt="The code for the authenticator app" width={192} height={192} />
              <details>
                <summary>Or type it in</summary>
                <code>{shown.secret}</code>
              </details>
            </li>
            <li>
              Give the six digits that it shows now.
              <form onSubmit={(event) => void onSubmit(event)}>
                <Field
                  label="Code of six digits"
                  name="code"
                  required
                  inputMode="numeric"
                  autoComplete="one-time-code"
                  pattern="[0-9]{6}"
                />
                <Field label="What to call it" name="label" maxLength={60} placeholder="My phone" />
                <Outcome of={act} />
                <div className="row">
                  <button type="submit" disabled={act.isBusy}>
                    Add
                  </button>
                  <button type="button" className="plain" onClick={() => setShown(null)}>
                    Leave it
                  </button>
                </div>
              </form>
            </li>
          </ol>
        </Dialog>
      )}
    </>
  );
}

function AddPasskey({ onDone }: { readonly onDone: () => void }) {
  const act = useAct();
  const refused = (message: string): Reply<never> => ({
    kind: 'refused',
    refusal: { code: null, message, problem: {} },
  });
  async function add(): Promise<Reply<ValueOf<'session.addPasskey'>>> {
    const asked = await ask('session.newPasskey');
    if (asked.kind === 'refused') return asked;
    try {
      const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(
        asked.value as PublicKeyCredentialCreationOptionsJSON,
      );
      const made = (await navigator.credentials.create({ publicKey })) as PublicKeyCredential | null;
      if (made === null) return refused('No passkey was made.');
      return opened(await ask('session.addPasskey', { body: { response: made.toJSON() } }));
    } catch {
      return refused('The browser made no passkey. Try again, or use an authenticator app.');
    }
  }
  const run = async (): Promise<void> => {
    if (await act.run(add(), () => 'The passkey is added.')) onDone();
  };
  return (
    <>
      <button type="button" className="plain" disabled={act.isBusy} onClick={() => void run()}>
        Add a passkey …
      </button>
      {act.said === null ? null : <Outcome of={act} />}
    </>
  );
}

/** What proves who I am beside the password. */
export function MyFactors() {
  const { factors, signsInBy } = useSession();
  const readSession = useReadSession();
  const columns: readonly Column<Factor>[] = [
    { name: 'Factor', show: ({ label, kind }) => label || FACTORS[kind] },
    { name: 'Kind', show: ({ kind }) => FACTORS[kind] },
    { name: 'Added', show: ({ madeAt }) => <Time at={madeAt} /> },
    { name: 'Last used', show: ({ usedAt }) => <Time at={usedAt} /> },
    {
      name: 'Acts',
      show: ({ id, label, kind }) => (
        <Confirm
          label="Remove …"
          title={`Remove ${label || FACTORS[kind]}?`}
          act={{
            words: 'Remove',
            run: (act) => act.run(ask('session.removeFactor', { params: { id } }), () => 'It is removed.'),
          }}
          onDone={readSession}
        >
          <p>It proves nothing from now on. The last one stays where your roles ask for a second factor.</p>
        </Confirm>
      ),
    },
  ];
  return (
    <section className="card" aria-labelledby="factors">
      <h2 id="factors">Second factors</h2>
      {signsInBy === 'provider' ? (
        <p>You sign in at the hospital’s identity provider, and prove yourself there.</p>
      ) : (
        <>
          {factors.length === 0 ? (
            <p>You have none: acts that ask for a second proof ask for your password.</p>
          ) : (
            <Table caption="What proves who I am" rows={factors} columns={columns} keyOf={({ id }) => id} />
          )}
          <div className="row">
            <AddTotp onDone={readSession} />
            <AddPasskey onDone={readSession} />
          </div>
        </>
      )}
    </section>
  );
}
