import { gatherParts } from './gather-parts.ts';
import type { RawAnswer, RawHeaders } from './read-answer.ts';

/** Puts an answer together from what undici tells of it. */
export function receiveAnswer() {
  const parts = gatherParts();
  let status = 0;
  let headers: RawHeaders = {};
  return {
    begin(statusCode: number, given: RawHeaders): void {
      // 103 and its like come before the answer.
      if (statusCode < 200) return;
      status = statusCode;
      headers = given;
    },
    add: parts.add,
    whole: (): RawAnswer => ({ status, headers, bytes: parts.bytes() }),
  };
}
