import { differingParts, hasPart, NO_CONTENT, type ContentPart, type Fingerprint } from '../lanes/index.ts';
import { excusedParts, saysSame, type TypeHabits } from './ehr-habits.ts';

/** What stands in the chart under the name of a resource of ours. */
export interface Standing {
  readonly versionId: string | null;
  readonly fingerprint: Fingerprint;
  /** It says of itself that it does not hold. */
  readonly isWithdrawn: boolean;
}

/** What we know of it from before. */
export interface Known {
  /** As the EHR named it in its answer to our last write; null where it named none. */
  readonly versionId: string | null;
  /** Of what we wrote last; null where that was written before fingerprints were kept. */
  readonly fingerprint: Fingerprint | null;
  readonly isRetracted: boolean;
}

/** What an attempt of unknown outcome meant to make of it. */
export type Intent = Fingerprint | 'withdraw';

export interface ChartQuestion {
  readonly standing: Standing;
  /** Null where the ledger knows nothing of it. */
  readonly known: Known | null;
  readonly wanted: Fingerprint | 'withdraw';
  readonly intents: readonly Intent[];
  /** How the EHR changes resources of this type by itself; null where that was never seen. */
  readonly habits: TypeHabits | null;
}

/**
 * `says-it`: the chart says what is wanted, so that nothing is to be written. `says-it-otherwise`: it does so in what
 * makes the statement, and differs in what the EHR may have rewritten or a person changed; its version is not taken for
 * ours. `ours`: it is as we left it, or as an attempt whose outcome we never learnt meant it; it may be written over.
 * `foreign`: somebody else's, and left alone.
 *
 * Judged by content, status and version. A version that the EHR named to us is ours. Any other is somebody else's,
 * whatever it is called, until the content says that nobody but us can have written it.
 */
export type ChartVerdict = 'says-it' | 'says-it-otherwise' | 'ours' | 'foreign';

/** Under a name of ours, the first version of a resource is of our own making. */
const FIRST_VERSION = '1';

export function judgeChart({ standing, known, wanted, intents, habits }: ChartQuestion): ChartVerdict {
  const { versionId, fingerprint, isWithdrawn } = standing;
  const isSame = (other: Fingerprint): boolean => saysSame(fingerprint, other, excusedParts(habits, 'seen'));
  // Nobody wrote since we did. An EHR may keep a version whose content it finds unchanged, so that only the very same
  // content is there already.
  if (known !== null && versionId !== null && known.versionId === versionId)
    return (wanted === 'withdraw' ? isWithdrawn : fingerprint === wanted) ? 'says-it' : 'ours';
  if (wanted === 'withdraw' ? isWithdrawn : !isWithdrawn && isSame(wanted)) return 'says-it';
  if (intents.some((intent) => (intent === 'withdraw' ? isWithdrawn : isSame(intent)))) return 'ours';
  // The EHR may have rewritten what it was never seen to write. Then it holds what is wanted, and who wrote it is not
  // known.
  if (wanted !== 'withdraw' && !isWithdrawn && saysSame(fingerprint, wanted, excusedParts(habits, 'unseen-too')))
    return 'says-it-otherwise';
  if (known === null) return versionId === FIRST_VERSION ? 'ours' : 'foreign';
  if (known.fingerprint !== null) return isSame(known.fingerprint) ? 'ours' : 'foreign';
  // Written before fingerprints were kept, at an EHR without versions: nothing can tell.
  return versionId === null && known.versionId === null && known.isRetracted === isWithdrawn ? 'ours' : 'foreign';
}

/** What stays as it was when a resource is taken back, unless it is left out. */
const STAYS: readonly ContentPart[] = ['code', 'time', 'value', 'unit'];

/**
 * Whether what stands withdrawn was taken back by an attempt of unknown outcome, from what we wrote or meant to write:
 * what a person had made of it is not ours to write over. `said`: what it still says. Nobody can tell of what was written
 * before fingerprints.
 */
export function tookBackOurs(said: Fingerprint, { known, intents, habits }: ChartQuestion): boolean {
  if (!intents.includes('withdraw')) return false;
  if (known === null || known.fingerprint === null) return true;
  const tells = (ours: Fingerprint, part: ContentPart): boolean =>
    STAYS.includes(part) && hasPart(ours, part) && hasPart(said, part) && habits?.changed.includes(part) !== true;
  const isLeftOf = (ours: Fingerprint): boolean =>
    ours !== NO_CONTENT && !differingParts(ours, said).some((part) => tells(ours, part));
  return isLeftOf(known.fingerprint) || intents.some((intent) => intent !== 'withdraw' && isLeftOf(intent));
}
