import { hash } from 'node:crypto';
import { canonicalJson } from '../../kernel/index.ts';
import type { AnyResource } from '../../payloads/index.ts';
import { nameOf, type Name } from '../name.ts';
import { nameIn, type Scene } from '../scene.ts';
import { effectiveOf, utcOf } from '../times.ts';
import { addressOf, type LabEntry } from './read-entries.ts';
import { nameOfCode } from './translate-result.ts';
import { listOf, partOf, wordOf } from '../parts.ts';

function codeKey(code: unknown): string {
  const codings = listOf(partOf(code)['coding']).map((one) => `${wordOf(one['system'])}|${wordOf(one['code'])}`);
  return codings.length === 0 ? nameOfCode(code) : codings.sort().join(' ');
}

function timeKey(resource: AnyResource): string {
  const times = effectiveOf(resource);
  return times === null ? '' : `${utcOf(times.start)}/${utcOf(times.end)}`;
}

/** What makes a resource the same in a later version of its document: what it is about, never what it says. */
function meaningOf(resource: AnyResource): string[] {
  switch (resource.resourceType) {
    case 'Observation':
    case 'DiagnosticReport':
      return [codeKey(resource['code']), timeKey(resource)];
    case 'Specimen':
      return [codeKey(resource['type']), utcOf(wordOf(partOf(resource['collection'])['collectedDateTime']))];
    case 'Organization':
      return [
        wordOf(resource['name']),
        ...listOf(resource['identifier']).map((one) => `${wordOf(one['system'])}|${wordOf(one['value'])}`),
      ];
    default:
      return [codeKey(resource['type'] ?? resource['code'])];
  }
}

/**
 * What stands for the document where a result came without its id: what its reports report on. Results without a report
 * stand alone, each under its code and time; one without a time could be any other of its kind, so that only the same
 * content is the same.
 */
export function keyOfContent(entries: readonly LabEntry[]): string {
  const of = (type: string): AnyResource[] =>
    entries.map(({ resource }) => resource).filter(({ resourceType }) => resourceType === type);
  const reports = of('DiagnosticReport').map((report) => meaningOf(report).join(' '));
  const results = of('Observation');
  if (reports.length > 0 || results.every((result) => timeKey(result) !== '')) return reports.sort().join('\n');
  return hash(
    'sha256',
    results
      .map((result) => canonicalJson(result))
      .sort()
      .join('\n'),
  );
}

/** By every address the entry that it means. */
export const byAddress = (entries: readonly LabEntry[]): ReadonlyMap<string, LabEntry> =>
  new Map(entries.flatMap((entry) => entry.addresses.map((address) => [address, entry])));

/**
 * What a result is measured on and how, and what report it belongs to: the same test of another sample is another
 * result.
 */
function circumstancesOf(entries: readonly LabEntry[]): (entry: LabEntry) => string[] {
  const at = byAddress(entries);
  const reportsOf = new Map<LabEntry, string[]>();
  for (const { resource, scope } of entries)
    if (resource.resourceType === 'DiagnosticReport')
      for (const { reference } of listOf(resource['result'])) {
        const result = at.get(addressOf(wordOf(reference), scope));
        if (result === undefined) continue;
        const known = reportsOf.get(result);
        const meaning = meaningOf(resource).join(' ');
        if (known === undefined) reportsOf.set(result, [meaning]);
        else known.push(meaning);
      }
  return (entry) => {
    const { resource, scope } = entry;
    if (resource.resourceType !== 'Observation') return [];
    const { reference, display } = partOf(resource['specimen']);
    const specimen = at.get(addressOf(wordOf(reference), scope));
    return [
      specimen === undefined ? wordOf(display) : meaningOf(specimen.resource).join(' '),
      codeKey(resource['method']),
      ...(reportsOf.get(entry) ?? []).sort(),
    ];
  };
}

/**
 * A name for each entry, from what it is about and never from what it says. Two under one name are one where they say
 * the same, and stop the document where they do not. An Organization is not bound to a patient: the same laboratory is
 * one for all.
 */
export function nameEntries(
  scene: Scene,
  kind: string,
  document: string,
  entries: readonly LabEntry[],
): (entry: LabEntry) => Name {
  const circumstances = circumstancesOf(entries);
  const names = new Map(
    entries.map((entry) => {
      const { resource } = entry;
      const meaning = meaningOf(resource);
      const name =
        resource.resourceType === 'Organization'
          ? { text: nameOf('organization', scene.envelope.clientUuid, ...meaning), shelf: '' }
          : nameIn(scene, kind, document, resource.resourceType, ...meaning, ...circumstances(entry));
      return [entry, name] as const;
    }),
  );
  return (entry) => {
    const name = names.get(entry);
    if (name === undefined) throw new Error('an entry of another document has no name here');
    return name;
  };
}
