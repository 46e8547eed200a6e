import { makeCheckPassword, makeDelayTries, makeLimitTries, SIGN_INS, type PasswordHash } from '../auth/index.ts';
import { fail, fault, ok, shareCalls, type Result } from '../kernel/index.ts';
import type { Visit } from './draft-audit.ts';
import type { OperatorDeps } from './deps.ts';

/**
 * Bounds on guessing. Passwords: by address, and by pair of address and name, so that nobody keeps the owner of an
 * account out; a name that nobody has is treated alike. Codes: by person, since who guesses them has the password
 * already.
 */
export function makeGuardTries(deps: Pick<OperatorDeps, 'peers' | 'clock' | 'deny'>) {
  const { peers, clock } = deps;
  const addresses = shareCalls(peers, 'operator-addresses', makeLimitTries(clock, SIGN_INS));
  const pairs = shareCalls(peers, 'operator-pairs', makeDelayTries(clock));
  const codes = shareCalls(peers, 'operator-codes', makeDelayTries(clock));
  const checkPassword = makeCheckPassword();

  const refuse = ({ requestId, address }: Visit, why: string) => {
    deps.deny({ requestId, why, remoteAddress: address });
    return fail(fault('operator.too-many'));
  };

  return {
    /** Whether the password is right. Takes as long where there is none to compare with. */
    async password(
      visit: Visit,
      name: string,
      password: string,
      known: () => Promise<Result<PasswordHash | null>>,
    ): Promise<Result<boolean>> {
      const { address } = visit;
      if (!addresses.take(address)) return refuse(visit, 'operator-sign-in:too-many-tries');
      if (!pairs.take(address, name, 0)) return refuse(visit, 'operator-sign-in:wait');
      const hash = await known();
      const isRight = hash.ok ? await checkPassword(password, hash.value) : null;
      if (isRight !== false) addresses.giveBack(address);
      if (isRight === null) {
        pairs.giveBack(address, name);
        return hash.ok ? fail(fault('operator.too-many')) : hash;
      }
      if (isRight) pairs.forget(address, name);
      return ok(isRight);
    },
    /** Runs what looks at a code or a passkey's answer; a wrong one counts for the person. */
    async code<T>(visit: Visit, operatorId: string, look: () => Promise<T | null>): Promise<Result<T | null>> {
      if (!codes.take('', operatorId, 0)) return refuse(visit, 'operator-code:wait');
      const found = await look();
      if (found !== null) codes.forget('', operatorId);
      return ok(found);
    },
  };
}
export type GuardTries = ReturnType<typeof makeGuardTries>;
