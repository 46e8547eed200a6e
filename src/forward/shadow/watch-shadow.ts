import type { Actor } from '../../audit/index.ts';
import { faultFields, safeError, type Clock, type Log, type Result } from '../../kernel/index.ts';
import type { Operate } from '../../store/index.ts';
import type { ShadowReads, ShadowWrites } from './commands.ts';

const EVERY_MS = 1_000;

/** `held`: the mode is live, and what waits since shadow mode was on has not been confirmed by a person. */
export interface Forwarding {
  readonly state: 'running' | 'shadow' | 'held';
  readonly since: number | null;
  readonly waiting: number;
}

type Found = ShadowReads['shadow.state']['out'];
type Left = ShadowWrites['shadow.leave']['out'];

/**
 * Whether deliveries are forwarded to the EHR. The store remembers that shadow mode was on; until a person has
 * confirmed how many wait, no process claims anything, whatever its own mode is.
 */
export function watchShadow(deps: {
  readonly tenant: string;
  readonly mode: 'live' | 'shadow';
  readonly shadow: Operate<ShadowWrites, ShadowReads>;
  readonly clock: Clock;
  readonly log: Log;
  /** Told when what waits may go on. */
  readonly onForwarding: () => void;
}) {
  const { tenant, mode, shadow, clock, log } = deps;
  let known: Forwarding | null = null;
  let looking: Promise<void> | null = null;
  /** Grows when it was left, so that what was read before that is not taken for news. */
  let leaves = 0;
  let isEntered = mode === 'live';

  function learn({ since, waiting }: Found): void {
    const before = known;
    const state = mode === 'shadow' ? 'shadow' : since === null ? 'running' : 'held';
    known = { state, since, waiting };
    if (before?.state === state) return;
    if (state === 'shadow')
      log.warn('shadow.entered', { count: waiting, setting: 'CHARTGATE_MODE=shadow: nothing is written' });
    if (state === 'held')
      log.warn('shadow.held', { count: waiting, setting: 'chartgate shadow leave --confirm COUNT' });
    if (before?.state === 'held') log.info('shadow.left', { count: before.waiting });
    if (state === 'running') deps.onForwarding();
  }

  /** Once for each process, and until it is stored: a later start in live mode must find out about it. */
  async function enter(): Promise<void> {
    const entered = await shadow.write('shadow.enter', { tenant, at: clock.now() });
    isEntered = entered.ok;
    if (!entered.ok) log.error('shadow.failed', faultFields(entered.fault));
  }

  async function look(): Promise<void> {
    if (!isEntered) await enter();
    const before = leaves;
    const found = await shadow.read('shadow.state', { tenant });
    if (!found.ok || before !== leaves) return;
    const { since, waiting } = found.value;
    // Nothing waits, so there is nothing that a person could confirm.
    if (mode === 'live' && since !== null && waiting === 0) {
      const left = await leave({ confirm: 0, actor: 'gateway', requestId: 'shadow' });
      if (left.ok && left.value.outcome !== 'unconfirmed') return;
    }
    learn(found.value);
  }

  /** In live mode: what waits goes on if the number is right. */
  async function leave(of: Actor & { readonly confirm: number; readonly requestId: string }): Promise<Result<Left>> {
    const done = await shadow.write('shadow.leave', { tenant, at: clock.now(), ...of });
    if (done.ok && done.value.outcome !== 'unconfirmed') {
      leaves += 1;
      learn({ since: null, waiting: 0 });
    }
    return done;
  }

  /** Who asks while it is being looked at gets that look. */
  const recheck = (): Promise<void> =>
    (looking ??= look()
      .catch((thrown: unknown) => log.error('shadow.failed', { error: safeError(thrown) }))
      .finally(() => (looking = null)));

  let timer: NodeJS.Timeout | null = null;
  return {
    mode,
    /** Before it is known whether anything is held, nothing is forwarded. */
    isForwarding: (): boolean => known?.state === 'running',
    /** Known to hold deliveries back, so that finding out about them is of use. */
    isHolding: (): boolean => known !== null && known.state !== 'running',
    state: (): Forwarding => known ?? { state: mode === 'shadow' ? 'shadow' : 'held', since: null, waiting: 0 },
    leave,
    async start(): Promise<void> {
      await recheck();
      timer = setInterval(() => void recheck(), EVERY_MS).unref();
    },
    async stop(): Promise<void> {
      if (timer !== null) clearInterval(timer);
      await looking;
    },
  };
}
export type ShadowWatch = ReturnType<typeof watchShadow>;
