import { expect } from '@jest/globals';
import { appendFileSync } from 'node:fs';

/** A number that the table at the end shows beside the test that found it. */
export interface Figure {
  readonly test: string;
  readonly text: string;
}

/** For `npm run test:real-ehr`, which names a file; others have no table. */
export function showFigure(text: string): void {
  const file = process.env['REAL_EHR_FIGURES'];
  const { currentTestName: test } = expect.getState();
  if (file !== undefined && test !== undefined)
    appendFileSync(file, `${JSON.stringify({ test, text } satisfies Figure)}\n`);
}
