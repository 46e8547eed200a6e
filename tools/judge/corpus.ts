import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { JsonObject } from './json-sites.ts';
import { readPackage } from './read-package.ts';
import { readVerdict } from './read-verdict.ts';
import { halfOf } from './seeded-random.ts';
import { askAll, startJudge, type Answer, type JudgeIssue } from './start-judge.ts';

export const HALVES = ['open', 'aside'] as const;
export type Half = (typeof HALVES)[number];

/** Changing it makes other mutants and other halves. */
export const SEED = 'chartgate 2026';

/** A resource and the profiles by which it is judged, its own meta.profile among them. */
export interface CorpusCase {
  readonly id: string;
  readonly guide: string;
  readonly profiles: readonly string[];
  readonly resource: JsonObject;
}

export interface JudgedCase extends CorpusCase {
  readonly judge: {
    /** Which judge, with which packages: another one judges again. */
    readonly by: string;
    readonly valid: boolean;
    /** The errors that count. */
    readonly issues: readonly JudgeIssue[];
    /** Warnings, and the errors that are left out. */
    readonly others: readonly JudgeIssue[];
  };
}

const fileOf = (folder: string, guide: string, half: Half): string => join(folder, `${guide}-${half}.ndjson`);

/** The cases of one guide and half as they are kept; none where there is no such file. */
export function readCorpus(folder: string, guide: string, half: Half): readonly JudgedCase[] {
  const file = fileOf(folder, guide, half);
  if (!existsSync(file)) return [];
  const lines = readFileSync(file, 'utf8').split('\n');
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line) as JudgedCase);
}

const contentOf = ({ profiles, resource }: CorpusCase): string => JSON.stringify([profiles, resource]);

/** Of our own guides every file counts; a published package is known by its name. */
function judgeDigest(packages: readonly string[]): string {
  const hash = createHash('sha256');
  for (const name of ['Judge.java', 'pom.xml']) hash.update(readFileSync(join(import.meta.dirname, name)));
  for (const path of packages)
    if (path.endsWith('.tgz')) hash.update(basename(path));
    else hash.update(JSON.stringify(readPackage(path).definitions));
  return hash.digest('hex').slice(0, 12);
}

export interface MakeOptions {
  readonly folder: string;
  readonly guide: string;
  /** What the judge loads, the guide itself first. */
  readonly packages: readonly string[];
  readonly cases: readonly CorpusCase[];
  readonly threads: number;
  readonly say: (line: string) => void;
}

/** Judges what was not judged before, and writes both halves. Cases that break the judge are left out and counted. */
export async function makeCorpus({ folder, guide, packages, cases, threads, say }: MakeOptions): Promise<void> {
  mkdirSync(folder, { recursive: true });
  const known = new Map<string, Answer>();
  const by = judgeDigest(packages);
  for (const half of HALVES)
    for (const one of readCorpus(folder, guide, half).filter(({ judge }) => judge.by === by))
      known.set(contentOf(one), { issues: [...one.judge.issues, ...one.judge.others] });
  const open = cases.filter((one) => !known.has(contentOf(one)));
  say(`${guide}: ${cases.length} cases, ${open.length} of them new to the judge`);
  if (open.length > 0) {
    const judge = await startJudge({ guides: packages, threads, say });
    try {
      const questions = open.map(({ resource, profiles }) => ({ resource, profiles }));
      const answers = await askAll(judge, questions, (done) => {
        if (done % 250 === 0) say(`${guide}: ${done} of ${open.length} judged`);
      });
      for (const [at, answer] of answers.entries()) {
        const one = open[at];
        if (one !== undefined) known.set(contentOf(one), answer);
      }
    } finally {
      await judge.stop();
    }
  }
  const lines: Record<Half, string[]> = { open: [], aside: [] };
  let failed = 0;
  for (const one of cases) {
    const answer = known.get(contentOf(one)) ?? {};
    if (answer.failed !== undefined) {
      failed += 1;
      continue;
    }
    const { valid, errors, issues } = readVerdict(answer);
    const others = issues.filter((issue) => !errors.includes(issue));
    const judged: JudgedCase = { ...one, judge: { by, valid, issues: errors, others } };
    lines[halfOf(one.id, SEED)].push(JSON.stringify(judged));
  }
  if (failed > 0) say(`${guide}: ${failed} cases are left out, because the judge itself broke down over them`);
  for (const half of HALVES) {
    const file = fileOf(folder, guide, half);
    writeFileSync(`${file}.part`, `${lines[half].join('\n')}\n`);
    renameSync(`${file}.part`, file);
  }
}
