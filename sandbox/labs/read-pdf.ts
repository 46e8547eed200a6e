import type { Picture } from './picture.ts';
import type { Word } from './word.ts';

export interface PdfPage {
  readonly width: number;
  readonly height: number;
  readonly words: readonly Word[];
  /** The pictures on it, largest first; asked for only where the page has no text. */
  pictures(): Promise<readonly Picture[]>;
}

const PAGES_MAX = 20;
/** Beyond it a picture is no page of paper, and would not fit into memory. */
const PIXELS_MAX = 60_000_000;
/** pdf.js' kinds of picture data. */
const GREY_1BPP = 1;
const RGB_24BPP = 2;

interface TextItem {
  readonly str: string;
  readonly transform: readonly number[];
  readonly width: number;
  readonly height: number;
}

/** An item of text is parted at its blanks; within it a word is as wide as its share of letters. */
function wordsOf({ str, transform, width, height }: TextItem, pageHeight: number): Word[] {
  const [a = 1, b = 0, , , x = 0, y = 0] = transform;
  // Text that runs up or down the margin is no row of a table.
  if (str.trim() === '' || Math.abs(b) > Math.abs(a)) return [];
  const share = width / str.length;
  const size = height === 0 ? Math.hypot(a, b) : height;
  return [...str.matchAll(/\S+/g)].map(({ 0: text, index }) => ({
    text,
    x0: x + index * share,
    x1: x + (index + text.length) * share,
    y0: pageHeight - y - size,
    y1: pageHeight - y,
  }));
}

interface RawPicture {
  readonly width: number;
  readonly height: number;
  readonly kind?: number;
  readonly data?: Uint8Array | Uint8ClampedArray | null;
}

export function pictureOf(raw: RawPicture): Picture | null {
  const { width, height, kind, data } = raw;
  if (data === null || data === undefined || width * height > PIXELS_MAX || width < 50 || height < 50) return null;
  const grey = new Uint8Array(width * height);
  if (kind === GREY_1BPP) {
    const stride = (width + 7) >> 3;
    for (let i = 0; i < grey.length; i += 1) {
      const column = i % width;
      const byte = data[Math.floor(i / width) * stride + (column >> 3)] ?? 0;
      grey[i] = (byte >> (7 - (column & 7))) & 1 ? 255 : 0;
    }
    return { width, height, data: grey };
  }
  const channels = kind === RGB_24BPP ? 3 : 4;
  if (data.length < grey.length * channels) return null;
  for (let i = 0, from = 0; i < grey.length; i += 1, from += channels)
    grey[i] = ((data[from] ?? 0) * 299 + (data[from + 1] ?? 0) * 587 + (data[from + 2] ?? 0) * 114) / 1000;
  return { width, height, data: grey };
}

/** The pages of a PDF. Throws where it is none, or is locked by a password. */
export async function readPdf(bytes: Uint8Array): Promise<readonly PdfPage[]> {
  const { getDocumentProxy, getResolvedPDFJS } = await import('unpdf');
  const { OPS } = await getResolvedPDFJS();
  const document = await getDocumentProxy(bytes, { verbosity: 0 });
  const pages: PdfPage[] = [];
  for (let n = 1; n <= Math.min(document.numPages, PAGES_MAX); n += 1) {
    const page = await document.getPage(n);
    const { width, height } = page.getViewport({ scale: 1 });
    const content = await page.getTextContent();
    const items = content.items.filter((item) => 'str' in item) as unknown as TextItem[];
    pages.push({
      width,
      height,
      words: items.flatMap((item) => wordsOf(item, height)),
      async pictures() {
        const { fnArray, argsArray } = await page.getOperatorList();
        const found: Picture[] = [];
        for (const [i, operation] of fnArray.entries()) {
          if (operation !== OPS.paintImageXObject && operation !== OPS.paintInlineImageXObject) continue;
          const named = (argsArray[i] as readonly unknown[])[0];
          const raw =
            typeof named === 'string'
              ? await new Promise<RawPicture>((resolve) => {
                  const kept = named.startsWith('g_') ? page.commonObjs : page.objs;
                  kept.get(named, (data: RawPicture) => resolve(data));
                })
              : (named as RawPicture);
          const picture = pictureOf(raw);
          if (picture !== null) found.push(picture);
        }
        return found.sort((a, b) => b.width * b.height - a.width * a.height);
      },
    });
  }
  return pages;
}
