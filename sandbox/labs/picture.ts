/** Grey, one byte for each pixel; 255 is white. */
export interface Picture {
  readonly width: number;
  readonly height: number;
  readonly data: Uint8Array;
}

const at = (data: Uint8Array | Float32Array, i: number): number => data[i] ?? 0;

/** The brightness that most of a tile's paper has, tile by tile; what is grey behind text is paper too. */
const TILE = 24;

/** White paper and black ink, whatever the lamp did and however grey the box is that the text stands in. */
export function flattened({ width, height, data }: Picture): Picture {
  const columns = Math.ceil(width / TILE);
  const rows = Math.ceil(height / TILE);
  const paper = new Float32Array(columns * rows);
  for (let row = 0; row < rows; row += 1)
    for (let column = 0; column < columns; column += 1) {
      const counts = new Uint32Array(64);
      let all = 0;
      for (let y = row * TILE; y < Math.min(height, (row + 1) * TILE); y += 1)
        for (let x = column * TILE; x < Math.min(width, (column + 1) * TILE); x += 1) {
          const bin = at(data, y * width + x) >> 2;
          counts[bin] = (counts[bin] ?? 0) + 1;
          all += 1;
        }
      // Brighter than three quarters of the tile: ink rarely covers more.
      let left = all * 0.3;
      let bin = 63;
      while (bin > 0 && left > (counts[bin] ?? 0)) left -= counts[bin--] ?? 0;
      paper[row * columns + column] = Math.max(60, bin * 4 + 2);
    }
  const out = new Uint8Array(data.length);
  for (let y = 0; y < height; y += 1)
    for (let x = 0; x < width; x += 1) {
      // Between the middles of the tiles, so that their edges do not show.
      const fx = Math.max(0, Math.min(columns - 1.001, x / TILE - 0.5));
      const fy = Math.max(0, Math.min(rows - 1.001, y / TILE - 0.5));
      const [cx, cy] = [Math.floor(fx), Math.floor(fy)];
      const [tx, ty] = [fx - cx, fy - cy];
      const corner = cy * columns + cx;
      const top = at(paper, corner) * (1 - tx) + at(paper, corner + 1) * tx;
      const below = cy + 1 < rows ? at(paper, corner + columns) * (1 - tx) + at(paper, corner + columns + 1) * tx : top;
      out[y * width + x] = Math.min(255, (at(data, y * width + x) * 250) / (top * (1 - ty) + below * ty));
    }
  return { width, height, data: out };
}

/** Specks are gone: a pixel that differs from all around it becomes the middle of its neighbourhood. */
export function despeckled({ width, height, data }: Picture): Picture {
  const out = data.slice();
  const near = new Uint8Array(8);
  for (let y = 1; y < height - 1; y += 1)
    for (let x = 1; x < width - 1; x += 1) {
      const i = y * width + x;
      let [low, high] = [255, 0];
      let n = 0;
      for (let dy = -1; dy <= 1; dy += 1)
        for (let dx = -1; dx <= 1; dx += 1) {
          if (dx === 0 && dy === 0) continue;
          const value = at(data, i + dy * width + dx);
          near[n++] = value;
          if (value < low) low = value;
          if (value > high) high = value;
        }
      const here = at(data, i);
      if (here < low - 60 || here > high + 60) out[i] = near.sort()[4] ?? here;
    }
  return { width, height, data: out };
}

/** Larger or smaller, and turned by `degrees` about its middle; what comes in from outside is white. */
export function turned(from: Picture, scale: number, degrees: number): Picture {
  const width = Math.round(from.width * scale);
  const height = Math.round(from.height * scale);
  const cos = Math.cos((degrees * Math.PI) / 180) / scale;
  const sin = Math.sin((degrees * Math.PI) / 180) / scale;
  const data = new Uint8Array(width * height).fill(255);
  for (let y = 0; y < height; y += 1)
    for (let x = 0; x < width; x += 1) {
      const [dx, dy] = [x - width / 2, y - height / 2];
      const sx = from.width / 2 + dx * cos - dy * sin;
      const sy = from.height / 2 + dx * sin + dy * cos;
      const [ix, iy] = [Math.floor(sx), Math.floor(sy)];
      if (ix < 0 || iy < 0 || ix >= from.width - 1 || iy >= from.height - 1) continue;
      const [tx, ty] = [sx - ix, sy - iy];
      const i = iy * from.width + ix;
      const top = at(from.data, i) * (1 - tx) + at(from.data, i + 1) * tx;
      const below = at(from.data, i + from.width) * (1 - tx) + at(from.data, i + from.width + 1) * tx;
      data[y * width + x] = top * (1 - ty) + below * ty;
    }
  return { width, height, data };
}

