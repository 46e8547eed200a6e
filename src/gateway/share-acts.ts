import type { OpenTarget } from '../ehr/index.ts';
import type { Reloaded } from '../judge/index.ts';
import { safeError, shareCalls, type Log, type Peers, type Result } from '../kernel/index.ts';

/** What an operator does to a running gateway, and not to what is stored. */
export interface Acts {
  /** Loads mapping data and templates anew. */
  readonly reload: (by: string) => Promise<Result<Reloaded, string>>;
  /** The target was paused, or goes on. */
  readonly recheck: () => void;
  /** Asks the EHR what it can. */
  readonly refresh: OpenTarget['refresh'];
}

/** Carried out at every worker, whichever of them was asked. The answer is that of the one that was. */
export function shareActs(peers: Peers, own: Acts, log: Log): Acts {
  const told = (by: string): void =>
    void own.refresh(by).catch((thrown: unknown) => log.error('ehr.probe-failed', { error: safeError(thrown) }));
  peers.onTold('refresh', (by) => told(String(by)));
  return {
    ...shareCalls(peers, 'acts', { reload: own.reload, recheck: own.recheck }),
    refresh(by) {
      peers.tell('refresh', by);
      return own.refresh(by);
    },
  };
}
