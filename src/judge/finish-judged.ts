import { finishTranslation, type FinishedTranslation } from '../content/index.ts';
import type { Payload } from '../payloads/index.ts';
import type { DeliveryFacts, LinkedPatient } from '../translate/index.ts';
import { judge, type JudgeDeps, type Judgement } from './judge.ts';
import { saidAtOf } from './read-document.ts';

/** What judging has made of a delivery for the patient who is likely the right one, in finished texts. */
export interface Premade {
  readonly patient: LinkedPatient;
  readonly translation: FinishedTranslation;
  readonly saidAt: number;
}

/** Plain data, so that it can come out of a thread. */
export interface Judged {
  readonly judgement: Judgement;
  readonly premade: Premade | null;
}

/**
 * `contentKey`: of the fingerprints. `delivery`: whose translation is worth keeping. `patient`: whose it is, where that
 * is known; `patientOf` guesses.
 */
export async function judgeAndFinish(
  hook: 'data' | 'notification',
  body: Uint8Array,
  deps: Omit<JudgeDeps, 'pretranslated'> & {
    readonly patientOf: (payload: Payload) => LinkedPatient | null;
    readonly patient: LinkedPatient | undefined;
    readonly contentKey: string;
    readonly delivery: DeliveryFacts;
  },
): Promise<Judged> {
  const { delivery, patient: known, contentKey } = deps;
  const patientOf = known === undefined ? deps.patientOf : () => known;
  let premade: Premade | null = null;
  const judgement = await judge(hook, body, {
    ...deps,
    pretranslated: {
      delivery,
      patientOf,
      keep(payload, patient, translation) {
        const finished = finishTranslation(translation, contentKey);
        if (finished !== null)
          premade = { patient, translation: finished, saidAt: saidAtOf(payload, delivery.receivedAt) };
      },
    },
  });
  return { judgement, premade };
}
