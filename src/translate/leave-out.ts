import type { AnyResource } from '../payloads/index.ts';
import { mapReferences } from './lab/map-references.ts';
import { listOf, wordOf } from './parts.ts';
import type { LeftOut, Trouble, Wanted } from './translation.ts';

/** What goes out and what waits, or why nothing may go out. */
export interface Parted {
  readonly going: readonly Wanted[];
  readonly leftOut: readonly LeftOut[];
  readonly trouble: Trouble | null;
}

type Waiting = Wanted & { readonly waits: NonNullable<Wanted['waits']> };
const isWaiting = (one: Wanted): one is Waiting => one.waits !== undefined;

const VALUE = /^(?:value[A-Z]|component$|dataAbsentReason$)/;
const saysNothing = (resource: AnyResource): boolean =>
  resource.resourceType === 'Observation' && !Object.keys(resource).some((name) => VALUE.test(name));

const textOf = ({ resource }: Wanted): string => {
  const { text, coding } = (resource['code'] ?? {}) as { text?: unknown; coding?: unknown };
  return wordOf(text) || wordOf(listOf(coding)[0]?.['display']) || wordOf(listOf(coding)[0]?.['code']);
};

/** A panel over others that says nothing by itself waits with the last of them. */
function withEmptyPanels(content: readonly Wanted[]): readonly Wanted[] {
  const byReference = new Map(content.map((one) => [one.reference, one]));
  return content.map((one): Wanted => {
    const members = listOf(one.resource['hasMember']).map(({ reference }) => byReference.get(wordOf(reference)));
    const waits = members.find((member) => member?.waits !== undefined)?.waits;
    const isEmpty = members.every((member) => member?.waits !== undefined) && saysNothing(one.resource);
    return one.waits === undefined && waits !== undefined && isEmpty ? { ...one, waits } : one;
  });
}

/** A report that lacks a result says so, by its status and in words. */
function asPartial(report: AnyResource, missing: readonly string[]): AnyResource {
  const said = `Not all results of this report are here. Missing: ${missing.join(', ')}.`;
  const conclusion = [wordOf(report['conclusion']), said].filter((text) => text !== '').join('\n');
  return { ...report, status: report['status'] === 'entered-in-error' ? 'entered-in-error' : 'partial', conclusion };
}

function withoutWaiting(one: Wanted, waiting: ReadonlyMap<string, Waiting>): Wanted {
  const missing = new Set<string>();
  const kept = mapReferences(one.resource, (reference) => {
    const left = waiting.get(wordOf(reference['reference']));
    if (left === undefined) return reference;
    missing.add(textOf(left));
    return null;
  }) as AnyResource;
  if (missing.size === 0) return one;
  const isReport = kept.resourceType === 'DiagnosticReport';
  return { ...one, resource: isReport ? asPartial(kept, [...missing].sort()) : kept };
}

/** What is written because of something else, and means nothing alone. */
const SUPPORTING = new Set(['Organization', 'Device', 'Specimen', 'DiagnosticReport', 'DocumentReference']);

/** Parts what may go from what must wait. Where nothing that was measured is left, the whole document waits. */
export function partContent(given: readonly Wanted[]): Parted {
  if (!given.some(isWaiting)) return { going: given, leftOut: [], trouble: null };
  const content = withEmptyPanels(given);
  const all = content.filter(isWaiting);
  const waiting = new Map(all.map((one) => [one.reference, one]));
  const going = content.filter((one) => !isWaiting(one)).map((one) => withoutWaiting(one, waiting));
  if (!going.some(({ resource }) => !SUPPORTING.has(resource.resourceType)))
    return { going, leftOut: [], trouble: all[0]?.waits.why ?? null };
  return {
    going,
    leftOut: all
      .map(({ name, shelf, group, chartDay, waits }): LeftOut => ({ name, shelf, group, chartDay, ...waits }))
      .sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0)),
    trouble: null,
  };
}
