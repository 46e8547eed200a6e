import type { Pairs } from '../ehr/index.ts';
import type { Result } from '../kernel/index.ts';
import type { ChartAsk } from '../smart/index.ts';
import type { AskedExport } from './asked-export.ts';

/** What of each chart is wanted. A filter that the EHR no longer takes finds nothing rather than everything. */
export function chartAskOf(asked: AskedExport, parseFilter: (type: string, query: string) => Result<Pairs>): ChartAsk {
  const filters = new Map<string, Pairs[]>();
  for (const { type, query } of asked.filters) {
    const parsed = parseFilter(type, query);
    const known = filters.get(type) ?? [];
    filters.set(type, parsed.ok ? [...known, parsed.value] : known);
  }
  return {
    types: asked.types === null ? null : new Set(asked.types),
    since: asked.since === null ? null : new Date(asked.since),
    elementsOf(type) {
      const named = asked.elements.filter((one) => one.type === null || one.type === type);
      return named.length === 0 ? null : named.map(({ name }) => name);
    },
    filters,
    provenance: asked.provenance,
  };
}
