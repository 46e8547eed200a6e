import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import opentype from 'opentype.js';
import { dotsBetween, type Drawn, type Font, type Page } from '../../lab-reports/index.ts';

/** Grey, one byte for each pixel; 255 is white. */
export interface Grey {
  readonly width: number;
  readonly height: number;
  readonly data: Uint8Array;
}

const require = createRequire(import.meta.url);
const FAMILIES: Readonly<Record<Font, string>> = { sans: 'arimo', serif: 'tinos', mono: 'cousine' };
type Outlines = ReturnType<typeof opentype.parse>;
const loaded = new Map<string, Outlines>();

function outlinesOf(font: Font, weight: 'plain' | 'bold'): Outlines {
  const family = FAMILIES[font];
  const name = `@fontsource/${family}/files/${family}-latin-${weight === 'bold' ? 700 : 400}-normal.woff`;
  const known = loaded.get(name);
  if (known !== undefined) return known;
  const file = readFileSync(require.resolve(name));
  const made = opentype.parse(file.buffer.slice(file.byteOffset, file.byteOffset + file.length));
  loaded.set(name, made);
  return made;
}

type Point = readonly [x: number, y: number];

/** Signed areas under edges, which summed along a row give how much of a pixel is covered. */
function makeInk(width: number, height: number, grey: Float32Array) {
  const sums = new Float32Array(width * height + 2);

  function edge([x0, y0]: Point, [x1, y1]: Point): void {
    if (y0 === y1) return;
    const sign = y0 < y1 ? 1 : -1;
    const [xa, ya, xb, yb] = y0 < y1 ? [x0, y0, x1, y1] : [x1, y1, x0, y0];
    const slope = (xb - xa) / (yb - ya);
    let x = ya < 0 ? xa - ya * slope : xa;
    for (let row = Math.max(0, Math.floor(ya)); row < Math.min(height, Math.ceil(yb)); row += 1) {
      const dy = Math.min(row + 1, yb) - Math.max(row, ya);
      const next = x + slope * dy;
      const from = Math.max(0, Math.min(x, next));
      const to = Math.max(0, Math.max(x, next));
      const first = Math.min(width - 1, Math.floor(from));
      const last = Math.min(width - 1, Math.floor(to));
      const base = row * width;
      if (first === last) {
        const covered = dy * (first + 1 - (from + to) / 2);
        sums[base + first] = (sums[base + first] ?? 0) + sign * covered;
        sums[base + first + 1] = (sums[base + first + 1] ?? 0) + sign * (dy - covered);
      } else {
        const perX = dy / (to - from);
        let before = 0;
        for (let column = first; column <= last; column += 1) {
          const left = Math.max(from, column);
          const right = Math.min(to, column + 1);
          const here = perX * (right - left);
          const covered = before + here * (column + 1 - (left + right) / 2);
          sums[base + column] = (sums[base + column] ?? 0) + sign * (covered - (column === first ? 0 : done));
          done = covered;
          before += here;
        }
        sums[base + last + 1] = (sums[base + last + 1] ?? 0) + sign * (dy - done);
      }
      x = next;
    }
  }
  let done = 0;

  return {
    polygon(points: readonly Point[]): void {
      points.forEach((point, i) => edge(point, points[(i + 1) % points.length] ?? point));
    },
    /** Puts what was gathered onto the page in one tone. */
    flush(tone: number): void {
      for (let row = 0; row < height; row += 1) {
        let sum = 0;
        for (let column = 0; column < width; column += 1) {
          const i = row * width + column;
          sum += sums[i] ?? 0;
          const covered = Math.min(1, Math.abs(sum));
          if (covered > 0.004) grey[i] = (grey[i] ?? 255) * (1 - covered) + tone * covered;
        }
      }
      sums.fill(0);
    },
  };
}

function curve(from: Point, points: readonly Point[], steps: number): Point[] {
  return Array.from({ length: steps }, (_, i) => {
    const t = (i + 1) / steps;
    let level: Point[] = [from, ...points];
    while (level.length > 1)
      level = level.slice(1).map(([x, y], j) => {
        const [px, py] = level[j] ?? [x, y];
        return [px + (x - px) * t, py + (y - py) * t] as const;
      });
    return level[0] ?? from;
  });
}

function contoursOf(one: Extract<Drawn, { kind: 'text' }>): Point[][] {
  const outlines = outlinesOf(one.font, one.weight);
  const width = outlines.getAdvanceWidth(one.text, one.size);
  const x = one.align === 'right' ? one.x - width : one.x;
  const dot = outlines.getAdvanceWidth('.', one.size);
  const paths = [outlines.getPath(one.text, x, one.y, one.size)];
  if (one.leaderTo !== null)
    paths.push(outlines.getPath(dotsBetween(x + width, one.leaderTo, dot), x + width + dot, one.y, one.size));
  const contours: Point[][] = [];
  for (const command of paths.flatMap(({ commands }) => commands)) {
    const contour = contours.at(-1) ?? [];
    const last = contour.at(-1) ?? [0, 0];
    if (command.type === 'M') contours.push([[command.x, command.y]]);
    else if (command.type === 'L') contour.push([command.x, command.y]);
    else if (command.type === 'Q') contour.push(...curve(last, [[command.x1, command.y1], [command.x, command.y]], 5)); // prettier-ignore
    else if (command.type === 'C')
      contour.push(...curve(last, [[command.x1, command.y1], [command.x2, command.y2], [command.x, command.y]], 7)); // prettier-ignore
  }
  return contours;
}

function shapeOf(one: Drawn): { readonly contours: readonly (readonly Point[])[]; readonly tone: number } {
  if (one.kind === 'text') return { contours: contoursOf(one), tone: 20 };
  if (one.kind === 'box') {
    const { x, y, w, h } = one;
    return { contours: [[[x, y], [x + w, y], [x + w, y + h], [x, y + h]]], tone: one.grey }; // prettier-ignore
  }
  const half = one.width / 2;
  const { x0, y0, x1, y1 } = one;
  const [dx, dy] = x0 === x1 ? [half, 0] : [0, half];
  return { contours: [[[x0 - dx, y0 - dy], [x1 + dx, y1 - dy], [x1 + dx, y1 + dy], [x0 - dx, y0 + dy]]], tone: 60 }; // prettier-ignore
}

/** A page as a scanner sees it that lies a little askew. */
export function rasterise(page: Page, dpi: number, degrees: number): Grey {
  const scale = dpi / 72;
  const width = Math.round(page.width * scale);
  const height = Math.round(page.height * scale);
  const cos = Math.cos((degrees * Math.PI) / 180) * scale;
  const sin = Math.sin((degrees * Math.PI) / 180) * scale;
  const place = ([x, y]: Point): Point => {
    const [dx, dy] = [x - page.width / 2, y - page.height / 2];
    return [width / 2 + dx * cos - dy * sin, height / 2 + dx * sin + dy * cos];
  };
  const grey = new Float32Array(width * height).fill(255);
  const ink = makeInk(width, height, grey);
  const shapes = page.drawn.map(shapeOf);
  // Boxes lie under what is written on them; all of one tone is put down at once.
  for (const tone of [...new Set(shapes.map((shape) => shape.tone))].sort((a, b) => b - a)) {
    for (const shape of shapes)
      if (shape.tone === tone) for (const contour of shape.contours) ink.polygon(contour.map(place));
    ink.flush(tone);
  }
  const data = new Uint8Array(grey.length);
  for (let i = 0; i < data.length; i += 1) data[i] = Math.round(grey[i] ?? 255);
  return { width, height, data };
}
