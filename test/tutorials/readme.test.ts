import { test } from '@jest/globals';
import { runPage } from '../support/pages/run-page.ts';

test('README.md does what it says', () => runPage('README.md'), 480_000);
