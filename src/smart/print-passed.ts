import type { ScannedSearchset } from '../r4/index.ts';

/** The text with a character for each of its bytes in UTF-8, as a scanned text has it. */
const byteByByte = (text: string): string => Buffer.from(text, 'utf8').toString('latin1');

/**
 * A Bundle without entries, printed with those that were passed: their resources as the bytes that came. The text has a
 * character for each of its bytes.
 */
export function printPassed(
  bundle: object,
  { text, entries }: ScannedSearchset,
  ownBase: string,
  more: readonly object[] = [],
): string {
  const base = byteByByte(JSON.stringify(ownBase)).slice(0, -1);
  let printed = `${byteByByte(JSON.stringify(bundle)).slice(0, -1)},"entry":[`;
  let separator = '';
  for (const { type, id, start, end } of entries) {
    printed += `${separator}{"fullUrl":${base}/${type}/${id}","resource":`;
    printed += text.slice(start, end);
    printed += ',"search":{"mode":"match"}}';
    separator = ',';
  }
  for (const one of more) {
    printed += `${separator}${byteByByte(JSON.stringify(one))}`;
    separator = ',';
  }
  return `${printed}]}`;
}
