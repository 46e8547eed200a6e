import { shareCalls, type Clock, type Peers } from '../kernel/index.ts';
import { makeDelayTries, type DelayTries } from './delay-tries.ts';
import { makeLimitTries, REQUESTS, SIGN_INS, type LimitTries } from './limit-tries.ts';

/** Bounds on what comes to the embedded server without a credential that is known to be right. */
export interface Tries {
  readonly limitTries: LimitTries;
  readonly delayTries: DelayTries;
  /** Of codes of a second factor, by person. */
  readonly delayCodes: DelayTries;
  readonly limitRequests: LimitTries;
}

/** What is tried at one worker counts at all of them. */
export const shareTries = (peers: Peers, clock: Clock): Tries => ({
  limitTries: shareCalls(peers, 'app-addresses', makeLimitTries(clock, SIGN_INS)),
  delayTries: shareCalls(peers, 'app-pairs', makeDelayTries(clock)),
  delayCodes: shareCalls(peers, 'app-codes', makeDelayTries(clock)),
  limitRequests: shareCalls(peers, 'app-requests', makeLimitTries(clock, REQUESTS)),
});
