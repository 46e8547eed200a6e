/*
 * The HAPI validator 8.8 as the judge of our own: `judgeAll` for programs, NDJSON for a shell. How its answers are read
 * is in judge/read-verdict.ts.
 */
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { StartError } from '../src/kernel/index.ts';
import { readVerdict, type Verdict } from './judge/read-verdict.ts';
import { askAll, startJudge, type JudgeOptions } from './judge/start-judge.ts';

const HELP = `Usage: node tools/judge.ts --guide PACKAGE… [--all] < CASES > VERDICTS

Reads lines of JSON, {id, resource, profiles?}, and answers each with {id, valid, issues}: the errors of the HAPI
validator 8.8 (R4) that count. A resource is judged by the profiles that are named and by those in its meta.profile.

  --guide PACKAGE   a FHIR NPM package, as .tgz or unpacked folder; the first one that has a definition wins
  --all             every issue, also warnings and the errors that are left out
  --help            this text

Needs a JDK of Java 17 or later and Maven, which fetches the libraries from Maven Central at the first start. What was
made of them is kept under data/judge, and may be removed.
`;

export interface JudgeCase {
  readonly id: string;
  readonly resource: unknown;
  readonly profiles?: readonly string[];
}

/** Starts the judge, asks about every case, and ends it. Throws a StartError where it cannot be started. */
export async function judgeAll(
  cases: readonly JudgeCase[],
  { onAnswer, ...options }: JudgeOptions & { readonly onAnswer?: (done: number) => void },
): Promise<readonly Verdict[]> {
  const judge = await startJudge(options);
  try {
    const questions = cases.map(({ resource, profiles }) => ({ resource, ...(profiles ? { profiles } : {}) }));
    return (await askAll(judge, questions, onAnswer)).map(readVerdict);
  } finally {
    await judge.stop();
  }
}

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      guide: { type: 'string', multiple: true, default: [] },
      all: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) {
    console.log(HELP);
    return 0;
  }
  const lines = readFileSync(0, 'utf8').split('\n');
  const cases = lines.filter((line) => line.trim() !== '').map((line) => JSON.parse(line) as JudgeCase);
  try {
    const verdicts = await judgeAll(cases, { guides: values.guide, say: (line) => console.error(line) });
    for (const [at, { valid, errors, issues }] of verdicts.entries())
      console.log(JSON.stringify({ id: cases[at]?.id, valid, issues: values.all ? issues : errors }));
    return 0;
  } catch (thrown) {
    if (!(thrown instanceof StartError)) throw thrown;
    console.error(thrown.message);
    return 1;
  }
}

if (import.meta.main) process.exitCode = await main();
