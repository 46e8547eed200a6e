import { useState, type SyntheticEvent } from 'react';
import { ask, type ValueOf } from '../../api/ask.ts';
import { Outcome, Recorded, useAct } from '../../ui/act.tsx';
import { Field, textsOf } from '../../ui/field.tsx';
import { Pick } from '../../ui/pick.tsx';
import { Time } from '../../ui/time.tsx';
import type { App } from './app-form.tsx';

/** Begins an EHR launch as an EHR would, to try an app. What is typed of a patient stays in the page. */
export function TestLaunch({ apps }: { readonly apps: readonly App[] }) {
  const [clientId, setClientId] = useState<string | undefined>(apps[0]?.id);
  const [made, setMade] = useState<ValueOf<'apps.launch'> | null>(null);
  const act = useAct();
  const onSubmit = async (event: SyntheticEvent<HTMLFormElement>): Promise<void> => {
    event.preventDefault();
    const { mrn, encounter } = textsOf(event.currentTarget, 'mrn', 'encounter');
    setMade(null);
    const body = { mrn, ...(clientId === undefined ? {} : { clientId }), ...(encounter === '' ? {} : { encounter }) };
    await act.run(ask('apps.launch', { body }), (value) => {
      setMade(value);
      return 'The launch is ready.';
    });
  };
  return (
    <section className="card" aria-labelledby="launch">
      <h2 id="launch">Launch an app for testing</h2>
      <p>
        The EHR does this when a clinician opens an app beside a patient. Here you do it yourself: the app opens, you
        sign in as a clinician, and see what the app sees.
      </p>
      <form onSubmit={(event) => void onSubmit(event)}>
        <Pick
          label="App"
          value={clientId}
          of={apps.map(({ id, name }) => [id, name] as const)}
          any="Any app"
          onChange={setClientId}
        />
        <Field label="Medical record number" name="mrn" required maxLength={64} />
        <Field label="Encounter" name="encounter" maxLength={64} hint="Its id at the EHR, where the app wants one." />
        <Outcome of={act} />
        {made === null ? null : (
          <div className="note">
            {made.url === null ? (
              <>
                <p>
                  The app has no launch address. Give it these two, until <Time at={made.expiresAt} />:
                </p>
                <dl className="facts">
                  <dt>iss</dt>
                  <dd>
                    <code>{made.iss}</code>
                  </dd>
                  <dt>launch</dt>
                  <dd>
                    <code>{made.launch}</code>
                  </dd>
                </dl>
              </>
            ) : (
              <p>
                <a href={made.url} target="_blank" rel="noreferrer">
                  Open the app
                </a>{' '}
                — once, until <Time at={made.expiresAt} />.
              </p>
            )}
          </div>
        )}
        <Recorded of={act} />
        <button type="submit" disabled={act.isBusy}>
          Begin a launch
        </button>
      </form>
    </section>
  );
}
