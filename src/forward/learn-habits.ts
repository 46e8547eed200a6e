import { faultFields, type Log } from '../kernel/index.ts';
import type { Operate } from '../store/index.ts';
import type { ChartContent, Fingerprint, LaneReads, LaneWrites } from '../lanes/index.ts';
import {
  ESSENTIAL_PARTS,
  habitsFromText,
  habitsOfNextSoftware,
  habitsToText,
  isNewToEhr,
  joinHabits,
  learnChanges,
  learnSearch,
  noHabits,
  type EhrHabits,
} from './ehr-habits.ts';

/** An EHR that never shows what it made of a write is not asked for ever. */
const NOT_SHOWN_MAX = 20;

/** What this process knows of the EHR's habits. Stored, so that a restart and other replicas know it too. */
export interface LearntHabits {
  current(): EhrHabits;
  /** Whether the EHR is asked to show what it makes of these, of which some are created. */
  wantsToSee(created: readonly { readonly type: string; readonly fingerprint: Fingerprint }[]): boolean;
  /** It was asked to, and did not, nor could it be looked at. */
  wasNotShown(type: string): void;
  learnChanges(type: string, sent: ChartContent, shown: ChartContent): void;
  learnSearch(found: 'found' | 'not-found'): void;
  /** A minimal answer to a Bundle was none at all. */
  learnEmptyAnswer(): void;
}

export function learnHabits(deps: {
  readonly tenant: string;
  readonly lanes: Operate<LaneWrites, LaneReads>;
  /** The EHR's software as it names itself; null while it was not asked. */
  readonly software: () => string | null;
  readonly log: Log;
}): LearntHabits & { load(): Promise<void> } {
  const { tenant, lanes, log } = deps;
  let habits = noHabits('');
  const notShown = new Map<string, number>();
  let storing: Promise<void> = Promise.resolve();

  function current(): EhrHabits {
    const software = deps.software() ?? habits.software;
    if (software !== habits.software) {
      habits = habits.software === '' ? noHabits(software) : habitsOfNextSoftware(habits, software);
      notShown.clear();
    }
    return habits;
  }

  const stored = async (): Promise<EhrHabits | null> => {
    const row = await lanes.read('lane.target', { tenant });
    return row.ok && row.value.habits !== null ? habitsFromText(row.value.habits) : null;
  };

  /** Together with what other processes have learnt. */
  async function store(): Promise<void> {
    const others = await stored();
    if (others !== null && others.software === habits.software) habits = joinHabits(habits, others);
    const done = await lanes.write('lane.learn', { tenant, habits: habitsToText(habits) });
    if (!done.ok) log.warn('lane.failed', faultFields(done.fault));
  }

  function become(next: EhrHabits): void {
    if (next === habits) return;
    habits = next;
    // Whatever is not stored is learnt again after a restart.
    storing = storing.then(store, store);
  }

  return {
    current,
    wantsToSee(created) {
      return created.some(
        ({ type, fingerprint }) =>
          (notShown.get(type) ?? 0) < NOT_SHOWN_MAX && isNewToEhr(current(), type, fingerprint),
      );
    },
    wasNotShown: (type) => void notShown.set(type, (notShown.get(type) ?? 0) + 1),
    learnChanges(type, sent, shown) {
      const before = current();
      const after = learnChanges(before, type, sent, shown);
      const known = before.types[type]?.changed ?? [];
      if (after.types[type]?.changed.some((part) => ESSENTIAL_PARTS.has(part) && !known.includes(part)) === true)
        log.warn('ehr.altered', { resourceType: type });
      become(after);
    },
    learnSearch: (found) => become(learnSearch(current(), found)),
    learnEmptyAnswer: () => become({ ...current(), minimal: 'empty' }),
    async load() {
      habits = (await stored()) ?? habits;
    },
  };
}
