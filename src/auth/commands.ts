import type { AuditDraft } from '../audit/index.ts';
import { fileBeside } from '../kernel/index.ts';
import type { CommandSet } from '../store/index.ts';
import type { Account, PasswordHash, ShownAccount, StoredAccount } from './account.ts';
import type { Client, RegisteredClient } from './client.ts';
import type { GrantEnd } from './grant.ts';

/**
 * What ends by itself: tokens, codes, grants, sessions, interactions, launches, and the ids of assertions that were
 * used.
 */
export interface RecordKey {
  readonly tenant: string;
  readonly kind: string;
  readonly id: string;
}

export interface RecordToPut extends RecordKey {
  readonly payload: unknown;
  readonly grantId: string | null;
  readonly uid: string | null;
  readonly expiresAt: Date;
  readonly at: Date;
  /** `first` leaves a record alone that is there, and says so. */
  readonly as: 'replacement' | 'first';
}

export interface FoundRecord {
  readonly payload: unknown;
  readonly consumedAt: number | null;
}

/** A token with everything that must still be there for it to mean something. */
export interface FoundToken {
  readonly kind: 'AccessToken' | 'ClientCredentials';
  readonly tokenId: string;
  readonly payload: unknown;
  readonly client: Client;
  /** What is written down to have been used, and when that was last done. */
  readonly use: { readonly id: string; readonly usedAtMs: number | null };
}

/** What an app or a person was given and has not lost yet: a grant, a session, or a backend's token. */
export interface ListedGrant {
  readonly id: string;
  readonly kind: 'grant' | 'session' | 'token';
  readonly clientId: string | null;
  readonly accountId: string | null;
  readonly scope: string | null;
  /** Id of the patient at the EHR whom it is about. */
  readonly patient: string | null;
  readonly madeAtMs: number;
  readonly usedAtMs: number | null;
  readonly untilMs: number;
}
/** The last one of the page before, in the order of a list. */
export interface GrantPlace {
  readonly madeAtMs: number;
  /** In hexadecimal digits. */
  readonly index: string;
}

export type AccountChange =
  | { readonly kind: 'state'; readonly state: 'active' | 'disabled' }
  /** Ends every session and grant of the person, and forgets wrong tries. */
  | { readonly kind: 'password'; readonly password: PasswordHash }
  | { readonly kind: 'unlock' }
  /** Takes the second factor away; every session and grant of the person ends. */
  | { readonly kind: 'factor' };

export interface KeptKey {
  readonly name: string;
  readonly value: string;
  readonly madeAt: Date;
}

export type SignIn =
  | { readonly state: 'signed-in'; readonly accountId: string }
  /** The password was right, and a code is asked for; `enrol`: of an app that is to be added first. */
  | { readonly state: 'factor' | 'enrol'; readonly accountId: string }
  | { readonly state: 'refused' };

/** Somebody for whom a provider vouches. */
export interface ProviderPerson {
  /** Of the account, where there is none yet. */
  readonly id: string;
  readonly username: string;
  readonly name: string;
  readonly issuer: string;
  readonly subject: string;
  /** Which practitioner the provider says that is; null: only who has an account already comes in. */
  readonly fhirUser: string | null;
}
export type ProviderSignIn =
  | { readonly state: 'signed-in'; readonly accountId: string }
  | { readonly state: 'refused'; readonly why: 'disabled' | 'unbound' | 'user-taken' };

