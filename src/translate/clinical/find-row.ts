import type { MappedCoding, MetricRow, StandardFound } from '../../mappings/index.ts';
import { loincText } from '../loinc-text.ts';
import { codesText } from '../notebook.ts';
import { LOINC, type Scene } from '../scene.ts';
import type { Metric } from './read-metric.ts';

const windowOf = ({ timeFacts }: Metric): 'day' | 'other' => (timeFacts?.isWholeDay === true ? 'day' : 'other');

/** What the source says in its own code and beside it must be one thing: nobody can tell which of the two is wrong. */
function checkAgreement({ mappings, notebook }: Scene, { at, coding, loincs, others }: Metric): void {
  const known = coding.system === LOINC ? null : mappings.loincsOf(coding.system, coding.code);
  if (known === null || known.size === 0) return;
  for (const { code } of loincs)
    if (!known.has(code)) notebook.find('code.disagrees', at, `${coding.code}, ${loincText(code)}`);
  for (const { system, code } of others) {
    const second = mappings.loincsOf(system, code);
    if (second !== null && ![...second].some((one) => known.has(one)))
      notebook.find('code.disagrees', at, `${coding.code}, ${code}`);
  }
}

/** The codings as given, with the companion that a profile asks for beside its target. */
function codingsOf(row: MetricRow, loincs: readonly MappedCoding[]): readonly MappedCoding[] {
  const given = new Map(loincs.map((one) => [one.code, one]));
  const isTargeted = given.has(row.codings[0]?.code ?? '');
  const kept = row.codings.filter(({ code }) => isTargeted || given.has(code));
  return kept.map((one): MappedCoding => ({ ...one, ...given.get(one.code) }));
}

function tellMissing(
  { notebook }: Scene,
  { at, context }: Metric,
  found: Extract<StandardFound, { kind: 'none' }>,
): void {
  const words = found.codes.map(loincText);
  if (found.why === 'unknown') for (const word of words) notebook.find('code.unmapped', at, word);
  else if (found.why === 'context') notebook.find('context.unmapped', at, `${words.join(', ')} (${context})`);
  else notebook.find('code.disagrees', at, words.join(', '));
}

/**
 * By the LOINC codes that the source itself gives. The code says what it is; the row says unit, category, panel and
 * bounds.
 */
function findStandardRow(scene: Scene, metric: Metric): MetricRow | null {
  const { mappings, notebook, setting } = scene;
  const { at, loincs, context, isContextSaid } = metric;
  const codes = loincs.map(({ code }) => code);
  if (setting.standardCodes === 'park') notebook.find('code.standard', at, codes.map(loincText).join(', '));
  const found = mappings.findStandard({ codes, context: isContextSaid ? context : null, window: windowOf(metric) });
  const from = `${codes.map((code) => `${LOINC}|${code}`).join(' + ')} (${context})`;
  if (found.kind === 'none') {
    notebook.decide(at, 'code', from, null, null);
    tellMissing(scene, metric, found);
    return null;
  }
  const row = { ...found.row, codings: codingsOf(found.row, loincs) };
  notebook.decide(at, 'code', from, codesText(row), row);
  return row;
}

/** Which code was not known, and of which system where it is not that of the source. */
const wordOf = ({ mappings }: Scene, { system, code }: MappedCoding): string =>
  system === mappings.uris.code ? code : system === '' ? `${code} without a system` : `${system}|${code}`;

/** By the source's own code; else by the LOINC code beside it. */
export function findRow(scene: Scene, metric: Metric): MetricRow | null {
  const { mappings, notebook } = scene;
  const { coding, context, at, loincs, others } = metric;
  const window = windowOf(metric);
  if (loincs.length > 0 || others.length > 0) checkAgreement(scene, metric);
  const row = mappings.findMetric({ system: coding.system, code: coding.code, context, window });
  if (row === null && loincs.length > 0) return findStandardRow(scene, metric);
  const from = `${coding.system}|${coding.code} (${context})`;
  notebook.decide(at, 'code', from, row === null ? null : codesText(row), row);
  if (row !== null) return row;
  const isKnown = mappings.loincsOf(coding.system, coding.code) !== null;
  notebook.find(
    isKnown ? 'context.unmapped' : 'code.unmapped',
    at,
    isKnown ? `${coding.code} (${context})` : wordOf(scene, coding),
  );
  return null;
}
