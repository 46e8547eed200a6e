import type { IncomingMessage } from 'node:http';
import { fail, fault, ok, type Result } from '../kernel/index.ts';
import type { Authenticated, Held, Identify } from './authenticate.ts';
import { checkSameOrigin } from './check-csrf.ts';
import { checkPresent } from './decide-caller.ts';

/**
 * How far somebody must have come to ask something of their own session. `page`: nobody has signed in yet, and the
 * request comes from our own page. `caller`: anybody with a session or a key. The others are of sessions alone:
 * `session` in any stage; `unlocked`: where the password need not be given first; `enrolling`: signed in, or about to
 * add the second factor that is asked for; `present`: signed in to the end.
 */
export type Presence = 'page' | 'caller' | 'session' | 'unlocked' | 'enrolling' | 'present';

/** Who was let in. */
export type Admitted<P extends Presence> = P extends 'page'
  ? null
  : P extends 'caller'
    ? Authenticated
    : Authenticated & { readonly held: Held };

function checkStage(presence: Presence, { caller }: Authenticated): Result<null> {
  const present = checkPresent(caller);
  switch (presence) {
    case 'page':
    case 'caller':
    case 'session':
      return ok(null);
    case 'unlocked':
      return caller.stage === 'locked' ? present : ok(null);
    case 'enrolling':
      return caller.stage === 'enrol' ? ok(null) : present;
    case 'present':
      return present;
  }
}

/** Lets people in to what they do with their own session. A key has none. */
export function makeAdmit(deps: { readonly publicUrl: string; readonly identify: Identify }) {
  return async <P extends Presence>(presence: P, request: IncomingMessage): Promise<Result<Admitted<P>>> => {
    if (presence === 'page') {
      const same = checkSameOrigin(request, deps.publicUrl);
      return same.ok ? ok(null as Admitted<P>) : same;
    }
    const found = await deps.identify(request);
    if (!found.ok) return found;
    if (presence !== 'caller' && found.value.held === null) return fail(fault('admin.forbidden', { at: 'session' }));
    const stage = checkStage(presence, found.value);
    return stage.ok ? ok(found.value as Admitted<P>) : stage;
  };
}
export type Admit = ReturnType<typeof makeAdmit>;
