import type { PasswordHash } from '../auth/index.ts';
import type { Role } from './permissions.ts';

/** Who vouches for a person: we by a password, or an identity provider under its own name for them. */
export type Proof =
  | { readonly kind: 'password'; readonly password: PasswordHash | null }
  | { readonly kind: 'provider'; readonly issuer: string; readonly subject: string };

/** A person who works here. */
export interface Operator {
  readonly id: string;
  /** What is typed to sign in; of a provider's person, what the provider calls them. */
  readonly name: string;
  readonly displayName: string;
  readonly roles: readonly Role[];
  readonly state: 'active' | 'disabled';
  readonly proof: Proof;
}
export interface StoredOperator extends Operator {
  readonly madeAtMs: number;
  readonly signedInAtMs: number | null;
  /** What kinds of second factors there are; for a list, and to know what to ask for. */
  readonly factors: readonly FactorKind[];
}

export type FactorKind = 'totp' | 'passkey';
export interface PasskeyData {
  readonly credentialId: string;
  /** base64url */
  readonly publicKey: string;
  readonly transports: readonly string[];
}
/** A second factor. `counter`: the last step whose code was used, or the authenticator's count. */
export type Factor = {
  readonly id: string;
  readonly operatorId: string;
  readonly label: string;
  readonly counter: number;
} & ({ readonly kind: 'totp'; readonly secret: string } | ({ readonly kind: 'passkey' } & PasskeyData));
export type StoredFactor = Factor & { readonly madeAtMs: number; readonly usedAtMs: number | null };

export const OPERATOR_NAME = /^[\p{L}\p{N}][\p{L}\p{N}._@+-]{0,99}$/u;
export const SHOWN_NAME = /^[^\p{Cc}\p{Cs}<>]{1,100}$/u;

/** How long a link to set the first password, or another after a reset, can be used. */
export const LINK_MS = 24 * 60 * 60_000;