const DARK = 140;

/** How many degrees the lines of text are turned: where rows of ink are sharpest. */
export function skewOf({ width, height, data }: Picture): number {
  const step = Math.max(1, Math.round(width / 900));
  const points: number[] = [];
  for (let y = 0; y < height; y += step)
    for (let x = 0; x < width; x += step) if (at(data, y * width + x) < DARK) points.push(x, y);
  const sharpness = (degrees: number): number => {
    const slope = Math.tan((degrees * Math.PI) / 180);
    const rows = new Uint32Array(Math.ceil((height + width) / step) + 2);
    const shift = width;
    for (let i = 0; i < points.length; i += 2) {
      const row = Math.floor(((points[i + 1] ?? 0) - (points[i] ?? 0) * slope + shift / 2) / step);
      if (row >= 0 && row < rows.length) rows[row] = (rows[row] ?? 0) + 1;
    }
    let sum = 0;
    for (let row = 1; row < rows.length; row += 1) sum += ((rows[row] ?? 0) - (rows[row - 1] ?? 0)) ** 2;
    return sum;
  };
  const best = (around: number, reach: number, by: number): number => {
    let found = around;
    let most = -1;
    for (let degrees = around - reach; degrees <= around + reach + 1e-9; degrees += by) {
      const here = sharpness(degrees);
      if (here > most) [found, most] = [degrees, here];
    }
    return found;
  };
  return best(best(0, 5, 0.5), 0.5, 0.1);
}

/** The borders of tables are gone: runs of ink longer than any letter, of few pixels across. */
export function withoutRules({ width, height, data }: Picture, letter: number): Picture {
  const out = data.slice();
  const isInk = (i: number): boolean => at(data, i) < 170;
  const erase = (start: number, length: number, step: number, across: number): void => {
    for (let k = 0; k < length; k += 1)
      for (let side = -1; side <= 1; side += 1) {
        const i = start + k * step + side * across;
        // Where a letter touches the border, its ink goes on further across and stays.
        const beyond = start + k * step + (side === 0 ? 3 : side * 4) * across;
        if (i >= 0 && i < out.length && (side === 0 || at(data, beyond) > 200)) out[i] = 255;
      }
  };
  const scan = (
    lines: number,
    along: number,
    startOf: (line: number) => number,
    step: number,
    across: number,
  ): void => {
    const longest = letter * 4;
    for (let line = 1; line < lines - 1; line += 1) {
      let run = 0;
      let miss = 0;
      for (let k = 0; k <= along; k += 1) {
        const i = startOf(line) + k * step;
        const ink = k < along && (isInk(i) || (run > 0 && (isInk(i - across) || isInk(i + across)) && miss < 3));
        if (ink) {
          run += 1;
          miss = isInk(i) ? 0 : miss + 1;
        } else {
          if (run > longest) erase(startOf(line) + (k - run) * step, run, step, across);
          run = 0;
          miss = 0;
        }
      }
    }
  };
  scan(height, width, (line) => line * width, 1, width);
  scan(width, height, (line) => line, width, 1);
  return { width, height, data: out };
}

/** Binary portable grey map: the plainest form that the recogniser takes. */
export function toPgm({ width, height, data }: Picture): Uint8Array {
  const head = Buffer.from(`P5\n${width} ${height}\n255\n`, 'latin1');
  return Buffer.concat([head, data]);
}

/** A part with white around it. */
export function cut(from: Picture, place: { x0: number; y0: number; x1: number; y1: number }, margin: number): Picture {
  const [w, h] = [place.x1 - place.x0, place.y1 - place.y0];
  const [width, height] = [w + 2 * margin, h + 2 * margin];
  const data = new Uint8Array(width * height).fill(255);
  for (let y = 0; y < h; y += 1)
    data.set(
      from.data.subarray((place.y0 + y) * from.width + place.x0, (place.y0 + y) * from.width + place.x1),
      (y + margin) * width + margin,
    );
  return { width, height, data };
}
