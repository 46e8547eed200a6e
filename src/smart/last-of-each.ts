import { isObject } from '../kernel/index.ts';
import type { Checked } from './check-page.ts';
import type { Json, Resource } from './whose.ts';

const objects = (value: unknown): Json[] => (Array.isArray(value) ? (value as unknown[]).filter(isObject) : []);

/** What an observation is of: each of its codes, else its text. */
function codesOf({ code, id }: Resource): readonly string[] {
  const given = isObject(code) ? code : {};
  const codings = objects(given['coding']).flatMap(({ system, code: of }) =>
    typeof of === 'string' ? [JSON.stringify([system ?? null, of])] : [],
  );
  if (codings.length > 0) return codings;
  const { text } = given;
  return [typeof text === 'string' ? `text ${text.trim().toLowerCase()}` : `id ${id}`];
}

const instant = (text: unknown): number => (typeof text === 'string' ? Date.parse(text) : NaN);

/** When it was observed: of a period the end, or its start while it goes on; else when it was made known. */
export function whenOf(resource: Resource): number {
  const period = isObject(resource['effectivePeriod']) ? resource['effectivePeriod'] : {};
  const said = [
    resource['effectiveDateTime'],
    resource['effectiveInstant'],
    period['end'],
    period['start'],
    resource['issued'],
  ].map(instant);
  return said.find((at) => !Number.isNaN(at)) ?? -Infinity;
}

/** Observations that share a code are of one thing, also where a third one is why. */
export function groupByCode(given: readonly Checked[]): readonly (readonly Checked[])[] {
  const sameAs = new Map<string, string>();
  const rootOf = (code: string): string => {
    let at = code;
    for (let next = sameAs.get(at); next !== undefined && next !== at; next = sameAs.get(at)) at = next;
    return at;
  };
  const coded = given.map((one) => ({ one, codes: codesOf(one.resource) }));
  for (const { codes } of coded) {
    const [first = '', ...others] = codes.map(rootOf);
    for (const other of others) if (other !== rootOf(first)) sameAs.set(other, rootOf(first));
  }
  const groups = Map.groupBy(coded, ({ codes: [first = ''] }) => rootOf(first));
  return [...groups.values()].map((group) => group.map(({ one }) => one));
}

/**
 * Of each thing that was observed the latest `most`, newest first. Those that tie for the last place all stay: which of
 * them would be left out is not for us to say.
 */
export function lastOfEach(given: readonly Checked[], most: number): readonly Checked[] {
  return groupByCode(given).flatMap((group) => {
    const sorted = [...group].sort((a, b) => whenOf(b.resource) - whenOf(a.resource));
    const last = sorted[most - 1];
    return last === undefined ? sorted : sorted.filter(({ resource }) => whenOf(resource) >= whenOf(last.resource));
  });
}
