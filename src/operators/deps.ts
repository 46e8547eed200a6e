import type { Chance, Clock, NewId, Peers, Secret } from '../kernel/index.ts';
import type { Operate } from '../store/index.ts';
import type { OperatorReads, OperatorWrites } from './commands.ts';
import type { FactorPolicy } from './decide-caller.ts';

export type OperatorStore = Operate<OperatorWrites, OperatorReads>;

/** What everything here is made of. */
export interface OperatorDeps {
  readonly tenant: string;
  /** How browsers reach us: whose origin a change must come from, and whom a passkey is for. */
  readonly publicUrl: string;
  readonly policy: FactorPolicy;
  readonly adminToken: Secret | null;
  readonly pseudonymKey: Uint8Array;
  readonly store: OperatorStore;
  /** Told of tries that were not looked at: they are summed up in the audit. */
  readonly deny: (refused: {
    readonly requestId: string;
    readonly why: string;
    readonly remoteAddress: string;
  }) => void;
  /** Told of wrong tries, which count at all of them. */
  readonly peers: Peers;
  readonly newId: NewId;
  readonly chance: Chance;
  readonly clock: Clock;
  /** The time, which goes on even where the wall clock is set back. */
  readonly now: () => Date;
}

/** 256 bits, in letters that a cookie, a header and a fragment of an address can carry. */
export const newSecret = (chance: Chance): string => Buffer.from(chance(32)).toString('base64url');
export const SECRET = /^[A-Za-z0-9_-]{43}$/;
