import { useEffect, useState, type SyntheticEvent } from 'react';
import { Dialog } from '../ui/dialog.tsx';
import { csrfNow, onProofNeeded, rememberCsrf } from './ask.ts';
import { useSession } from './session.tsx';

async function post(path: string, body: unknown): Promise<Record<string, unknown>> {
  const answer = await fetch(`/admin/api/session/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-chartgate-csrf': csrfNow() },
    body: JSON.stringify(body),
  });
  const said = (await answer.json()) as Record<string, unknown>;
  if (!answer.ok)
    throw new Error(typeof said['detail'] === 'string' ? said['detail'] : 'That does not fit. Try again.');
  return said;
}

/** Asks for the second proof when an act needs one, and lets the act go on. */
export function ProofDialog() {
  const session = useSession();
  const [waiting, setWaiting] = useState<{ readonly end: (isGiven: boolean) => void } | null>(null);
  const [wrong, setWrong] = useState('');
  useEffect(() => {
    onProofNeeded(() => new Promise<boolean>((end) => setWaiting({ end })));
  }, []);
  if (waiting === null) return null;
  const kinds = session.factors.map(({ kind }) => kind);
  const end = (isGiven: boolean): void => {
    setWrong('');
    setWaiting(null);
    waiting.end(isGiven);
  };
  const attempt = async (work: () => Promise<Record<string, unknown>>): Promise<void> => {
    try {
      const { csrf: next } = await work();
      if (typeof next === 'string') rememberCsrf(next);
      end(true);
    } catch (thrown) {
      setWrong(thrown instanceof Error ? thrown.message : 'That does not fit. Try again.');
    }
  };
  const byPasskey = async (): Promise<Record<string, unknown>> => {
    const options = PublicKeyCredential.parseRequestOptionsFromJSON(
      (await post('passkey', {})) as unknown as PublicKeyCredentialRequestOptionsJSON,
    );
    const made = (await navigator.credentials.get({ publicKey: options })) as PublicKeyCredential | null;
    if (made === null) throw new Error('No passkey was given.');
    return post('passkey/finish', { response: made.toJSON() as unknown });
  };
  const onSubmit = (event: SyntheticEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const given = new FormData(event.currentTarget).get('proof');
    const isCode = kinds.includes('totp');
    void attempt(() => post('proof', isCode ? { code: given } : { password: given }));
  };
  return (
    <Dialog title="Prove that it is you" onClose={() => end(false)}>
      {wrong === '' ? null : (
        <p className="bad" role="alert">
          {wrong}
        </p>
      )}
      {kinds.includes('totp') || kinds.length === 0 ? (
        <form onSubmit={onSubmit}>
          <label htmlFor="proof">{kinds.includes('totp') ? 'Code of six digits' : 'Password'}</label>
          <input
            id="proof"
            name="proof"
            type={kinds.includes('totp') ? 'text' : 'password'}
            inputMode={kinds.includes('totp') ? 'numeric' : undefined}
            autoComplete={kinds.includes('totp') ? 'one-time-code' : 'current-password'}
            required
            autoFocus
          />
          <p />
          <button type="submit">Go on</button>
        </form>
      ) : null}
      {kinds.includes('passkey') ? (
        <p>
          <button type="button" onClick={() => void attempt(byPasskey)}>
            Use a passkey
          </button>
        </p>
      ) : null}
    </Dialog>
  );
}
