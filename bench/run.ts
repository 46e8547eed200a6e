import type { Figure } from './figure.ts';

interface Options {
  readonly rows?: number;
  readonly ehr: string | null;
  readonly minutes?: number;
}

/** Each bench by its name; loaded only when it is run. */
const BENCHES: Readonly<Record<string, () => Promise<{ run(options: Options): AsyncIterable<Figure> }>>> = {
  store: () => import('./store.ts'),
  statements: () => import('./statements.ts'),
  validate: () => import('./validate.ts'),
  ingest: () => import('./ingest.ts'),
  translate: () => import('./translate.ts'),
  deliver: () => import('./deliver.ts'),
  deliveries: () => import('./delivery-pages.ts'),
  lists: () => import('./lists.ts'),
  read: () => import('./read.ts'),
  pages: () => import('./pages.ts'),
  export: () => import('./export.ts'),
  audit: () => import('./audit.ts'),
  labs: () => import('./labs.ts'),
  stream: () => import('./stream.ts'),
  screens: () => import('./screens.ts'),
  console: () => import('./console.ts'),
  subscribe: () => import('./subscribe.ts'),
  disk: () => import('./disk.ts'),
};

const help = `Usage: npm run bench -- [NAME…] [--json] [--rows=N] [--ehr=URL] [--minutes=N]

Names: ${Object.keys(BENCHES).join(', ')} (default: all). Both sides of a figure run in the same process tree, in turns, at
least three rounds; the median is reported, of \`deliver\`, \`read\` and \`ingest\` that of the ratios of nine rounds. --json prints one JSON object a line and nothing else. --rows: how many deliveries \`deliver\`, \`deliveries\` and \`screens\` find stored; how many resources \`export\` has.
--ehr, or EHR_BENCH_URL: the base of a real FHIR server on this machine that \`deliver\` may fill; without it two of its figures are left out.
--minutes: how long \`console\` leaves a tab open (2).
`;

const args = process.argv.slice(2);
const isJson = args.includes('--json');
const names = args.filter((one) => !one.startsWith('-'));
const ROWS = /^--rows=([1-9]\d{0,7})$/;
const rows = args.map((one) => ROWS.exec(one)?.[1]).find((one) => one !== undefined);
const EHR = /^--ehr=(http:\/\/(?:127\.0\.0\.1|localhost):\d+\/\S*)$/;
const givenEhr = process.env['EHR_BENCH_URL'] ?? '';
const ehr =
  args.map((one) => EHR.exec(one)?.[1]).find((one) => one !== undefined) ?? (givenEhr === '' ? null : givenEhr);
const MINUTES = /^--minutes=([1-9]\d{0,2})$/;
const minutes = args.map((one) => MINUTES.exec(one)?.[1]).find((one) => one !== undefined);
const isOption = (one: string): boolean => one === '--json' || [ROWS, EHR, MINUTES].some((form) => form.test(one));
const unknown = [
  ...names.filter((name) => !Object.hasOwn(BENCHES, name)),
  ...args.filter((one) => one.startsWith('-') && !isOption(one)),
];

if (unknown.length > 0) {
  process.stdout.write(help);
  process.exit(args.includes('--help') || args.includes('-h') ? 0 : 2);
}
for (const name of names.length === 0 ? Object.keys(BENCHES) : names) {
  const bench = await BENCHES[name]?.();
  if (bench === undefined) continue;
  if (!isJson)
    process.stdout.write(
      `\n${name}\n${'figure'.padEnd(34)}${'ratio'.padStart(9)}${'ours'.padStart(12)}${'theirs'.padStart(12)}  unit, note\n`,
    );
  const options = {
    ehr,
    ...(rows === undefined ? {} : { rows: Number(rows) }),
    ...(minutes === undefined ? {} : { minutes: Number(minutes) }),
  };
  for await (const figure of bench.run(options))
    process.stdout.write(
      isJson
        ? `${JSON.stringify(figure)}\n`
        : `${figure.figure.padEnd(34)}${String(figure.ratio).padStart(9)}${String(figure.ours).padStart(12)}${String(figure.theirs).padStart(12)}  ${figure.unit}; ${figure.note}\n`,
    );
}
