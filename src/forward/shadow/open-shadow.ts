import type { Clock, Log, NewId } from '../../kernel/index.ts';
import type { Store } from '../../store/index.ts';
import { laneSet } from '../../lanes/index.ts';
import type { LearntHabits } from '../learn-habits.ts';
import type { OpenTarget } from '../../ehr/index.ts';
import type { TranslationContext } from '../../judge/index.ts';
import { shadowSet } from './commands.ts';
import { evaluateWaiting } from './evaluate-waiting.ts';
import { watchShadow } from './watch-shadow.ts';

/** Shadow mode: whether deliveries go on to the EHR, and what would become of those that wait. */
export function openShadow(deps: {
  readonly tenant: string;
  readonly owner: string;
  readonly mode: 'live' | 'shadow';
  readonly patientMode: 'lookup' | 'create';
  readonly habits: LearntHabits;
  readonly contentKey: string;
  readonly store: Store;
  readonly translationContext: () => TranslationContext;
  readonly target: Pick<OpenTarget, 'forEvaluation' | 'guard'>;
  readonly clock: Clock;
  readonly log: Log;
  readonly newId: NewId;
  readonly onForwarding: () => void;
}) {
  const {
    tenant,
    owner,
    mode,
    patientMode,
    habits,
    contentKey,
    translationContext,
    target,
    clock,
    log,
    newId,
    onForwarding,
  } = deps;
  const shadow = deps.store.use(shadowSet);
  const forwarding = watchShadow({ tenant, mode, shadow, clock, log, onForwarding });
  const evaluator = evaluateWaiting({
    tenant,
    owner,
    shadow,
    lanes: deps.store.use(laneSet),
    translationContext,
    target: target.forEvaluation,
    guard: target.guard,
    patientMode,
    habits,
    contentKey,
    isWanted: forwarding.isHolding,
    clock,
    log,
    newId,
  });
  return {
    forwarding,
    evaluator,
    async start(): Promise<void> {
      await forwarding.start();
      evaluator.start();
    },
    async stop(): Promise<void> {
      await Promise.all([forwarding.stop(), evaluator.stop()]);
    },
  };
}
export type Shadow = ReturnType<typeof openShadow>;
