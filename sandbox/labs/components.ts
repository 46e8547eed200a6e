import type { Picture } from './picture.ts';

/** Ink that hangs together. */
export interface Blob {
  readonly x0: number;
  readonly y0: number;
  readonly x1: number;
  readonly y1: number;
  readonly area: number;
}

const INK = 150;

interface Run {
  readonly from: number;
  readonly to: number;
  readonly row: number;
  label: number;
}

/** The blobs of a picture, found run by run: runs of neighbouring rows that touch are of one blob. */
export function blobsOf({ width, height, data }: Picture, ink = INK): Blob[] {
  const parents: number[] = [];
  const rootOf = (label: number): number => {
    let root = label;
    while (parents[root] !== root) root = parents[root] ?? root;
    parents[label] = root;
    return root;
  };
  const runs: Run[] = [];
  let above: Run[] = [];
  for (let row = 0; row < height; row += 1) {
    const here: Run[] = [];
    const base = row * width;
    let first = 0;
    for (let x = 0; x < width; x += 1) {
      if ((data[base + x] ?? 255) >= ink) continue;
      const from = x;
      while (x < width && (data[base + x] ?? 255) < ink) x += 1;
      const run: Run = { from, to: x - 1, row, label: -1 };
      while (first < above.length && (above[first]?.to ?? 0) < from - 1) first += 1;
      for (let i = first; i < above.length && (above[i]?.from ?? 0) <= x; i += 1) {
        const other = rootOf(above[i]?.label ?? 0);
        if (run.label === -1) run.label = other;
        else parents[other] = run.label = rootOf(run.label);
      }
      if (run.label === -1) {
        run.label = parents.length;
        parents.push(run.label);
      }
      here.push(run);
    }
    runs.push(...here);
    above = here;
  }
  const blobs = new Map<number, { x0: number; y0: number; x1: number; y1: number; area: number }>();
  for (const { from, to, row, label } of runs) {
    const root = rootOf(label);
    const blob = blobs.get(root);
    if (blob === undefined) blobs.set(root, { x0: from, y0: row, x1: to + 1, y1: row + 1, area: to - from + 1 });
    else {
      blob.x0 = Math.min(blob.x0, from);
      blob.x1 = Math.max(blob.x1, to + 1);
      blob.y1 = row + 1;
      blob.area += to - from + 1;
    }
  }
  return [...blobs.values()];
}

/** How high a small letter is: the middle of all blobs that could be one. */
export function letterHeightOf(blobs: readonly Blob[], pictureHeight: number): number {
  const heights = blobs
    .filter(({ x0, x1, y0, y1 }) => y1 - y0 >= 6 && y1 - y0 < pictureHeight / 20 && x1 - x0 < (y1 - y0) * 3)
    .map(({ y0, y1 }) => y1 - y0)
    .sort((a, b) => a - b);
  return heights[heights.length >> 1] ?? 0;
}

/** Dots in a row that lead from a name to its value. The recogniser makes letters of them. */
export function leadersOf(blobs: readonly Blob[], letter: number): Blob[] {
  const dots = blobs.filter(({ x0, x1, y0, y1 }) => y1 - y0 <= letter * 0.45 && x1 - x0 <= letter * 0.6);
  const rows = new Map<number, Blob[]>();
  const bucket = Math.max(2, letter * 0.5);
  for (const dot of dots) {
    const key = Math.floor(dot.y1 / bucket);
    rows.set(key, [...(rows.get(key) ?? []), dot]);
  }
  const found = new Set<Blob>();
  for (const key of rows.keys()) {
    // Two neighbouring bands, since a row of dots may lie across their border.
    const band = [...(rows.get(key) ?? []), ...(rows.get(key + 1) ?? [])].sort((a, b) => a.x0 - b.x0);
    let chain: Blob[] = [];
    const close = (): void => {
      if (chain.length >= 6) for (const dot of chain) found.add(dot);
      chain = [];
    };
    for (const dot of band) {
      const last = chain.at(-1);
      if (last !== undefined && (dot.x0 - last.x1 > letter * 1.1 || Math.abs(dot.y1 - last.y1) > letter * 0.3)) close();
      chain.push(dot);
    }
    close();
  }
  return [...found];
}
