import type { Piece } from './read-resources.ts';

/** Shown only to a person, and only when the work is long enough to wonder about. */
const LONG_MS = 1_000;
const EVERY_MS = 100;
const WIDTH = 24;

export interface Progress {
  step(piece: Piece): void;
  fileDone(): void;
  /** Takes the bar away, so that a report can be written. */
  clear(): void;
}

/** A bar over the files, with the number of resources judged so far. */
export function makeProgress(
  to: NodeJS.WritableStream & { isTTY?: boolean },
  files: number,
  nowMs: () => number = () => performance.now(),
): Progress {
  const since = nowMs();
  let shownAt = 0;
  let isShown = false;
  let resources = 0;
  let done = 0;

  function draw(): void {
    const now = nowMs();
    if (to.isTTY !== true || now - since < LONG_MS || now - shownAt < EVERY_MS) return;
    shownAt = now;
    isShown = true;
    const filled = Math.round((done / files) * WIDTH);
    to.write(`\r[${'#'.repeat(filled)}${'.'.repeat(WIDTH - filled)}] ${done}/${files} files, ${resources} resources`);
  }

  return {
    step() {
      resources++;
      draw();
    },
    fileDone() {
      done++;
      draw();
    },
    clear() {
      if (isShown) to.write(`\r${' '.repeat(WIDTH + 60)}\r`);
      isShown = false;
    },
  };
}
