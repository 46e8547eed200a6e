import { plain } from './oracle.ts';
import type { Answered } from './ask.ts';
import type { AttackRow } from './start-attacked.ts';

/*
 * The same question about nobody. Ids and words of the world have one length, so that the two differ in nothing but
 * whether what they name exists.
 */
const NAMES = [
  ['idbravo', 'idnobod'],
  ['idcharl', 'idnobod'],
  ['zqbravo', 'zqnobod'],
  ['zqcharl', 'zqnobod'],
  ['idmoved', 'idnobod'],
  ['idneutral', 'idnobod-x'],
  ['1922-02-22', '1999-09-09'],
] as const;

const renamed = (text: string): string => NAMES.reduce((out, [from, into]) => out.replaceAll(from, into), text);

/** `null` where the question names nobody's data. */
export function twinOf(row: AttackRow): AttackRow | null {
  const twin = {
    ...row,
    path: renamed(row.path),
    ...(row.body === undefined ? {} : { body: renamed(row.body) }),
    ...(row.headers === undefined
      ? {}
      : { headers: row.headers.map(([name, value]) => [name, renamed(value)] as const) }),
  };
  return JSON.stringify(twin) === JSON.stringify(row) ? null : twin;
}

/** An answer as far as it may differ between what is a stranger's and what does not exist: not at all. */
export const indistinct = (answer: Answered): unknown => plain(answer, NAMES.flat());
