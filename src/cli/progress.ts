import type { Piece } from './read-resources.ts';

/** Shown only to a person, and only when the work is long enough to wonder about. */
const LONG_MS = 1_000;
const EVERY_MS = 100;
const WIDTH = 24;

type Screen = NodeJS.WritableStream & { readonly isTTY?: boolean };

/** One line that is drawn over itself. */
export function makeBar(to: Screen, nowMs: () => number = () => performance.now()) {
  const since = nowMs();
  let shownAt = 0;
  let isShown = false;
  return {
    draw(part: number, words: string): void {
      const now = nowMs();
      if (to.isTTY !== true || now - since < LONG_MS || now - shownAt < EVERY_MS) return;
      shownAt = now;
      isShown = true;
      const filled = Math.round(part * WIDTH);
      to.write(`\r[${'#'.repeat(filled)}${'.'.repeat(WIDTH - filled)}] ${words}`);
    },
    /** Takes the bar away, so that a report can be written. */
    clear(): void {
      if (isShown) to.write(`\r${' '.repeat(WIDTH + 60)}\r`);
      isShown = false;
    },
  };
}

export interface Progress {
  step(piece: Piece): void;
  fileDone(): void;
  clear(): void;
}

/** A bar over the files, with the number of resources judged so far. */
export function makeProgress(to: Screen, files: number, nowMs?: () => number): Progress {
  const bar = makeBar(to, nowMs);
  let resources = 0;
  let done = 0;
  const draw = (): void => bar.draw(done / files, `${done}/${files} files, ${resources} resources`);
  return {
    step() {
      resources++;
      draw();
    },
    fileDone() {
      done++;
      draw();
    },
    clear: bar.clear,
  };
}
