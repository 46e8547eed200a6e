import { createContext, useCallback, useContext, useEffect, useState, type ReactNode } from 'react';
import { rememberCsrf } from './ask.ts';

export interface SessionView {
  readonly id: string;
  readonly sessionId: string;
  readonly kind: 'key' | 'person';
  readonly name: string;
  readonly displayName: string;
  readonly roles: readonly string[];
  readonly permissions: readonly string[];
  readonly stage: string;
  readonly csrf: string;
  readonly expiresAt: string;
  readonly signsInBy: 'password' | 'provider';
  readonly factors: readonly {
    readonly id: string;
    readonly kind: 'totp' | 'passkey';
    readonly label: string;
    readonly madeAt: string;
    readonly usedAt: string | null;
  }[];
}

const SessionContext = createContext<{ readonly session: SessionView; readonly readAgain: () => void } | null>(null);

async function readSession(): Promise<SessionView | null> {
  const answer = await fetch('/admin/api/session');
  if (!answer.ok) return null;
  const session = (await answer.json()) as SessionView;
  return session.stage === 'signed-in' ? session : null;
}

/** Shows what is inside to who has signed in, and leads everybody else to the sign-in. */
export function WithSession({ children }: { readonly children: ReactNode }) {
  const [session, setSession] = useState<SessionView | null>(null);
  const [isLost, setLost] = useState(false);
  const read = useCallback(() => {
    readSession().then(
      (found) => {
        if (found === null) {
          location.assign(`/operator/sign-in?to=${encodeURIComponent(location.pathname + location.search)}`);
          return;
        }
        rememberCsrf(found.csrf);
        setSession(found);
      },
      () => setLost(true),
    );
  }, []);
  useEffect(read, [read]);
  if (isLost) return <p role="alert">The gateway does not answer. Reload the page to try again.</p>;
  if (session === null) return <p role="status">One moment …</p>;
  return <SessionContext value={{ session, readAgain: read }}>{children}</SessionContext>;
}

function useHeld() {
  const held = useContext(SessionContext);
  if (held === null) throw new Error('there is no session here');
  return held;
}
export const useSession = (): SessionView => useHeld().session;
/** After a change of one's own: other second factors are asked for from then on. */
export const useReadSession = (): (() => void) => useHeld().readAgain;

/** What a role may not do is not offered; the API refuses it all the same. */
export const useMay = (permission: string): boolean => useSession().permissions.includes(permission);
