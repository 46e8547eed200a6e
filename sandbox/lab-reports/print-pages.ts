import type { PDFFont, PDFPage } from 'pdf-lib';
import type { Drawn, Font, Page } from './page.ts';

/** pdf-lib dates and names what it makes; the same pages must be the same bytes. */
const MADE_AT = new Date(0);
const KEYS: readonly (readonly [Font, 'plain' | 'bold'])[] = [
  ['sans', 'plain'],
  ['sans', 'bold'],
  ['serif', 'plain'],
  ['serif', 'bold'],
  ['mono', 'plain'],
  ['mono', 'bold'],
];

/** How many dots fit between the end of a text and where they stop. */
export const dotsBetween = (from: number, to: number, width: number): string =>
  '.'.repeat(Math.max(0, Math.floor((to - from - width) / width)));

/** The pages as a PDF with text, in the fonts that every reader has. */
export async function printPages(pages: readonly Page[]): Promise<Uint8Array> {
  const { PDFDocument, StandardFonts, grayscale } = await import('pdf-lib');
  const document = await PDFDocument.create({ updateMetadata: false });
  document.setCreationDate(MADE_AT);
  document.setModificationDate(MADE_AT);
  const names = [
    StandardFonts.Helvetica,
    StandardFonts.HelveticaBold,
    StandardFonts.TimesRoman,
    StandardFonts.TimesRomanBold,
    StandardFonts.Courier,
    StandardFonts.CourierBold,
  ];
  const fonts = new Map<string, PDFFont>();
  for (const [i, [font, weight]] of KEYS.entries())
    fonts.set(`${font} ${weight}`, await document.embedFont(names[i] ?? StandardFonts.Helvetica));

  function draw(page: PDFPage, one: Drawn): void {
    const height = page.getHeight();
    if (one.kind === 'box') {
      page.drawRectangle({
        x: one.x,
        y: height - one.y - one.h,
        width: one.w,
        height: one.h,
        color: grayscale(one.grey / 255),
      });
      return;
    }
    if (one.kind === 'line') {
      page.drawLine({
        start: { x: one.x0, y: height - one.y0 },
        end: { x: one.x1, y: height - one.y1 },
        thickness: one.width,
      });
      return;
    }
    const font = fonts.get(`${one.font} ${one.weight}`);
    if (font === undefined) return;
    const width = font.widthOfTextAtSize(one.text, one.size);
    const x = one.align === 'right' ? one.x - width : one.x;
    page.drawText(one.text, { x, y: height - one.y, size: one.size, font });
    if (one.leaderTo === null) return;
    const dot = font.widthOfTextAtSize('.', one.size);
    page.drawText(dotsBetween(x + width, one.leaderTo, dot), {
      x: x + width + dot,
      y: height - one.y,
      size: one.size,
      font,
    });
  }

  for (const { width, height, drawn } of pages) {
    const page = document.addPage([width, height]);
    for (const one of drawn) draw(page, one);
  }
  return document.save();
}
