import { beforeAll, expect, test } from '@jest/globals';
import { checkTools } from '../../tools/hapi/check-tools.ts';
import { runPage } from '../support/pages/run-page.ts';

const missing = await checkTools();
const medplum = process.env['MEDPLUM_TEST_URL'] ?? '';

/** What is not run says so by its name, and is counted as skipped. */
const where = (reason: string | null) =>
  reason === null ? test : (name: string) => test.skip(`${name} NOT RUN: ${reason}`, () => undefined);

beforeAll(() => expect(medplum).toMatch(/^(?:http:\/\/localhost:\d+)?$/));

where(missing)(
  'docs/tutorials/connect-hapi.md does what it says, with a HAPI of its own',
  () => runPage('docs/tutorials/connect-hapi.md'),
  900_000,
);

where(medplum === '' ? 'MEDPLUM_TEST_URL names no Medplum that was just started (http://localhost:8103)' : null)(
  'docs/tutorials/connect-medplum.md does what it says',
  () => runPage('docs/tutorials/connect-medplum.md', { there: { 8103: Number(new URL(medplum).port) } }),
  600_000,
);
