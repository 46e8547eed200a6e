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

/** Some hundred translations of the usual size; a translation weighs several times its body. */
const LIMITS = { bodyBytes: 4 * 1024 * 1024, patients: 10_000 } as const;

const keyOf = ({ envelope }: Payload): string => JSON.stringify([envelope.clientUuid, envelope.userId]);

/**
 * Keeps translations between judging and writing, in the same process, so that a document is read and translated once.
 * A guess and no more: who the patient is the link says, under the lease; where it says another, or the mapping data
 * are others, it is done again.
 */
export function makePretranslations() {
  const kept = new Map<string, { readonly pretranslated: Pretranslated; readonly bytes: number }>();
  const patients = new Map<string, LinkedPatient>();
  let bytes = 0;

  function take(id: string): Pretranslated | null {
    const found = kept.get(id);
    if (found === undefined) return null;
    kept.delete(id);
    bytes -= found.bytes;
    return found.pretranslated;
  }

  return {
    patientOf: (payload: Payload): LinkedPatient | null => patients.get(keyOf(payload)) ?? null,
    learn(payload: Payload, patient: LinkedPatient): void {
      const key = keyOf(payload);
      patients.delete(key);
      patients.set(key, patient);
      const [oldest] = patients.keys();
      if (oldest !== undefined && patients.size > LIMITS.patients) patients.delete(oldest);
    },
    keep(id: string, pretranslated: Pretranslated, bodyBytes: number): void {
      take(id);
      kept.set(id, { pretranslated, bytes: bodyBytes });
      bytes += bodyBytes;
      for (const oldest of kept.keys()) {
        if (bytes <= LIMITS.bodyBytes) break;
        take(oldest);
      }
    },
    /** It is used once, or not at all. */
    take,
  };
}
export type Pretranslations = ReturnType<typeof makePretranslations>;
