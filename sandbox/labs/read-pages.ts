import { mendNumber } from './mend-number.ts';
import { prepare } from './prepare.ts';
import type { PdfPage } from './read-pdf.ts';
import type { Recognise } from './recognise.ts';
import type { PageOfWords } from './word.ts';

/** Fewer words than these on a page with a picture, and the page is a scan. */
const WORDS_MIN = 8;

/** The words of a document: those that it has as text, and those that can be recognised where it has none. */
export async function readPages(
  pages: readonly PdfPage[],
  recogniser: () => Promise<Recognise>,
): Promise<PageOfWords[]> {
  const read: PageOfWords[] = [];
  for (const page of pages) {
    const [scan] = page.words.length >= WORDS_MIN ? [] : await page.pictures();
    const picture = scan === undefined ? null : prepare(scan);
    if (picture === null) {
      read.push({ origin: 'printed', width: page.width, words: page.words });
      continue;
    }
    const recognise = await recogniser();
    const words = recognise(picture, 'anything').map((word) => mendNumber(picture, word, recognise));
    read.push({ origin: 'scanned', width: picture.width, words });
  }
  return read;
}
