import { readFileSync } from 'node:fs';
import { makeSigningKey, parseVerifyingKey } from '../audit/index.ts';
import { readSome, type Environment } from '../config/index.ts';
import { secret } from '../kernel/index.ts';
import type { CheckWith } from './check-copy.ts';

const NAMES = [
  'CHARTGATE_DATABASE_URL',
  'CHARTGATE_DATA_KEY',
  'CHARTGATE_PSEUDONYM_KEY',
  'CHARTGATE_AUDIT_KEY',
  'CHARTGATE_ENVIRONMENT',
] as const;

export interface CheckSettings {
  readonly databaseUrl: string | null;
  /** Null where no key proves the audit: `wrong` says why. */
  readonly by: CheckWith | null;
  readonly wrong: string | null;
}

/**
 * From the settings of `serve`, as far as they are there. `key`: public keys of the audit instead of the settings' own.
 */
export function readCheckSettings(env: Environment, key: string | undefined): CheckSettings {
  const v = readSome(env, (path) => readFileSync(path, 'utf8'), NAMES);
  const databaseUrl = v.CHARTGATE_DATABASE_URL ?? null;
  const given = key === undefined ? null : key.split(',').map(parseVerifyingKey);
  const own = (v.CHARTGATE_AUDIT_KEY ?? []).map((one) => makeSigningKey(secret(one)));
  const auditKeys = (given ?? own).filter((one) => one !== null);
  if (given !== null && auditKeys.length < given.length)
    return { databaseUrl, by: null, wrong: 'The key is not one that "audit key" told.' };
  if (auditKeys.length === 0)
    return {
      databaseUrl,
      by: null,
      wrong: 'The audit is proven by its key: give CHARTGATE_AUDIT_KEY, or the public key with --key.',
    };
  const { CHARTGATE_DATA_KEY: data, CHARTGATE_PSEUDONYM_KEY: pseudonym } = v;
  const keys =
    data === undefined || pseudonym === undefined ? null : { data: data.map(secret), pseudonym: secret(pseudonym) };
  return {
    databaseUrl,
    by: { auditKeys, keys, environment: v.CHARTGATE_ENVIRONMENT },
    wrong: null,
  };
}
