import { deepFreeze } from './deep-freeze.ts';
import type { MetricEntry } from './build-metrics.ts';
import type { MetricRow, StandardFound, StandardQuestion } from './mapping.ts';
import { LOINC } from './systems.ts';

/**
 * The LOINC codes of a row: its target, the companions and the panel. The other sides of a panel are other
 * measurements.
 */
const loincsIn = ({ codings, panel }: MetricRow): string[] =>
  [...codings, ...(panel?.codings ?? [])].filter(({ system }) => system === LOINC).map(({ code }) => code);

/** A mean over a day and one over a session are told apart by their time; a mean and a reading are not. */
const isMean = (context: string): boolean => context === 'daily_average' || context === 'session';

const fitsContext = (asked: string | null, own: string): boolean =>
  asked === null || asked === own || (isMean(asked) && isMean(own));

export interface Standard {
  readonly find: (question: StandardQuestion) => StandardFound;
  readonly loincsOf: (system: string, code: string) => ReadonlySet<string> | null;
}

/** The metric rows read backwards: what the data know of an entry that comes with LOINC codes of its own. */
export function buildStandard(entries: readonly MetricEntry[]): Standard {
  const byLoinc = new Map<string, MetricEntry[]>();
  const bySource = new Map<string, Map<string, Set<string>>>();
  for (const entry of entries) {
    for (const { system, code } of entry.row.codings)
      if (system === LOINC) byLoinc.set(code, [...(byLoinc.get(code) ?? []), entry]);
    const codes = bySource.get(entry.system) ?? new Map<string, Set<string>>();
    bySource.set(entry.system, codes);
    codes.set(entry.code, new Set([...(codes.get(entry.code) ?? []), ...loincsIn(entry.row)]));
  }

  /** Rows that know all of the codes, those first that one of the codes is the target of. */
  function rowsOf(codes: readonly string[]): readonly MetricEntry[] {
    const all = (byLoinc.get(codes[0] ?? '') ?? []).filter(({ row }) =>
      codes.every((code) => row.codings.some((one) => one.system === LOINC && one.code === code)),
    );
    const targeted = all.filter(({ row }) => codes.includes(row.codings[0]?.code ?? ''));
    return targeted.length > 0 ? targeted : all;
  }

  return {
    loincsOf: (system, code) => bySource.get(system)?.get(code) ?? null,
    find({ codes, context, window }) {
      const unknown = codes.filter((code) => !byLoinc.has(code));
      if (unknown.length > 0) return { kind: 'none', why: 'unknown', codes: unknown };
      const rows = rowsOf(codes);
      if (rows.length === 0) return { kind: 'none', why: 'disagree', codes };
      // The count of an hour under the code of a day would read as a rate.
      const fitting = rows.filter(
        (one) => fitsContext(context, one.context) && (one.window === 'other' || window === 'day'),
      );
      const rank = (one: MetricEntry): number =>
        (one.context === (context ?? 'point') ? 0 : 2) + (one.window === window || window === 'other' ? 0 : 1);
      const [best] = fitting.toSorted((a, b) => rank(a) - rank(b));
      if (best === undefined) return { kind: 'none', why: 'context', codes };
      const isOfContext = best.context === context || (context === null && best.context === 'point');
      return { kind: 'found', row: isOfContext ? best.row : deepFreeze({ ...best.row, method: null, methodOf: null }) };
    },
  };
}
