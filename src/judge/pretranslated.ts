import { MEMORY, type Budget, type Room } from '../kernel/index.ts';
import type { Payload } from '../payloads/index.ts';
import type { LinkedPatient, Translation } from '../translate/index.ts';
import type { TranslationContext } from './read-document.ts';

/** What judging has made of a delivery, for the patient whom its user was linked to when last seen. */
export interface Pretranslated {
  readonly translationContext: TranslationContext;
  readonly patient: LinkedPatient;
  readonly translation: Translation;
  readonly saidAt: number;
}

/** `room` is what it weighs: whoever takes it gives that back when it is written. */
export interface HeldTranslation extends Pretranslated {
  readonly room: Room;
}

/** Some hundred translations of the usual size. */
const LIMITS = { bodyBytes: 4 * 1024 * 1024, patients: 10_000 } as const;

/** What says whose a payload is. */
interface OfUser {
  readonly envelope: { readonly clientUuid: string; readonly userId: string };
}

export const userKeyOf = ({ envelope }: OfUser): string => JSON.stringify([envelope.clientUuid, envelope.userId]);

/** A user, and the patient whom it was linked to when last seen. */
export type Learnt = readonly [userKey: string, patient: LinkedPatient];

/** The patients of the users who were seen last. */
export function makeGuesses() {
  const patients = new Map<string, LinkedPatient>();
  return {
    of: (payload: Payload): LinkedPatient | null => patients.get(userKeyOf(payload)) ?? null,
    learn([key, patient]: Learnt): void {
      patients.delete(key);
      patients.set(key, patient);
      const [oldest] = patients.keys();
      if (oldest !== undefined && patients.size > LIMITS.patients) patients.delete(oldest);
    },
    all: (): readonly Learnt[] => [...patients],
  };
}

/**
 * Keeps translations between judging and writing, in the same process, so that a document is read and translated once.
 * A guess and no more: who the patient is the link says, under the lease; where it says another, or the mapping data
 * are others, it is done again. Where memory is short it is not kept, or dropped.
 */
export function makePretranslations(budget: Budget) {
  const kept = new Map<string, { readonly held: HeldTranslation; readonly bytes: number }>();
  const guesses = makeGuesses();
  const listeners: ((learnt: Learnt) => void)[] = [];
  let bytes = 0;

  function take(id: string): HeldTranslation | null {
    const found = kept.get(id);
    if (found === undefined) return null;
    kept.delete(id);
    bytes -= found.bytes;
    return found.held;
  }
  const drop = (id: string): void => take(id)?.room.release();
  budget.onShortage(() => {
    const [oldest] = kept.keys();
    if (oldest !== undefined) drop(oldest);
    return oldest !== undefined;
  });

  return {
    patientOf: guesses.of,
    learn(of: OfUser, patient: LinkedPatient): void {
      const learnt: Learnt = [userKeyOf(of), patient];
      guesses.learn(learnt);
      for (const listener of listeners) listener(learnt);
    },
    /** All that was learnt so far. */
    learnt: guesses.all,
    onLearn: (listener: (learnt: Learnt) => void): void => void listeners.push(listener),
    keep(id: string, pretranslated: Pretranslated, bodyBytes: number): void {
      drop(id);
      const room = budget.takeNow(bodyBytes * MEMORY.cost.translation);
      if (room === null) return;
      kept.set(id, { held: { ...pretranslated, room }, bytes: bodyBytes });
      bytes += bodyBytes;
      for (const oldest of kept.keys()) {
        if (bytes <= LIMITS.bodyBytes) break;
        drop(oldest);
      }
    },
    /** It is used once, or not at all; then its room is given back. */
    take,
  };
}
export type Pretranslations = ReturnType<typeof makePretranslations>;
