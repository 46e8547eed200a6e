import { createHash } from 'node:crypto';
import { canonicalJson } from '../kernel/index.ts';

/**
 * A digest for each section of the settings, so that a change is seen and where, and no setting is told. Secrets print
 * as `[secret]`.
 */
export function settingsDigests(settings: object): Record<string, string> {
  const plain = JSON.parse(JSON.stringify(settings)) as Record<string, unknown>;
  const digest = (value: unknown): string =>
    createHash('sha256').update(canonicalJson(value)).digest('hex').slice(0, 16);
  return Object.fromEntries(Object.entries(plain).map(([section, value]) => [section, digest(value)]));
}

/** The sections that differ. */
export const changedSettings = (
  before: Readonly<Record<string, string>>,
  now: Readonly<Record<string, string>>,
): string[] =>
  [...new Set([...Object.keys(before), ...Object.keys(now)])].filter((name) => before[name] !== now[name]).sort();
