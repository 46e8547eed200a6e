import type { AuditDraft } from '../audit/index.ts';
import type { PasswordHash } from '../auth/index.ts';
import { fileBeside } from '../kernel/index.ts';
import type { CommandSet } from '../store/index.ts';
import type { ApiKey, StoredApiKey } from './api-key.ts';
import type { Factor, Operator, StoredFactor, StoredOperator } from './operator.ts';
import type { Role } from './permissions.ts';
import type { SavedSearch } from './saved-search.ts';
import type { Session } from './session.ts';

/** A secret goes in once and is kept as a keyed hash. */
export interface NewLink {
  readonly secret: string;
  readonly expiresAtMs: number;
}
export interface NewSession extends Session {
  readonly secret: string;
}

/** What a request holds of a session: its secret, and no other, changes it. */
export interface HeldSession {
  readonly tenant: string;
  readonly id: string;
  readonly secret: string;
}

/** A proof that was right: what it used up, and what the session is from now on. */
export interface PassedStage {
  readonly session: HeldSession;
  readonly newSecret: string;
  readonly stage: Session['stage'];
  readonly factor: Session['factor'];
  readonly provedAtMs: number | null;
  readonly expiresAtMs: number;
  /** The factor whose code or signature it was; a count that was there before is refused. */
  readonly used: { readonly factorId: string; readonly counter: number } | null;
  readonly audit: AuditDraft;
}

export type OperatorChange =
  | { readonly kind: 'roles'; readonly roles: readonly Role[] }
  | { readonly kind: 'state'; readonly state: Operator['state'] };
export type Changed = 'changed' | 'not-found' | 'last-administrator';

export interface FoundSession {
  readonly session: Session;
  readonly operator: StoredOperator;
}

export type OperatorWrites = {
  'operator.add': {
    args: { readonly operator: Operator; readonly link: NewLink | null; readonly audit: AuditDraft };
    out: 'added' | 'name-taken';
  };
  /** An active administrator stays, whoever asks. Who is disabled has no session any more. */
  'operator.change': {
    args: { readonly id: string; readonly change: OperatorChange; readonly audit: AuditDraft };
    out: Changed;
  };
  'operator.remove': {
    args: { readonly id: string; readonly audit: AuditDraft };
    out: 'removed' | Exclude<Changed, 'changed'>;
  };
  /** Takes password, second factors and sessions away, and leaves a link to begin anew. */
  'operator.reset': {
    args: { readonly id: string; readonly link: NewLink; readonly audit: AuditDraft };
    out: 'reset' | 'not-found' | 'of-provider';
  };
  /** Sets the password by a link, once, and ends what was open. */
  'operator.redeem-link': {
    args: { readonly secret: string; readonly password: PasswordHash; readonly audit: AuditDraft };
    out: { readonly state: 'set'; readonly operatorId: string } | { readonly state: 'refused' };
  };
  /** Ends every other session of the person. */
  'operator.set-password': {
    args: { readonly session: HeldSession; readonly password: PasswordHash; readonly audit: AuditDraft };
    out: 'set' | 'not-found';
  };
  /** Opens the session, or records the refusal. */
  'operator.sign-in': {
    args: { readonly session: NewSession | null; readonly audit: AuditDraft };
    out: 'signed-in' | 'refused';
  };
  'operator.pass-stage': { args: PassedStage; out: 'passed' | 'repeated' | 'not-found' };
  /** Counts a wrong code or password; too many end the session. */
  'operator.wrong-proof': {
    args: { readonly session: HeldSession; readonly most: number; readonly audit: AuditDraft };
    out: 'counted' | 'ended' | 'not-found';
  };
  /** Somebody is at the browser. Never takes a later time back. */
  'operator.seen': { args: { readonly tenant: string; readonly id: string; readonly atMs: number }; out: null };
  /** `operatorId`: only where the session is theirs. */
  'operator.end-session': {
    args: { readonly id: string; readonly operatorId: string | null; readonly audit: AuditDraft };
    out: 'ended' | 'not-found';
  };
  'operator.add-factor': {
    args: {
      readonly factor: Factor;
      readonly passed: PassedStage;
    };
    out: 'added' | 'taken' | 'not-found';
  };
  'operator.remove-factor': {
    args: {
      readonly id: string;
      readonly operatorId: string;
      /** So many must be left. */
      readonly least: number;
      readonly sessions: 'keep' | 'end';
      readonly audit: AuditDraft;
    };
    out: 'removed' | 'not-found' | 'last';
  };
  /** Keeps something for a moment, to be taken once. */
  'operator.put-moment': {
    args: {
      readonly tenant: string;
      readonly secret: string;
      readonly payload: unknown;
      readonly expiresAtMs: number;
      readonly atMs: number;
    };
    out: null;
  };
  'operator.take-moment': {
    args: { readonly tenant: string; readonly secret: string; readonly atMs: number };
    out: unknown;
  };
  /** Makes the provider's person known, or known anew, and opens the session. */
  'operator.provider-sign-in': {
    args: {
      readonly operator: Operator & { readonly proof: { readonly kind: 'provider' } };
      readonly session: NewSession;
      readonly audit: AuditDraft;
    };
    out: { readonly state: 'signed-in'; readonly operatorId: string } | { readonly state: 'disabled' };
  };
  'operator.add-key': {
    args: { readonly key: ApiKey; readonly secret: string; readonly audit: AuditDraft };
    out: 'added' | 'name-taken';
  };
  'operator.remove-key': { args: { readonly id: string; readonly audit: AuditDraft }; out: 'removed' | 'not-found' };
  /** In place of one of the same name, where there is one. */
  'operator.save-search': {
    args: {
      readonly search: Omit<SavedSearch, 'savedAtMs'>;
      readonly operatorId: string;
      readonly most: number;
      readonly audit: AuditDraft;
    };
    out: 'saved' | 'too-many';
  };
  'operator.remove-search': {
    args: { readonly id: string; readonly operatorId: string; readonly audit: AuditDraft };
    out: 'removed' | 'not-found';
  };
  'operator.key-used': { args: { readonly tenant: string; readonly id: string; readonly atMs: number }; out: null };
};

export type OperatorReads = {
  'operator.session': { args: { readonly tenant: string; readonly secret: string }; out: FoundSession | null };
  'operator.by-name': { args: { readonly tenant: string; readonly name: string }; out: StoredOperator | null };
  'operator.one': { args: { readonly tenant: string; readonly id: string }; out: StoredOperator | null };
  'operator.all': { args: { readonly tenant: string }; out: readonly StoredOperator[] };
  /** Those that have not ended; of everybody where nobody is named. */
  'operator.sessions': {
    args: { readonly tenant: string; readonly operatorId: string | null; readonly atMs: number };
    out: readonly Session[];
  };
  'operator.factors': {
    args: { readonly tenant: string; readonly operatorId: string };
    out: readonly StoredFactor[];
  };
  /** Whose link it is, as long as it can be used. */
  'operator.link': {
    args: { readonly tenant: string; readonly secret: string; readonly atMs: number };
    out: StoredOperator | null;
  };
  'operator.key': { args: { readonly tenant: string; readonly secret: string }; out: StoredApiKey | null };
  /** By name. */
  'operator.searches': {
    args: { readonly tenant: string; readonly operatorId: string };
    out: readonly SavedSearch[];
  };
  'operator.keys': { args: { readonly tenant: string }; out: readonly StoredApiKey[] };
};

export const operatorSet: CommandSet<OperatorWrites, OperatorReads> = {
  sqlite: fileBeside(import.meta.url, './commands/all'),
  postgres: () => import('./commands/all.ts'),
};
