import { StartError } from '../kernel/index.ts';
import type { AuthStore } from './adapter.ts';

const AT_ONCE = 100;

/** Has it written down of every grant, session and token from an earlier release whose it is. */
export async function claimGrants({ tenant, store }: { readonly tenant: string; readonly store: AuthStore }) {
  for (;;) {
    const done = await store.write('auth.claim-grants', { tenant, limit: AT_ONCE });
    if (!done.ok)
      throw new StartError(done.fault.code, 'The grants of an earlier release could not be read.', done.fault.cause);
    if (done.value === 0) return;
  }
}
