import type { Target, TargetGuard } from '../ehr/index.ts';
import type { Pretranslate, Pretranslations, TranslationContext } from '../judge/index.ts';
import type { Budget, Clock, Log, NewId, Trace } from '../kernel/index.ts';
import type { LaneReads, LaneWrites, Outcome } from '../lanes/index.ts';
import type { Operate } from '../store/index.ts';
import type { LearntHabits } from './learn-habits.ts';

export interface LanesDeps {
  readonly tenant: string;
  readonly owner: string;
  readonly lanes: Operate<LaneWrites, LaneReads>;
  readonly translationContext: () => TranslationContext;
  /** Null while the EHR has not said what it can. */
  readonly target: () => Target | null;
  readonly guard: TargetGuard;
  readonly pretranslated: Pretranslations;
  readonly pretranslate: Pretranslate;
  readonly budget: Budget;
  readonly habits: LearntHabits & { load(): Promise<void> };
  /** Of the fingerprints of what stands in charts. */
  readonly contentKey: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly newId: NewId;
  readonly spread: () => number;
  /** Null where nobody watches. */
  readonly trace?: Trace | null;
  /** Called when a claim has come to its end: its delivery may have to follow its link. */
  readonly onFinished: (outcome: Outcome, seconds: number, receivedAt: number) => void;
}
