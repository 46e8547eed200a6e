import { encode as encodePng } from 'fast-png';
import jpeg from 'jpeg-js';
import { PDFDocument } from 'pdf-lib';
import { makeRandom, type LabReport, type Page, type Random } from '../../lab-reports/index.ts';
import { rasterise, type Grey } from './rasterise.ts';

export interface ScanTrouble {
  readonly dpi: number;
  readonly degrees: number;
  /** Radius of the blur, in pixels. */
  readonly blur: number;
  /** Standard deviation of the noise, of 255. */
  readonly noise: number;
  /** Black and white specks for each million pixels. */
  readonly specks: number;
  /** How much darker the far corner is, of 255. */
  readonly shade: number;
  /** Of the JPEG. */
  readonly quality: number;
}

/** The troubles of the n-th scan, from hardly any to what an office scanner does on a bad day. */
export function troubleOf(seed: number, n: number): ScanTrouble {
  const random = makeRandom(seed + 77, n);
  return {
    dpi: random.pick([150, 200, 200, 300]),
    degrees: (random.next() * 2 - 1) * 3,
    blur: random.next() * 0.8,
    noise: random.next() * 14,
    specks: random.next() * 300,
    shade: random.next() * 45,
    quality: 55 + random.below(40),
  };
}

/** Blurred by three passes of neighbours, `radius` below one mixing them in part. */
function blurred({ width, height, data }: Grey, radius: number): Float32Array {
  const side = radius / 3;
  const pass = (from: Float32Array, step: number, margin: number): Float32Array => {
    const out = from.slice();
    for (let row = margin; row < height - margin; row += 1)
      for (let i = row * width + 1; i < (row + 1) * width - 1; i += 1)
        out[i] = (from[i] ?? 0) * (1 - 2 * side) + side * ((from[i - step] ?? 0) + (from[i + step] ?? 0));
    return out;
  };
  return pass(pass(pass(new Float32Array(data), 1, 0), width, 1), 1, 0);
}

function troubled(clean: Grey, { blur, noise, specks, shade }: ScanTrouble, random: Random): Grey {
  const { width, height } = clean;
  const soft = blurred(clean, blur);
  const data = new Uint8Array(soft.length);
  for (let row = 0; row < height; row += 1)
    for (let column = 0; column < width; column += 1) {
      const i = row * width + column;
      const far = (column / width + row / height) / 2;
      const value = (soft[i] ?? 255) - shade * far + (noise < 1 ? 0 : random.around() * noise);
      data[i] = Math.max(0, Math.min(255, Math.round(value)));
    }
  const count = Math.round((specks * width * height) / 1_000_000);
  for (let speck = 0; speck < count; speck += 1) data[random.below(data.length)] = random.isLucky(0.6) ? 0 : 255;
  return { width, height, data };
}

function rgba({ data }: Grey): Buffer {
  const out = Buffer.alloc(data.length * 4, 255);
  for (let i = 0; i < data.length; i += 1) {
    const value = data[i] ?? 255;
    out[i * 4] = value;
    out[i * 4 + 1] = value;
    out[i * 4 + 2] = value;
  }
  return out;
}

/** One page on paper, scanned: the bytes of a JPEG or PNG, the same for the same seed and number. */
export function scanPage(page: Page, kind: 'jpeg' | 'png', trouble: ScanTrouble, seed: number): Buffer {
  const scan = troubled(rasterise(page, trouble.dpi, trouble.degrees), trouble, makeRandom(seed, 5));
  if (kind === 'png') return Buffer.from(encodePng({ ...scan, channels: 1, depth: 8 }));
  return Buffer.from(jpeg.encode({ data: rgba(scan), width: scan.width, height: scan.height }, trouble.quality).data);
}

export interface Scan {
  readonly bytes: Uint8Array;
  readonly kind: 'pdf' | 'jpeg' | 'png';
}

/** A report as it comes from a scanner: one page as a picture or a PDF of it, more pages always as a PDF. */
export async function scanReport({ pages }: LabReport, seed: number, n: number): Promise<Scan> {
  const trouble = troubleOf(seed, n);
  const kind = pages.length > 1 ? 'pdf' : (['jpeg', 'png', 'pdf'] as const)[n % 3];
  const scans = pages.map((page, i) =>
    scanPage(page, kind === 'png' ? 'png' : 'jpeg', trouble, seed * 1_000 + n * 10 + i),
  );
  const [first = Buffer.alloc(0)] = scans;
  if (kind !== 'pdf') return { bytes: new Uint8Array(first), kind: kind ?? 'jpeg' };
  const document = await PDFDocument.create();
  for (const [i, scan] of scans.entries()) {
    const { width = 0, height = 0 } = pages[i] ?? {};
    document.addPage([width, height]).drawImage(await document.embedJpg(scan), { x: 0, y: 0, width, height });
  }
  return { bytes: await document.save(), kind };
}
