/*
 * `npm run test:fuzz-pages`: mutated pages of an EHR, each answered by the way that checks bytes and by the way that
 * parses. Ends with 1 at the first difference, and prints the smallest page that shows it.
 */
import { parseArgs } from 'node:util';
import { fuzzPages } from '../test/support/smart/fuzz-pages.ts';

const HELP = `Usage: npm run test:fuzz-pages -- [--pages N] [--seed N]

Compares status, headers, meaning of the body, audit records and log lines of N mutated pages (1000000) from a seed on
(1). The same seed gives the same pages.
`;

const { values } = parseArgs({
  options: {
    pages: { type: 'string', default: '1000000' },
    seed: { type: 'string', default: '1' },
    help: { type: 'boolean', short: 'h', default: false },
  },
});
const [pages, seed] = [Number(values.pages), Number(values.seed)];
if (values.help || !Number.isInteger(pages) || !Number.isInteger(seed) || pages < 1) {
  process.stdout.write(HELP);
  process.exit(values.help ? 0 : 2);
}
const report = (so: object): void => void process.stdout.write(`${JSON.stringify(so)}\n`);
const { difference, ...found } = await fuzzPages(seed, pages, report);
report({ ...found, seconds: Math.round(process.uptime()), cpuSeconds: Math.round(process.cpuUsage().user / 1e6) });
if (difference !== null) {
  report(difference);
  process.exitCode = 1;
}
