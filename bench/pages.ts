import { parseLossless } from '../src/r4/index.ts';
import { toEntry } from '../src/smart/answer-search.ts';
import { checkPage, type PageRule } from '../src/smart/check-page.ts';
import { makePassPages } from '../src/smart/pass-page.ts';
import { printPassed } from '../src/smart/print-passed.ts';
import { makeRewriteAddresses, makeRewriteText } from '../src/smart/rewrite-addresses.ts';
import { searchOf } from '../src/smart/search-of.ts';
import { loadServed } from '../src/smart/served-types.ts';
import type { Json } from '../src/smart/whose.ts';
import { picker } from '../test/support/mutate.ts';
import { EHR, OWN } from '../test/support/smart/page-twins.ts';
import { PATIENT, seedPage } from '../test/support/smart/seed-pages.ts';
import { median, round, type Figure } from './figure.ts';

const ROUNDS = 15;
const CALLS = 300;
const ENTRIES = 20;

/** Microseconds of CPU a call, in all threads of the process. */
function cpuUs(work: () => unknown): number {
  const before = process.cpuUsage();
  for (let i = 0; i < CALLS; i += 1) work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / CALLS;
}

/** A page of 20 Observations from the bytes that came to the body of the answer: checked as bytes, and by parsing it. */
// eslint-disable-next-line @typescript-eslint/require-await
export async function* run(): AsyncGenerator<Figure> {
  const rewriteText = makeRewriteText({ ehrBase: EHR, ownBase: OWN });
  const rewrite = makeRewriteAddresses(rewriteText);
  const search = searchOf('Observation', PATIENT);
  const rule: PageRule = {
    search,
    served: loadServed([]),
    ehrBase: EHR,
    patient: PATIENT,
    patients: null,
    filters: [[]],
    includeFilters: () => [],
  };
  const passPages = makePassPages(rewriteText);
  const bundle = { resourceType: 'Bundle', type: 'searchset', total: ENTRIES, link: [] };

  const onBytes = (bytes: Buffer): string => {
    const page = passPages(rule)?.(bytes) ?? null;
    if (page === null) throw new Error('the page is not beyond doubt');
    return printPassed(bundle, page, OWN);
  };
  const byParsing = (bytes: Buffer): string => {
    const read = parseLossless(bytes);
    const checked = read.ok ? checkPage(read.value as Json, rule) : null;
    if (checked?.kind !== 'sound') throw new Error('the page is not sound');
    return JSON.stringify({ ...bundle, entry: rewrite(checked.entries).map((entry) => toEntry(entry, OWN, search)) });
  };

  for (const style of ['dense', 'lines'] as const) {
    const bytes = Buffer.from(seedPage('Observation', ENTRIES, style, picker(1)));
    for (const work of [onBytes, byParsing]) for (let i = 0; i < 5; i += 1) cpuUs(() => work(bytes));
    const rounds = Array.from({ length: ROUNDS }, () => ({
      ours: cpuUs(() => onBytes(bytes)),
      theirs: cpuUs(() => byParsing(bytes)),
    }));
    yield {
      bench: 'pages',
      figure: `bytes-vs-parsing-${style}`,
      ratio: round(median(rounds.map(({ ours, theirs }) => theirs / ours))),
      ours: round(median(rounds.map(({ ours }) => ours))),
      theirs: round(median(rounds.map(({ theirs }) => theirs))),
      unit: 'us of CPU',
      note: `${bytes.length} bytes, ${ENTRIES} entries, median of ${ROUNDS} paired rounds`,
    };
  }
}
