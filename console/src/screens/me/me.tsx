import type { SyntheticEvent } from 'react';
import { ask, type Reply } from '../../api/ask.ts';
import { useSession } from '../../api/session.tsx';
import { useAsk } from '../../api/use-ask.ts';
import { Outcome, Recorded, useAct } from '../../ui/act.tsx';
import { Confirm } from '../../ui/confirm.tsx';
import { CopyAs } from '../../ui/copy-as.tsx';
import { Field, textsOf } from '../../ui/field.tsx';
import { Screen } from '../../ui/screen.tsx';
import { Time } from '../../ui/time.tsx';
import { roleName, roleWords } from '../../words/roles.ts';
import { SessionTable } from '../operators/sessions.tsx';
import { MyFactors } from './factors.tsx';

function Who() {
  const { name, displayName, roles, expiresAt } = useSession();
  const act = useAct();
  const signOut = async (): Promise<void> => {
    if (await act.run(ask('session.signOut'), () => 'Signed out.')) location.assign('/operator/sign-in');
  };
  return (
    <section className="card" aria-labelledby="who">
      <div className="between">
        <h2 id="who">
          {displayName} <span className="quiet">({name})</span>
        </h2>
        <button type="button" className="plain" disabled={act.isBusy} onClick={() => void signOut()}>
          Sign out
        </button>
      </div>
      <dl className="facts">
        {roles.map((role) => (
          <div className="contents" key={role}>
            <dt>{roleName(role)}</dt>
            <dd>{roleWords(role)}</dd>
          </div>
        ))}
        <dt>This session ends</dt>
        <dd>
          <Time at={expiresAt} />, or when you sign out; it locks after 15 minutes without you
        </dd>
      </dl>
      {act.said?.isGood === false ? <Outcome of={act} /> : null}
    </section>
  );
}

function MySessions() {
  const { id: own } = useSession();
  const sessions = useAsk('session.list', undefined, { everyMs: 15_000 });
  const others = sessions.value?.sessions.filter(({ operatorId, isThis }) => operatorId === own && !isThis) ?? [];
  async function endAll(): Promise<Reply<number>> {
    let last: Reply<unknown> | null = null;
    for (const { id } of others) {
      last = await ask('session.end', { params: { id } });
      // Somebody else may have ended it meanwhile.
      if (last.kind === 'refused' && last.refusal.code !== 'operator.session-not-found') return last;
    }
    return { kind: 'done', value: others.length, requestId: null, next: null };
  }
  return (
    <section className="card" aria-labelledby="mine">
      <div className="between">
        <h2 id="mine">Where I am signed in</h2>
        {others.length === 0 ? null : (
          <Confirm
            label="End all others …"
            title="End all other sessions?"
            act={{ words: 'End them', run: (act) => act.run(endAll(), (count) => `${count} ended.`) }}
            onDone={sessions.again}
          >
            <p>
              {others.length === 1 ? 'One session' : `${others.length} sessions`} elsewhere will be signed out at once.
              This one stays.
            </p>
          </Confirm>
        )}
      </div>
      <SessionTable of={sessions} which={({ operatorId }) => operatorId === own} caption="My sessions" />
    </section>
  );
}

function Password() {
  const { signsInBy } = useSession();
  const act = useAct();
  if (signsInBy === 'provider') return null;
  const onSubmit = async (event: SyntheticEvent<HTMLFormElement>): Promise<void> => {
    event.preventDefault();
    const form = event.currentTarget;
    const { current, password, again } = textsOf(form, 'current', 'password', 'again');
    const message = 'The two new passwords differ.';
    const work: Promise<Reply<unknown>> =
      password === again
        ? ask('session.setPassword', { body: { current, password } })
        : Promise.resolve({ kind: 'refused', refusal: { code: null, message, problem: {} } });
    if (await act.run(work, () => 'The password is set; your other sessions have ended.')) form.reset();
  };
  return (
    <details className="card">
      <summary>Change my password</summary>
      <form onSubmit={(event) => void onSubmit(event)}>
        <Field label="Password now" name="current" type="password" required autoComplete="current-password" />
        <Field
          label="New password"
          name="password"
          type="password"
          required
          minLength={12}
          autoComplete="new-password"
          hint="12 characters or more, not made of common words or your name. Your other sessions end."
        />
        <Field label="New password again" name="again" type="password" required autoComplete="new-password" />
        <Outcome of={act} />
        <Recorded of={act} />
        <button type="submit" disabled={act.isBusy}>
          Change it
        </button>
      </form>
    </details>
  );
}

export function Me() {
  return (
    <Screen title="My sessions" actions={<CopyAs id="session.get" />}>
      <Who />
      <MySessions />
      <MyFactors />
      <Password />
    </Screen>
  );
}