export type AuthWrites = {
  'auth.put': { args: RecordToPut; out: 'stored' | 'already-there' };
  /** The second time takes everything of the grant with it: somebody else has a copy. */
  'auth.consume': { args: RecordKey & { readonly at: Date }; out: 'consumed' | 'repeated' };
  /** Gives a record out once. */
  'auth.take': { args: RecordKey & { readonly at: Date }; out: FoundRecord | null };
  'auth.remove': { args: RecordKey; out: null };
  'auth.remove-of-grant': {
    args: { readonly tenant: string; readonly kind: string; readonly grantId: string };
    out: null;
  };
  'auth.add-client': { args: { readonly client: Client; readonly audit: AuditDraft }; out: 'added' | 'id-taken' };
  /** `given`: what becomes of what was given out. */
  'auth.change-client': {
    args: { readonly client: Client; readonly given: 'stays' | 'ends'; readonly audit: AuditDraft };
    out: 'changed' | 'not-found';
  };
  /** Who is disabled loses everything that was given out. */
  'auth.set-client-state': {
    args: { readonly id: string; readonly state: 'active' | 'disabled'; readonly audit: AuditDraft };
    out: 'changed' | 'not-found';
  };
  'auth.remove-client': { args: { readonly id: string; readonly audit: AuditDraft }; out: 'removed' | 'not-found' };
  /** `user-taken`: somebody else of the same provider is that practitioner. */
  'auth.add-account': {
    args: { readonly account: Account; readonly audit: AuditDraft };
    out: 'added' | 'name-taken' | 'user-taken';
  };
  'auth.change-account': {
    args: { readonly id: string; readonly change: AccountChange; readonly audit: AuditDraft };
    /** `of-provider`: neither password nor second factor of such a person is ours. */
    out: 'changed' | 'not-found' | 'of-provider';
  };
  'auth.remove-account': {
    args: { readonly id: string; readonly audit: AuditDraft };
    /** `kept-out`: disabled, and the provider would bring the person back. */
    out: 'removed' | 'not-found' | 'kept-out';
  };
  /** Ends a grant with all its tokens, a session, or a backend's token. */
  'auth.end-grant': {
    args: {
      readonly id: string;
      /** Only where it is theirs; null: whosever it is. */
      readonly accountId: string | null;
      readonly audit: AuditDraft;
    };
    out: 'ended' | 'not-found';
  };
  /** Never takes a later time back. */
  'auth.use-grant': { args: { readonly tenant: string; readonly id: string; readonly at: Date }; out: null };
  /** Writes down whose they are, of so many of each kind of which it is not known; answers how many there were. */
  'auth.claim-grants': { args: { readonly tenant: string; readonly limit: number }; out: number };
  /** Counts the wrong tries since the last right one. `factor`: of whom a second one is asked who has none. */
  'auth.sign-in': {
    args: {
      readonly name: string;
      readonly isRight: boolean;
      /** With which the password was compared; refused where the account has another by now. */
      readonly passwordHash: string | null;
      readonly factor: 'everybody' | 'nobody';
      readonly audit: AuditDraft;
    };
    out: SignIn;
  };
  /**
   * A right code of this step, which is used up with it. `secret`: of the app that is added by it; null: of the app
   * that is there. `repeated`: the step was used, or the app or the password is another by now.
   */
  'auth.pass-factor': {
    args: {
      readonly accountId: string;
      /** Of the password that came before the code. */
      readonly passwordHash: string | null;
      readonly step: number;
      readonly secret: string | null;
      readonly audit: AuditDraft;
    };
    out: 'passed' | 'repeated';
  };
  /** Counts as a wrong password does. */
  'auth.fail-factor': { args: { readonly accountId: string; readonly audit: AuditDraft }; out: null };
  /** Makes the provider's person known, or known anew. What was given to another practitioner ends. */
  'auth.provider-sign-in': {
    args: { readonly person: ProviderPerson; readonly audit: AuditDraft };
    out: ProviderSignIn;
  };
  /** Who is known and does not come in any more loses what was given out, unless it `stays`. */
  'auth.provider-refuse': {
    args: {
      readonly issuer: string;
      readonly subject: string;
      readonly given: 'stays' | 'ends';
      readonly audit: AuditDraft;
    };
    out: null;
  };
  /** Keeps the value under a name that has none yet; answers what is kept. */
  'auth.keep-key': {
    args: { readonly tenant: string; readonly name: string; readonly value: string; readonly at: Date };
    out: string;
  };
  /**
   * Puts a key before the others whose names begin so, whatever the clocks say, and removes those that were followed by
   * another for as long as that.
   */
  'auth.rotate-key': {
    args: {
      readonly prefix: string;
      readonly name: string;
      readonly value: string;
      readonly keptMs: number;
      /** Names of keys of which nothing is left that they could verify. */
      readonly spent: readonly string[];
      readonly audit: AuditDraft;
    };
    out: null;
  };
};

export type AuthReads = {
  'auth.find': { args: RecordKey & { readonly at: Date }; out: FoundRecord | null };
  'auth.find-by-uid': {
    args: { readonly tenant: string; readonly kind: string; readonly uid: string; readonly at: Date };
    out: FoundRecord | null;
  };
  'auth.token': {
    args: { readonly tenant: string; readonly token: string; readonly at: Date };
    out: FoundToken | null;
  };
  /** What the client may have now, or what of a standing grant has ended. */
  'auth.standing': {
    args: {
      readonly tenant: string;
      readonly clientId: string;
      readonly accountId: string | null;
      readonly grantId: string | null;
      readonly sessionUid: string | null;
      readonly at: Date;
    };
    out: { readonly scope: string } | Exclude<GrantEnd, 'token-ended'>;
  };
  'auth.client': { args: { readonly tenant: string; readonly id: string }; out: Client | null };
  /** Those that are disabled too. */
  'auth.clients': { args: { readonly tenant: string }; out: readonly RegisteredClient[] };
  'auth.registered-client': { args: { readonly tenant: string; readonly id: string }; out: RegisteredClient | null };
  'auth.is-origin': { args: { readonly tenant: string; readonly origin: string }; out: boolean };
  'auth.account': { args: { readonly tenant: string; readonly id: string }; out: ShownAccount | null };
  'auth.account-by-name': { args: { readonly tenant: string; readonly name: string }; out: StoredAccount | null };
  /** One that is disabled too. */
  'auth.account-by-subject': {
    args: { readonly tenant: string; readonly issuer: string; readonly subject: string };
    out: StoredAccount | null;
  };
  /** With its secrets. */
  'auth.stored-account': { args: { readonly tenant: string; readonly id: string }; out: StoredAccount | null };
  'auth.accounts': { args: { readonly tenant: string }; out: readonly ShownAccount[] };
  /** Newest first. */
  'auth.grants': {
    args: {
      readonly tenant: string;
      readonly of: { readonly kind: 'client' | 'account'; readonly id: string };
      readonly before: GrantPlace | null;
      readonly limit: number;
      readonly at: Date;
    };
    /** `next`: where the next page begins; null at the end. A page may hold fewer than it could, and yet have a next. */
    out: { readonly grants: readonly ListedGrant[]; readonly next: GrantPlace | null };
  };
  'auth.key': { args: { readonly tenant: string; readonly name: string }; out: string | null };
  /** Newest first. */
  'auth.keys': { args: { readonly tenant: string; readonly prefix: string }; out: readonly KeptKey[] };
};

export const authSet: CommandSet<AuthWrites, AuthReads> = {
  sqlite: fileBeside(import.meta.url, './commands/all'),
  postgres: () => import('./commands/all.ts'),
};
