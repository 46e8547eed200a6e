import { test } from '@jest/globals';
import { runPage } from '../support/pages/run-page.ts';

test('docs/tutorials/go-live.md does what it says', () => runPage('docs/tutorials/go-live.md'), 480_000);
