import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Figure } from './figure.ts';

export function figure(title: string, ours: number, theirs: number, unit: string, note: string): Figure {
  return {
    bench: 'validate',
    figure: title,
    ratio: Number((theirs / ours).toFixed(3)),
    ours: Number(ours.toFixed(2)),
    theirs: Number(theirs.toFixed(2)),
    unit,
    note,
  };
}

/** What is really held: without a collection first, garbage would be counted. */
export function heldMb(): number {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
  return process.memoryUsage().heapUsed / 1e6;
}
