import { referenceTo, type Translation } from '../translate/index.ts';
import { NO_CONTENT, type LedgerRow } from '../lanes/index.ts';
import type { WriteDeps } from './write-deps.ts';

/** There, as far as we know: not taken back, not removed by somebody, and not only perhaps written. */
const isStanding = ({ isRetracted, isKept, id, fingerprint }: LedgerRow): boolean =>
  id !== null && !isRetracted && !(isKept && fingerprint === NO_CONTENT);

/** Where what is wanted stands already, and what it refers to beyond its document. */
function addressesOf({ wanted }: Translation, ledger: readonly LedgerRow[]): ReadonlyMap<string, string> {
  const live = new Map(ledger.filter(isStanding).map((row) => [row.name, `${row.resourceType}/${row.id ?? ''}`]));
  const known = new Map<string, string>();
  for (const { name, reference } of wanted) {
    const address = live.get(name);
    if (address !== undefined) known.set(reference, address);
  }
  for (const { text: source } of wanted.flatMap(({ derivedFrom = [] }) => derivedFrom)) {
    const address = live.get(source);
    if (address !== undefined) known.set(referenceTo(source), address);
  }
  return known;
}

/** What somebody removed and a person wants to stay so: nothing may refer to it. */
function removedOf({ wanted }: Translation, ledger: readonly LedgerRow[]): readonly string[] {
  const removed = new Set(ledger.filter((row) => row.isKept && row.fingerprint === NO_CONTENT).map(({ name }) => name));
  return removed.size === 0 ? [] : wanted.filter(({ name }) => removed.has(name)).map(({ reference }) => reference);
}

/** What the resources of a document may refer to, and what not. */
export const placesOf = (
  translation: Translation,
  ledger: readonly LedgerRow[],
): Pick<WriteDeps, 'known' | 'removed'> => ({
  known: addressesOf(translation, ledger),
  removed: removedOf(translation, ledger),
});
