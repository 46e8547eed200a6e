import { test } from '@jest/globals';
import { runPage } from '../support/pages/run-page.ts';

test(
  'docs/tutorials/map-a-new-metric.md does what it says',
  () => runPage('docs/tutorials/map-a-new-metric.md'),
  480_000,
);
