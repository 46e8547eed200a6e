import { digitsOf } from '../r4/index.ts';
import { checkCode } from './check-code.ts';
import type { ConsistencyRow, MetricRow } from './mapping.ts';
import type { Report } from './problem.ts';
import { hasShape, list, number, oneOf, words, type Check } from './read-shape.ts';
import { LOINC } from './systems.ts';

const FILE = 'plausibility.json';

const SAID: Readonly<Record<string, Check>> = {
  kind: words,
  action: oneOf('finding', 'preliminary', 'park'),
  source: words,
  reviewer: words,
};
const KINDS: Readonly<Record<ConsistencyRow['kind'], Readonly<Record<string, Check>>>> = {
  order: { lower: words, upper: words },
  'body-mass-index': { weight: words, height: words, index: words, share: number },
  jump: { code: words, share: number, hours: number },
  repeat: { code: words, days: number },
};
const NUMBERS = ['share', 'hours', 'days'];
const CODES = ['lower', 'upper', 'weight', 'height', 'index', 'code'];

const isKind = (kind: unknown): kind is ConsistencyRow['kind'] =>
  typeof kind === 'string' && Object.hasOwn(KINDS, kind);

function readRow(value: unknown, place: string, known: ReadonlySet<string>, report: Report): ConsistencyRow | null {
  const { kind } = (value ?? {}) as { kind?: unknown };
  if (!isKind(kind)) {
    report(place, `kind must be one of ${Object.keys(KINDS).join(', ')}`);
    return null;
  }
  if (!hasShape(value, { ...SAID, ...KINDS[kind] }, place, report)) return null;
  const given = value as Readonly<Record<string, unknown>>;
  const codes = CODES.filter((name) => given[name] !== undefined).map((name) => String(given[name]));
  const row = `${FILE}#${kind}/${codes.join('/')}`;
  for (const code of codes) {
    const wrong = checkCode(LOINC, code, new Set());
    if (wrong !== null) report(row, wrong);
    else if (!known.has(code)) report(row, `no metric becomes ${code}`);
  }
  const numbers = Object.fromEntries(
    NUMBERS.filter((name) => given[name] !== undefined).map((name) => [name, Number(digitsOf(given[name]))]),
  );
  for (const [name, one] of Object.entries(numbers)) if (one <= 0) report(row, `${name} must be above 0`);
  return { ...given, ...numbers, row } as unknown as ConsistencyRow;
}

/** What values of one document must be to each other. The list may be left out. */
export function buildConsistency(
  value: unknown,
  metrics: readonly MetricRow[],
  report: Report,
): readonly ConsistencyRow[] {
  const given = ((value ?? {}) as { consistency?: unknown }).consistency;
  if (given === undefined) return [];
  if (list(given) !== null) {
    report(FILE, 'consistency must be a list');
    return [];
  }
  const known = new Set(metrics.flatMap(({ codings }) => codings[0]?.code ?? []));
  const rows = (given as readonly unknown[])
    .map((one, i) => readRow(one, `${FILE}#consistency[${i}]`, known, report))
    .filter((one) => one !== null);
  const seen = new Set<string>();
  for (const { row } of rows) {
    if (seen.has(row)) report(row, 'is there twice');
    seen.add(row);
  }
  return rows;
}
