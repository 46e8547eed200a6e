/* npm run test:agreement: how often our profile engine and the HAPI validator say the same. */
import { existsSync, mkdirSync } from 'node:fs';
import { join, resolve as absolute } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { StartError } from '../src/kernel/index.ts';
import { checkTools } from './hapi/check-tools.ts';
import { runTool } from './hapi/run-tool.ts';
import { readAdjudications, type Adjudication } from './judge/adjudication.ts';
import { compare, groupDisagreements, type Agreement, type Validate } from './judge/compare.ts';
import { HALVES, makeCorpus, readCorpus, type Half } from './judge/corpus.ts';
import {
  ADJUDICATIONS,
  casesOf,
  GUIDE_NAMES,
  ownAdjudications,
  packagesOf,
  PUBLISHED,
  TERMINOLOGY,
  type GuideName,
} from './judge/guides.ts';

const HELP = `Usage: npm run test:agreement -- [options]

Makes corpora of resources (published examples, cases of our own, seeded mutants of both), has the HAPI validator 8.8
judge them, and compares our engine with it.

  --guide NAME      own, ips, uscore311, uscore610; several are possible (default: those whose package is there)
  --half HALF       open, aside or both (default: both)
  --packages DIR    where guides are looked for as .tgz, several are possible; data/guides is always among them, and
                    what npm has is fetched into it
  --corpus DIR      where what was judged is kept (default: data/judge/corpus)
  --engine FILE     the module of another engine: exports loadValidate(packages), see EngineModule in tools/agreement.ts
  --keep            compares with the corpora as they are, without the judge
  --threads N       of the judge (default: 1)
  --json            the whole comparison as JSON
  --help            this text

Making corpora needs Java 17 and Maven. What was judged before is not judged again.
`;

/** What the engine's module exports. */
export interface EngineModule {
  readonly loadValidate: (packages: readonly string[]) => Promise<Validate> | Validate;
}

const DATA = absolute(import.meta.dirname, '../data');
const say = (line: string): void => console.error(line);

interface Asked {
  readonly guides: readonly GuideName[];
  readonly halves: readonly Half[];
  readonly packages: readonly string[];
  readonly corpus: string;
  readonly engine: string;
  readonly threads: number;
  readonly mode: 'make' | 'keep';
  readonly form: 'table' | 'json';
}

function parseAsked(args: readonly string[]): Asked | 'help' {
  const { values } = parseArgs({
    args: [...args],
    options: {
      guide: { type: 'string', multiple: true, default: [] },
      half: { type: 'string', default: 'both' },
      packages: { type: 'string', multiple: true, default: [] },
      corpus: { type: 'string', default: join(DATA, 'judge/corpus') },
      engine: { type: 'string', default: join(import.meta.dirname, 'judge/engine.ts') },
      keep: { type: 'boolean', default: false },
      threads: { type: 'string', default: '1' },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) return 'help';
  return {
    guides: GUIDE_NAMES.filter((name) => values.guide.length === 0 || values.guide.includes(name)),
    halves: HALVES.filter((half) => values.half === 'both' || values.half === half),
    packages: [...values.packages, join(DATA, 'guides')],
    corpus: values.corpus,
    engine: values.engine,
    threads: Number(values.threads),
    mode: values.keep ? 'keep' : 'make',
    form: values.json ? 'json' : 'table',
  };
}

/** Fetches with npm what npm has. Whether it succeeded is seen by looking for the file. */
async function fetchPackage(npm: string | null, file: string, folders: readonly string[]): Promise<void> {
  if (npm === null || folders.some((folder) => existsSync(join(folder, file)))) return;
  const folder = folders.at(-1) ?? DATA;
  mkdirSync(folder, { recursive: true });
  say(`fetching ${npm}`);
  await runTool('npm', ['pack', npm, '--silent', '--pack-destination', folder]);
}

const percent = (share: number): string => `${(share * 100).toFixed(2)} %`;

function drawTable(rows: readonly Agreement[]): string {
  const head = [
    'guide',
    'half',
    'cases',
    'invalid',
    'wrongly accepted',
    'wrongly refused',
    'ours right',
    'raw',
    'agreement',
  ];
  const cells = rows.map((row) => [
    row.guide,
    row.half,
    String(row.cases),
    String(row.invalid),
    String(row.wronglyAccepted),
    String(row.wronglyRefused),
    String(row.adjudicated),
    percent(row.raw),
    percent(row.agreement),
  ]);
  const widths = head.map((name, at) => Math.max(name.length, ...cells.map((row) => (row[at] ?? '').length)));
  const line = (row: readonly string[]): string => row.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join('  ');
  return [line(head), ...cells.map(line)].join('\n');
}

function drawDisagreements(rows: readonly Agreement[], entries: readonly Adjudication[]): string {
  return rows
    .flatMap(({ guide, half, disagreements, examplesRefused }) => [
      ...examplesRefused.map((id) => `${guide} ${half}: published example refused: ${id}`),
      ...groupDisagreements(disagreements, entries).flatMap(({ kind, by, who, count, examples }) => [
        `${guide} ${half} ${kind} ${count} × [${by}]${who === 'ours' ? ' (adjudicated: ours)' : ''}`,
        ...examples.map(({ id, text }) => `    ${id}\n        ${text}`),
      ]),
    ])
    .join('\n');
}

async function main(args: readonly string[]): Promise<number> {
  const asked = parseAsked(args);
  if (asked === 'help') {
    console.log(HELP);
    return 0;
  }
  const { guides, halves, packages, corpus, engine, threads, mode, form } = asked;
  for (const { npm, file } of [TERMINOLOGY, ...guides.flatMap((name) => (name === 'own' ? [] : [PUBLISHED[name]]))])
    await fetchPackage(npm, file, packages);
  const find = (file: string): string => {
    const folder = packages.find((one) => existsSync(join(one, file)));
    if (folder === undefined)
      throw new StartError('agreement.package', `${file} is in none of ${packages.join(', ')}.`);
    return join(folder, file);
  };
  const present = guides.filter((name) => {
    const isThere = name === 'own' || packages.some((folder) => existsSync(join(folder, PUBLISHED[name].file)));
    if (!isThere) say(`${name}: left out, because ${PUBLISHED[name].file} is not there`);
    return isThere;
  });
  const problem = mode === 'make' ? await checkTools() : null;
  if (problem !== null) say(`The corpora stay as they are. ${problem}`);
  else if (mode === 'make')
    for (const guide of present)
      await makeCorpus({
        folder: corpus,
        guide,
        packages: packagesOf(guide, find),
        cases: casesOf(guide, find),
        threads,
        say,
      });

  const { loadValidate } = (await import(pathToFileURL(absolute(engine)).href)) as EngineModule;
  const entries = [...readAdjudications(ADJUDICATIONS), ...ownAdjudications()];
  const rows: Agreement[] = [];
  for (const guide of present) {
    const validate = await loadValidate(packagesOf(guide, find));
    for (const half of halves) rows.push(compare(guide, half, readCorpus(corpus, guide, half), validate, entries));
  }
  if (form === 'json')
    console.log(
      JSON.stringify(
        rows.map(({ disagreements, ...row }) => ({ ...row, groups: groupDisagreements(disagreements, entries) })),
        null,
        2,
      ),
    );
  else console.log(`${drawDisagreements(rows, entries)}\n\n${drawTable(rows)}`);
  return 0;
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (thrown) {
  if (!(thrown instanceof StartError)) throw thrown;
  console.error(thrown.message);
  process.exitCode = 1;
}
