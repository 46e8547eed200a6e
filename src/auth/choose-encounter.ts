import type { Launch } from './launch.ts';
import type { PatientDirectory, ShownEncounter } from './patients.ts';

/** `settled`: the token will be about this encounter, or about none, for a reason that the person is told. */
export type EncounterChoice =
  | { readonly kind: 'settled'; readonly encounter: ShownEncounter | null; readonly because: string | null }
  | {
      readonly kind: 'open';
      readonly encounters: readonly ShownEncounter[];
      readonly isAll: boolean;
      readonly wrong: string | null;
      readonly isListed: boolean;
    }
  /** That of the launch is not there, or not of this patient any more. */
  | { readonly kind: 'lost' };

const NOT_LISTED = 'The encounters cannot be listed at the moment. Try again, or go on without one.';
const NO_CHOICE = 'Choose an encounter from the list.';
const NOT_ASKED: EncounterChoice = { kind: 'settled', encounter: null, because: null };
const none = (because: string): EncounterChoice => ({ kind: 'settled', encounter: null, because });

/**
 * Which encounter of a patient the token will be about. A launch says it; otherwise the person chooses, if the app
 * asked for one.
 */
export async function chooseEncounter(
  directory: PatientDirectory,
  of: {
    readonly patient: string;
    readonly launch: Launch | null;
    readonly isAsked: boolean;
    /** What the form says: null where nothing was chosen yet, empty for none. */
    readonly chosen: string | null;
    readonly requestId: string;
  },
): Promise<EncounterChoice> {
  const { patient, launch, chosen, requestId } = of;
  if (launch !== null) {
    if (launch.encounter === null) return of.isAsked ? none('this launch is about none') : NOT_ASKED;
    const found = await directory.findEncounter(patient, launch.encounter, requestId);
    return found.ok && found.value !== null
      ? { kind: 'settled', encounter: found.value, because: null }
      : { kind: 'lost' };
  }
  if (!of.isAsked) return NOT_ASKED;
  if (chosen === '') return none('none was chosen');
  if (chosen !== null) {
    const found = await directory.findEncounter(patient, chosen, requestId);
    if (found.ok && found.value !== null) return { kind: 'settled', encounter: found.value, because: null };
  }
  const listed = await directory.encounters(patient, requestId);
  if (!listed.ok) return { kind: 'open', encounters: [], isAll: true, wrong: NOT_LISTED, isListed: false };
  if (listed.value.encounters.length === 0) return none('this patient has no encounter to choose');
  return { kind: 'open', ...listed.value, wrong: chosen === null ? null : NO_CHOICE, isListed: true };
}
