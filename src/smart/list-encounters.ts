import type { ShownEncounter } from '../auth/index.ts';
import { isObject, ok, type Result } from '../kernel/index.ts';
import type { BundlePage, EhrReader } from './ask-ehr.ts';
import type { Asking } from './caller.ts';
import type { Served } from './served-types.ts';
import { isResource, whose, type Json, type Resource } from './whose.ts';

const PAGES_MAX = 5;
const SHOWN_MAX = 50;
/** What did not take place, or was never meant. */
const NOT_OFFERED = new Set(['cancelled', 'entered-in-error']);

const text = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null);
const objects = (value: unknown): Json[] => (Array.isArray(value) ? (value as unknown[]).filter(isObject) : []);
const minute = (value: unknown): string | null => text(value)?.slice(0, 16).replace('T', ' ') ?? null;

export function toShownEncounter(encounter: Resource): ShownEncounter {
  const [type = {}] = objects(encounter['type']);
  const kind = isObject(encounter['class']) ? encounter['class'] : {};
  const period = isObject(encounter['period']) ? encounter['period'] : {};
  const named =
    text(type['text']) ??
    objects(type['coding'])
      .map(({ display }) => text(display))
      .find((one) => one !== null);
  return {
    id: encounter.id,
    what: named ?? text(kind['display']) ?? text(kind['code']) ?? 'Encounter',
    from: minute(period['start']),
    to: minute(period['end']),
    status: text(encounter['status']) ?? 'unknown',
  };
}

const isOffered = (encounter: Resource): boolean => !NOT_OFFERED.has(String(encounter['status']));

/**
 * The encounters of a patient, newest first, as many as a person can look through. What the EHR was not asked for is
 * not shown.
 */
export async function listEncounters(
  deps: { readonly reader: EhrReader; readonly served: Served; readonly ehrBase: string },
  patient: string,
  asking: Asking,
): Promise<Result<{ readonly encounters: readonly ShownEncounter[]; readonly isAll: boolean }>> {
  const { reader, served, ehrBase } = deps;
  const found = new Map<string, ShownEncounter>();
  const query = [
    ['patient', patient],
    ['_count', '200'],
  ] as const;
  let page: Result<BundlePage | null> = await reader.search('Encounter', query, asking);
  for (let n = 1; ; n += 1) {
    if (!page.ok) return page;
    for (const { resource } of objects(page.value?.bundle['entry'])) {
      if (!isResource(resource) || resource.resourceType !== 'Encounter' || !isOffered(resource)) continue;
      const of = whose(resource, served, ehrBase);
      if (of.kind === 'patient' && of.id === patient) found.set(resource.id, toShownEncounter(resource));
    }
    const next = page.value?.next ?? null;
    if (next === null || n === PAGES_MAX) {
      const sorted = [...found.values()].sort((a, b) => (b.from ?? '').localeCompare(a.from ?? ''));
      return ok({ encounters: sorted.slice(0, SHOWN_MAX), isAll: next === null && sorted.length <= SHOWN_MAX });
    }
    page = await reader.page(next, 'searchset', asking);
  }
}
