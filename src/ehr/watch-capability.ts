import { faultFields, safeError, type Clock, type Fault, type Log, type Result } from '../kernel/index.ts';
import type { Probed } from './probe-ehr.ts';

const EVERY_MS = 3_600_000;
/** Who probes where nobody asks for it. */
const ITSELF = 'gateway';
/** While nothing is known yet, or the last try failed. */
const AGAIN_MS = 60_000;

export interface CapabilityState {
  /** The last good result, however old; null before the first. */
  readonly probed: Probed | null;
  readonly probedAt: Date | null;
  /** What the last try came to, where it failed. */
  readonly fault: Fault | null;
}

export interface CapabilityWatch {
  state(): CapabilityState;
  /** Probes now, for whoever asks. Who asks while a probe is under way gets that one. */
  refresh(by?: string): Promise<CapabilityState>;
  /** What is known once the probe that is under way, if one is, has ended. */
  settled(): Promise<CapabilityState>;
  start(): void;
  stop(): void;
}

/** Probes at start, every hour and on demand. A failed probe keeps what was known; each change is one line. */
export function watchCapability(deps: {
  readonly probe: () => Promise<Result<Probed>>;
  /** Host and port of the EHR. */
  readonly address: string;
  readonly clock: Clock;
  readonly log: Log;
  /** Told of every probe, and for whom it was made. */
  readonly onProbed: (result: Result<Probed>, by: string) => void;
  readonly everyMs?: number;
  readonly againMs?: number;
}): CapabilityWatch {
  const where = { address: deps.address, setting: 'CHARTGATE_EHR_URL' };
  let state: CapabilityState = { probed: null, probedAt: null, fault: null };
  let underWay: Promise<CapabilityState> | null = null;
  let timer: NodeJS.Timeout | null = null;
  let isStopped = false;

  async function look(by: string): Promise<CapabilityState> {
    const result = await deps.probe();
    if (result.ok) {
      const isNews = JSON.stringify(result.value) !== JSON.stringify(state.probed) || state.fault !== null;
      state = { probed: result.value, probedAt: deps.clock.now(), fault: null };
      if (isNews) deps.log.info('ehr.probed');
    } else {
      const isNews = state.fault?.code !== result.fault.code;
      state = { ...state, fault: result.fault };
      if (isNews) deps.log.warn('ehr.probe-failed', { ...faultFields(result.fault), ...where });
    }
    if (!isStopped) deps.onProbed(result, by);
    return state;
  }

  function refresh(by = ITSELF): Promise<CapabilityState> {
    if (timer !== null) clearTimeout(timer);
    underWay ??= look(by).finally(() => {
      underWay = null;
      if (isStopped) return;
      const waitMs = state.fault === null ? (deps.everyMs ?? EVERY_MS) : (deps.againMs ?? AGAIN_MS);
      timer = setTimeout(refreshAlone, waitMs).unref();
    });
    return underWay;
  }

  /** By itself: nobody is there to hear of a bug, so the log is. */
  function refreshAlone(): void {
    refresh().catch((thrown: unknown) => deps.log.error('ehr.probe-failed', { error: safeError(thrown), ...where }));
  }

  return {
    state: () => state,
    refresh,
    settled: () => underWay ?? Promise.resolve(state),
    start: refreshAlone,
    stop: () => {
      isStopped = true;
      if (timer !== null) clearTimeout(timer);
    },
  };
}
