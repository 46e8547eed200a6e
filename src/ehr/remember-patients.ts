import type { Clock } from '../kernel/index.ts';
import type { Mrn, ResolvedPatient, ResolvePatient } from './resolve-patient.ts';

const STANDARD = { entriesMax: 2_000, keepMs: 60_000 } as const;

export interface PatientMemory {
  readonly resolvePatient: ResolvePatient;
  /** The reference that would be answered at once; null where the EHR would be asked. */
  remembered(mrn: Mrn): string | null;
  /** After a 404 of the patient, a conflict or a change of the link. */
  forget(mrn: Mrn): void;
  forgetAll(): void;
}

// JSON, so that no two pairs meet in one text.
const keyOf = ({ mrnSystem, mrn }: Mrn): string => JSON.stringify([mrnSystem, mrn]);

/** Keeps what was resolved for a minute. Only successes: a patient that was added a moment ago is found at once. */
export function rememberPatients(deps: {
  readonly resolvePatient: ResolvePatient;
  readonly clock: Clock;
  readonly entriesMax?: number;
  readonly keepMs?: number;
}): PatientMemory {
  const { entriesMax = STANDARD.entriesMax, keepMs = STANDARD.keepMs } = deps;
  const kept = new Map<string, { readonly patient: ResolvedPatient; readonly untilMs: number }>();
  /** Counts what was forgotten, so that an answer that was under way meanwhile is not kept. */
  let forgotten = 0;

  const known = (key: string): ResolvedPatient | null => {
    const found = kept.get(key);
    return found !== undefined && deps.clock.monotonicMs() < found.untilMs ? found.patient : null;
  };

  return {
    remembered: (mrn) => known(keyOf(mrn))?.reference ?? null,
    async resolvePatient(asked) {
      const key = keyOf(asked);
      const found = known(key);
      if (found !== null) return { ok: true, value: found };
      kept.delete(key);
      const before = forgotten;
      const resolved = await deps.resolvePatient(asked);
      if (resolved.ok && forgotten === before) {
        // A Map keeps its order: the first is the oldest.
        const [oldest] = kept.keys();
        if (oldest !== undefined && kept.size >= entriesMax) kept.delete(oldest);
        kept.set(key, { patient: resolved.value, untilMs: deps.clock.monotonicMs() + keepMs });
      }
      return resolved;
    },
    forget(mrn) {
      forgotten += 1;
      kept.delete(keyOf(mrn));
    },
    forgetAll() {
      forgotten += 1;
      kept.clear();
    },
  };
}
