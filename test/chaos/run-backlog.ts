import { setTimeout as pause } from 'node:timers/promises';
import { withStage } from '../flow/delivery/stage.ts';
import { sqlitePlace } from '../support/new-store.ts';
import { forgetPeak, largePayload, statusOf } from './run-memory.ts';

export interface BacklogFigure {
  readonly load: string;
  readonly beforeMb: number;
  readonly peakMb: number;
  readonly seconds: number;
  readonly delivered: number;
}

/** Large documents of many patients wait while the EHR is paused, and are then all due at once. */
export const runBacklog = (
  patients: number,
  bytes: number,
  settings: Readonly<Record<string, string>>,
): Promise<BacklogFigure> =>
  withStage(sqlitePlace, {}, async (stage) => {
    const replica = await stage.start(settings);
    const states = async (): Promise<Readonly<Record<string, number>>> =>
      (await replica.admin('GET', 'ledger'))['byState'] as Record<string, number>;
    const until = async (isSo: (byState: Readonly<Record<string, number>>) => boolean): Promise<void> => {
      while (!isSo(await states())) await pause(100);
    };
    await replica.admin('POST', 'targets/ehr/pause', {});
    const users = Array.from({ length: patients }, (_, n) => `user-${n}`);
    for (const user of users) {
      await stage.enrol(replica, user);
      if ((await replica.send(largePayload(bytes, `doc-${user}`, user))) === null) throw new Error('not acknowledged');
      await until(({ received = 0 }) => received === 0);
    }
    const beforeMb = statusOf(replica.pid, 'VmRSS');
    forgetPeak(replica.pid);
    const from = performance.now();
    await replica.admin('POST', 'targets/ehr/resume', {});
    await until(({ queued = 0, sending = 0, unknown = 0 }) => queued + sending + unknown === 0);
    const { delivered = 0 } = await states();
    return {
      load: `${patients} documents of ${(bytes / (1024 * 1024)).toFixed(1)} MB due at once`,
      beforeMb,
      peakMb: statusOf(replica.pid, 'VmHWM'),
      seconds: Math.round((performance.now() - from) / 1000),
      delivered,
    };
  });
