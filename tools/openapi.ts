/*
 * `npm run openapi`: writes openapi/openapi.json anew, from openapi/base.json (webhooks, the SMART read API, what
 * watchers ask, by hand) and the contracts of the admin API. With `--check` it only says whether they agree.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { describeApi } from './describe-api.ts';

const FILE = 'openapi/openapi.json';
const made = await describeApi(JSON.parse(readFileSync('openapi/base.json', 'utf8')) as Record<string, unknown>);
if (!process.argv.includes('--check')) writeFileSync(FILE, made);
else if (made !== readFileSync(FILE, 'utf8')) {
  console.error(`${FILE} is not what the contracts say: run npm run openapi`);
  process.exitCode = 1;
}
