import { permissionsOf, STEP_UP, type Permission, type Role } from './permissions.ts';

/** What a machine presents. `permissions` are those that it has beside its roles'. */
export interface ApiKey {
  readonly id: string;
  readonly name: string;
  readonly roles: readonly Role[];
  readonly permissions: readonly Permission[];
  readonly expiresAtMs: number | null;
  readonly madeBy: string;
}
export interface StoredApiKey extends ApiKey {
  readonly madeAtMs: number;
  readonly usedAtMs: number | null;
}

const PREFIX = 'cgk_';
/** Telling keys from other tokens by their form lets scanners for leaked secrets find them. */
export const API_KEY = /^cgk_[A-Za-z0-9_-]{43}$/;
export const toApiKey = (secret: string): string => `${PREFIX}${secret}`;

/** A machine cannot prove itself a second time, so what asks a person to is given to it by name or not at all. */
export const permissionsOfKey = ({ roles, permissions }: Pick<ApiKey, 'roles' | 'permissions'>): Set<Permission> =>
  new Set([...[...permissionsOf(roles)].filter((one) => !STEP_UP.has(one)), ...permissions]);

/** The last use is shown by the minute; it is not written more often. */
export const KEY_USED_EVERY_MS = 60_000;
export const KEY_DAYS_MAX = 730;
