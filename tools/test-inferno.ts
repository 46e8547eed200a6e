/*
 * `npm run test:inferno`: the conformance suites of Inferno, which the certification of EHRs in the US uses, against a
 * gateway with a demo EHR of its own, or against one that runs already. docs/conformance.md tells what came of it.
 */
import { writeFileSync } from 'node:fs';
import { makeBar } from '../src/embed.ts';
import { CHROMIUM } from '../test/support/chromium.ts';
import { judgeRuns } from './inferno/compare.ts';
import { drawFindings, drawTable } from './inferno/draw-table.ts';
import { EXPECTED } from './inferno/expected.ts';
import { openInferno } from './inferno/inferno.ts';
import { openStand } from './inferno/open-stand.ts';
import { HELP, parseAsked, type Asked } from './inferno/parse-asked.ts';
import { chooseRuns, PLAN } from './inferno/plan.ts';
import { runPlan } from './inferno/run-plan.ts';

const EXIT = { good: 0, bad: 1, usage: 2, missing: 3 } as const;
/** Where nobody watches a bar, a line now and then. */
const LINE_EVERY_MS = 30_000;

const stopping = new AbortController();
for (const name of ['SIGINT', 'SIGTERM'] as const) process.on(name, () => stopping.abort());

const tell = (line: string): void => void process.stderr.write(`${line}\n`);

function makeWatcher() {
  const bar = makeBar(process.stderr);
  let toldAt = performance.now();
  return {
    onProgress(name: string, done: number, all: number): void {
      const words = `${name}: ${done} of ${all} tests`;
      bar.draw(all === 0 ? 0 : Math.min(1, done / all), words);
      if (process.stderr.isTTY || performance.now() - toldAt < LINE_EVERY_MS) return;
      toldAt = performance.now();
      tell(`… ${words}`);
    },
    onEnd(line: string): void {
      bar.clear();
      toldAt = performance.now();
      tell(line);
    },
  };
}

async function run(asked: Asked): Promise<number> {
  const runs = chooseRuns(PLAN, asked.sets, asked.only);
  if (asked.isList || runs.length === 0) {
    process.stdout.write(
      runs.length === 0 ? 'No run has such a name.\n' : `${runs.map(({ name }) => name).join('\n')}\n`,
    );
    return runs.length === 0 ? EXIT.usage : EXIT.good;
  }
  const version = await openInferno(asked.inferno).version();
  if (version === null || CHROMIUM === undefined) {
    tell(
      version === null
        ? `NOT RUN: no Inferno answers at ${asked.inferno}. docs/conformance.md tells how to start one.`
        : 'NOT RUN: there is no Chromium at /usr/bin, by which the sign-in pages are pressed.',
    );
    return EXIT.missing;
  }
  const { stand, close } = await openStand(asked, process.env, tell);
  try {
    tell(
      `Inferno ${version} at ${asked.inferno}, gateway ${stand.gateway.url}${stand.ehr === '' ? '' : `, EHR ${stand.ehr}`}`,
    );
    tell(`patients ${stand.patients.map(({ id }) => id).join(', ')}`);
    const sides = asked.isDirect ? 'both' : 'gateway';
    const compared = await runPlan(
      stand,
      runs,
      { sides, minutesMax: asked.minutesMax, signal: stopping.signal },
      makeWatcher(),
    );
    const verdict = judgeRuns(compared, EXPECTED);
    if (asked.json !== null) {
      const text = `${JSON.stringify({ inferno: version, runs: compared, verdict }, null, 1)}\n`;
      if (asked.json === '-') process.stdout.write(text);
      else writeFileSync(asked.json, text);
    }
    if (asked.json !== '-') process.stdout.write(`\n${drawTable(compared)}\n\n${drawFindings(verdict)}`);
    return verdict.unexpected.length === 0 && !stopping.signal.aborted ? EXIT.good : EXIT.bad;
  } finally {
    await close();
  }
}

const asked = parseAsked(process.argv.slice(2), process.env);
if (asked === 'help') process.stdout.write(HELP);
else if ('problem' in asked) {
  tell(`${asked.problem}\n\n${HELP}`);
  process.exitCode = EXIT.usage;
} else
  try {
    process.exitCode = await run(asked);
  } catch (thrown) {
    tell(thrown instanceof Error ? thrown.message : String(thrown));
    process.exitCode = EXIT.bad;
  }
