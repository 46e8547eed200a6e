import { canonicalJson } from '../../kernel/index.ts';
import { listOf, partOf, wordOf } from '../parts.ts';
import type { Scene } from '../scene.ts';
import { effectiveOf } from '../times.ts';
import type { Wanted } from '../translation.ts';

/** What was measured and when, by the code that a reader of the chart sees. */
function readingOf(scene: Scene, { resource }: Wanted): string {
  const times = effectiveOf(resource);
  const code = wordOf(listOf(partOf(resource['code'])['coding'])[0]?.['code']);
  const facts = times === null ? null : scene.timeFacts(times);
  const when = facts === null ? null : [facts.startUtc, facts.endUtc, times?.open ?? null];
  return canonicalJson([code, when, resource['extension'] ?? null, resource['category']]);
}

const saidBy = ({ resource: { identifier: _names, code: _code, device: _device, ...said } }: Wanted): string =>
  canonicalJson(said);

/**
 * A measurement that stands in the document under the source's own code and again under LOINC alone is one. Where the
 * two contradict each other neither goes out.
 */
export function sayOnce(scene: Scene, wanted: readonly Wanted[], standard: ReadonlySet<Wanted>): Wanted[] {
  if (standard.size === 0) return [...wanted];
  const own = new Map(wanted.filter((one) => !standard.has(one)).map((one) => [readingOf(scene, one), one]));
  const kept = new Map(wanted.map((one) => [one, one]));
  for (const one of standard) {
    const twin = own.get(readingOf(scene, one));
    if (twin === undefined) continue;
    if (saidBy(one) === saidBy(twin)) kept.delete(one);
    else {
      const mark = scene.notebook.mark();
      scene.notebook.find('measurement.twice', one.resource.resourceType);
      const why = scene.notebook.heldSince(mark);
      if (why !== null)
        for (const side of [one, twin]) kept.set(side, { ...side, waits: { at: one.resource.resourceType, why } });
    }
  }
  return [...kept.values()];
}
