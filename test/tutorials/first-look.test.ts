import { test } from '@jest/globals';
import { runPage } from '../support/pages/run-page.ts';

test('docs/tutorials/first-look.md does what it says', () => runPage('docs/tutorials/first-look.md'), 480_000);
