import type { ServerResponse } from 'node:http';
import type { Outlet } from '../kernel/index.ts';

/** A reader who has so much still to take does not keep up. */
const WAITING_BYTES_MAX = 64 * 1_024;

/** The rest of an answer whose head is written. */
export const outletOf = (res: ServerResponse): Outlet => ({
  write(text) {
    if (res.writable) res.write(text);
    return res.writableLength > WAITING_BYTES_MAX ? 'behind' : 'taken';
  },
  drained() {
    if (!res.writableNeedDrain || res.destroyed) return Promise.resolve();
    return new Promise((resolve) => {
      const done = (): void => {
        res.off('drain', done).off('close', done);
        resolve();
      };
      res.once('drain', done).once('close', done);
    });
  },
  end: () => void res.end(),
  cut: () => void res.destroy(),
  onClose: (listener) => void res.once('close', listener),
});
