import type { IdentityClaims } from '../translate/index.ts';

/** What two descriptions of a patient disagree in; what one of them does not say is no disagreement. */
export type Disagreement = 'name' | 'sex' | 'birth-date';

export type IdentityVerdict =
  | { readonly kind: 'same' | 'nothing-to-compare' }
  /** One of the three differs, as by a slip of a pen or a marriage. */
  | { readonly kind: 'differs'; readonly by: Disagreement }
  /** Another complete birth date, or two of the three. */
  | { readonly kind: 'other-person'; readonly by: readonly Disagreement[] };

const COMPLETE = 10;
const SAYS_A_SEX = new Set(['male', 'female']);

/** Without marks, case and punctuation: José de-la-Cruz is Jose de la Cruz. */
const plain = (text: string): string =>
  text
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '');

type Names = IdentityClaims['names'];

/**
 * Of any two names of the two: the same family name, and where both say given names, one in common or an initial that
 * fits.
 */
function shareName(a: Names, b: Names): boolean {
  return a.some((one) =>
    b.some((other) => {
      const [family, theirs] = [plain(one.family ?? ''), plain(other.family ?? '')];
      if (family !== '' && theirs !== '' && family !== theirs) return false;
      if (one.given.length === 0 || other.given.length === 0) return family !== '' && theirs !== '';
      const given = one.given.map(plain);
      return other.given.map(plain).some((name) => given.some((own) => own.startsWith(name) || name.startsWith(own)));
    }),
  );
}

/** `null`: at least one of them does not say it. */
function compareDates(a: string | null, b: string | null): 'same' | 'other' | 'other-complete' | null {
  if (a === null || b === null) return null;
  const length = Math.min(a.length, b.length);
  if (a.slice(0, length) === b.slice(0, length)) return 'same';
  return length >= COMPLETE ? 'other-complete' : 'other';
}

/** Whether a result can be of the patient in whose chart it would be written. */
export function compareIdentity(said: IdentityClaims, chart: IdentityClaims): IdentityVerdict {
  const birth = compareDates(said.birthDate, chart.birthDate);
  const sexes = [said.gender ?? '', chart.gender ?? ''];
  const isSexSaid = sexes.every((sex) => SAYS_A_SEX.has(sex));
  const isNameSaid = said.names.length > 0 && chart.names.length > 0;
  if (birth === null && !isSexSaid && !isNameSaid) return { kind: 'nothing-to-compare' };
  const by: Disagreement[] = [
    ...(birth === 'other' || birth === 'other-complete' ? (['birth-date'] as const) : []),
    ...(isSexSaid && sexes[0] !== sexes[1] ? (['sex'] as const) : []),
    ...(isNameSaid && !shareName(said.names, chart.names) ? (['name'] as const) : []),
  ];
  const [first] = by;
  if (first === undefined) return { kind: 'same' };
  return by.length > 1 || birth === 'other-complete' ? { kind: 'other-person', by } : { kind: 'differs', by: first };
}
