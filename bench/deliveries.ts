import { aClinicalReady } from '../test/support/payloads/index.ts';
import type { NextBody } from './load.ts';
import type { Side } from './side.ts';

export const USERS = 200;
export const ADMIN = 'bench-admin-token-of-more-than-32-characters';
export const MRN_SYSTEM = 'urn:example:mrn';
const DAY_MS = 86_400_000;

/**
 * The people of a run; `run` keeps them apart from those of an earlier one at the same EHR. Their MRN is their user id.
 */
export const userOf = (n: number, run = ''): string => `user-${run}${String(n % USERS).padStart(6, '0')}`;

export const dayOf = (n: number): string =>
  new Date(Date.UTC(2010, 0, 1) + Math.floor(n / USERS) * DAY_MS).toISOString().slice(0, 10);

/** One clinical_ready of 16 entries after the other, for many users in turn, each about another day of its user. */
export function makeDeliveries(run = ''): NextBody {
  const marks = { user: 'USERMARK', day: '2026-11-14', bundle: 'BUNDLEMARK' };
  const text = JSON.stringify(
    aClinicalReady({ userId: marks.user, day: marks.day, bundleId: marks.bundle, clientUuid: 'bench' }),
  );
  const parts = text.split(new RegExp(`(${Object.values(marks).join('|')})`));
  let n = 0;
  return () => {
    n += 1;
    const own: Record<string, string> = {
      [marks.user]: userOf(n, run),
      [marks.day]: dayOf(n),
      [marks.bundle]: `bundle-${String(n).padStart(12, '0')}`,
    };
    return Buffer.from(parts.map((part) => own[part] ?? part).join(''));
  };
}

export async function linkUsers({ port }: Side, run = ''): Promise<void> {
  const rows = Array.from({ length: USERS }, (_, n) => `${userOf(n, run)},${userOf(n, run)}`);
  const answer = await fetch(`http://127.0.0.1:${port}/admin/api/links/import`, {
    method: 'POST',
    headers: { authorization: `Bearer ${ADMIN}`, 'content-type': 'text/csv' },
    body: ['user_id,mrn', ...rows].join('\n'),
  });
  const { confirmed } = (await answer.json()) as { confirmed?: number };
  if (confirmed !== USERS) throw new Error(`the users could not be linked: ${answer.status}`);
}
