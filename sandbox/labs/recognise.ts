import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { gunzipSync } from 'node:zlib';
import { toPgm, type Picture } from './picture.ts';
import type { Word } from './word.ts';

/** As much of tesseract.js-core as is used here; it has no types of its own. */
interface BaseApi {
  Init(path: null, language: string, mode: number): number;
  SetVariable(name: string, value: string): boolean;
  SetImageFile(exif: number, angle: number): number;
  Recognize(monitor: null): number;
  GetTSVText(page: number): string;
  Clear(): void;
}
interface Core {
  readonly FS: { writeFile(name: string, data: Uint8Array): void };
  readonly TessBaseAPI: new () => BaseApi;
}

const LSTM_ONLY = 1;
const require = createRequire(import.meta.url);

export interface SeenWord extends Word {
  /** From 0 to 100. */
  readonly sureness: number;
}

export type Recognise = (picture: Picture, letters: 'anything' | 'numbers') => readonly SeenWord[];

/**
 * Words are the fifth level of the table: level, page, block, paragraph, line, word, left, top, width, height,
 * sureness, text.
 */
function wordOf(row: string): SeenWord[] {
  const cells = row.split('\t');
  const [left = 0, top = 0, width = 0, height = 0, sureness = 0] = cells.slice(6, 11).map(Number);
  const text = (cells[11] ?? '').trim();
  if (cells[0] !== '5' || text === '') return [];
  return [{ text, x0: left, y0: top, x1: left + width, y1: top + height, sureness }];
}

/** Text from pictures. Loads 15 MB and takes the thread it runs in for seconds: for a thread of its own. */
export async function loadRecognise(): Promise<Recognise> {
  const makeCore = require('tesseract.js-core/tesseract-core-simd-lstm') as (options: object) => Promise<Core>;
  const core = await makeCore({});
  const data = readFileSync(require.resolve('@tesseract.js-data/eng/4.0.0_best_int/eng.traineddata.gz'));
  core.FS.writeFile('./eng.traineddata', gunzipSync(data));
  const api = new core.TessBaseAPI();
  if (api.Init(null, 'eng', LSTM_ONLY) !== 0) throw new Error('the recogniser did not start');
  return (picture, letters) => {
    // 6: one block of text, row by row. 7: one line.
    api.SetVariable('tessedit_pageseg_mode', letters === 'anything' ? '6' : '7');
    api.SetVariable('preserve_interword_spaces', '1');
    api.SetVariable('tessedit_char_whitelist', letters === 'anything' ? '' : '0123456789.,<>*-+ HLA');
    core.FS.writeFile('/input', toPgm(picture));
    if (api.SetImageFile(1, 0) !== 0) throw new Error('the picture could not be read');
    api.Recognize(null);
    const words = api.GetTSVText(0).split('\n').flatMap(wordOf);
    api.Clear();
    return words;
  };
}
