import type { Clock } from '../kernel/index.ts';
import type { Mrn, ResolvedPatient, ResolvePatient } from './resolve-patient.ts';

const STANDARD = { entriesMax: 20_000, keepMs: 60_000, keepCheckedMs: 3_600_000 } as const;

export interface PatientMemory {
  /** What is remembered is marked as such: whoever writes to it checks it, where that is the plan. */
  readonly resolvePatient: ResolvePatient;
  /** The reference that would be answered at once; null where the EHR would be asked. */
  remembered(mrn: Mrn): string | null;
  /** After a 404 of the patient, a conflict or a change of the link. */
  forget(mrn: Mrn): void;
  forgetAll(): void;
}

// JSON, so that no two pairs meet in one text.
const keyOf = ({ mrnSystem, mrn }: Mrn): string => JSON.stringify([mrnSystem, mrn]);

/**
 * Keeps what was resolved for a minute; for an hour where every write checks it. Only successes: a patient that was
 * added a moment ago is found at once.
 */
export function rememberPatients(deps: {
  readonly resolvePatient: ResolvePatient;
  readonly clock: Clock;
  readonly entriesMax?: number;
  /** Whether what is remembered is checked by whatever is written to it. */
  readonly isChecked?: () => boolean;
}): PatientMemory {
  const { entriesMax = STANDARD.entriesMax, isChecked = () => false } = deps;
  const kept = new Map<string, { readonly patient: ResolvedPatient; readonly atMs: number }>();
  /** Counts what was forgotten, so that an answer that was under way meanwhile is not kept. */
  let forgotten = 0;

  const known = (key: string): ResolvedPatient | null => {
    const found = kept.get(key);
    const keepMs = isChecked() ? STANDARD.keepCheckedMs : STANDARD.keepMs;
    return found !== undefined && deps.clock.monotonicMs() - found.atMs < keepMs ? found.patient : null;
  };

  return {
    remembered: (mrn) => known(keyOf(mrn))?.reference ?? null,
    async resolvePatient(asked) {
      const key = keyOf(asked);
      const found = known(key);
      if (found !== null) return { ok: true, value: { ...found, isRemembered: true } };
      kept.delete(key);
      const before = forgotten;
      const resolved = await deps.resolvePatient(asked);
      if (resolved.ok && forgotten === before) {
        // A Map keeps its order: the first is the oldest.
        const [oldest] = kept.keys();
        if (oldest !== undefined && kept.size >= entriesMax) kept.delete(oldest);
        kept.set(key, { patient: resolved.value, atMs: deps.clock.monotonicMs() });
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
