import { answerInThread } from '../../src/kernel/index.ts';
import type { LabReading, SubmittedDocument } from './lab-document.ts';
import { readPages } from './read-pages.ts';
import { readPdf, type PdfPage } from './read-pdf.ts';
import { readWords } from './read-words.ts';
import type { Recognise } from './recognise.ts';
import { toPdf } from './to-pdf.ts';

let loading: Promise<Recognise> | null = null;
const recogniser = (): Promise<Recognise> =>
  (loading ??= import('./recognise.ts').then(({ loadRecognise }) => loadRecognise()));

/** Null for what is no PDF or picture, whatever it begins with, or is locked. */
async function pagesOf({ bytes, kind }: SubmittedDocument): Promise<readonly PdfPage[] | null> {
  try {
    return await readPdf(kind === 'pdf' ? bytes : await toPdf(bytes, kind));
  } catch {
    return null;
  }
}

answerInThread<SubmittedDocument, LabReading>(async (document) => {
  const pages = await pagesOf(document);
  return pages === null ? { kind: 'illegible' } : readWords(await readPages(pages, recogniser), document);
});
