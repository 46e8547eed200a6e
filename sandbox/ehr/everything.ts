import { COMPARTMENT_TYPES, isInCompartment, walkReferences } from '../../src/r4/index.ts';
import type { Kit } from './interactions.ts';
import { openPage } from './page-token.ts';
import { refuse, type Reply } from './reply.ts';
import type { Version } from './repository.ts';
import { pageLinks, searchEntry, searchset } from './search.ts';
import { paramsOf, RESOURCE_TYPES } from './search-params.ts';
import { showVersion } from './show-version.ts';
import { spanOf, spanOfElement } from './values.ts';

const COUNT = { standard: 100, most: 500 } as const;
const CARE_DATES = [
  'date',
  'period',
  'authoredon',
  'collected',
  'onset-date',
  'identified',
  'sent',
  'authored',
  'created',
];

interface Wanted {
  readonly types: readonly string[];
  readonly since: number;
  readonly from: number;
  readonly to: number;
  readonly count: number;
}

function parseWanted(pairs: readonly (readonly [string, string])[]): Wanted | null {
  const given = new Map(pairs);
  const span = (name: string): { from: number; to: number } | null | undefined => {
    const text = given.get(name);
    return text === undefined ? undefined : spanOf(text);
  };
  const [since, start, end] = [span('_since'), span('start'), span('end')];
  const count = Number(given.get('_count') ?? COUNT.standard);
  if (since === null || start === null || end === null || !Number.isInteger(count) || count < 1) return null;
  const types = given.get('_type')?.split(',') ?? RESOURCE_TYPES;
  return {
    types,
    since: since?.from ?? -Infinity,
    from: start?.from ?? -Infinity,
    to: end?.to ?? Infinity,
    count: Math.min(COUNT.most, count),
  };
}

/** What has no date of care is always a part of the record. */
function isWanted(version: Version, { types, since, from, to }: Wanted): boolean {
  if (!types.includes(version.type) || Date.parse(version.lastUpdated) < since) return false;
  for (const name of CARE_DATES) {
    const param = paramsOf(version.type)?.get(name);
    const [element] = param === undefined || version.resource === null ? [] : param.read(version.resource);
    const span = spanOfElement(element);
    if (span !== null) return span.from < to && span.to > from;
  }
  return true;
}

/** The patient, the compartment, what that refers to (whose medicine, which hospital), and where it came from. */
function gather({ repository, base }: Kit, patient: Version): Version[] {
  const found = new Map<string, Version>();
  const add = (version: Version | undefined): void => {
    if (version !== undefined && version.resource !== null) found.set(`${version.type}/${version.id}`, version);
  };
  add(patient);
  for (const type of COMPARTMENT_TYPES)
    if (paramsOf(type) !== undefined && type !== 'Patient')
      for (const version of repository.find(type, []))
        if (isInCompartment(version.resource, patient.id, base)) add(version);
  const own = new Map(found);
  for (const { resource } of own.values())
    for (const { reference } of walkReferences(resource)) {
      const [type = '', id = ''] = reference.split('/');
      // Another patient is somebody else's record, whoever points there.
      if (paramsOf(type) !== undefined && type !== 'Patient') add(repository.read(type, id));
    }
  for (const provenance of repository.find('Provenance', [])) {
    const targets = (provenance.resource?.['target'] ?? []) as readonly { readonly reference?: string }[];
    if (targets.some(({ reference }) => own.has((reference ?? '').replace(/\/_history\/.*$/, '')))) add(provenance);
  }
  return [...found.values()];
}

/** `Patient/[id]/$everything`: https://hl7.org/fhir/R4/operation-patient-everything.html */
export function readEverything(kit: Kit, id: string, given: Iterable<readonly [string, string]>): Reply {
  const patient = kit.repository.read('Patient', id);
  if (patient === undefined) return refuse(404, 'not-found', 'No such resource');
  if (patient.resource === null) return refuse(410, 'deleted', 'The resource was deleted');
  const start = openPage(given);
  const wanted = start === null ? null : parseWanted(start.pairs);
  if (start === null || wanted === null)
    return refuse(400, 'invalid', 'The parameters of the operation cannot be read');
  const all = gather(kit, patient).filter((version) => isWanted(version, wanted));
  const { offset } = start;
  const links = pageLinks({
    at: `${kit.base}/Patient/${id}/$everything`,
    used: start.pairs,
    count: wanted.count,
    offset,
    total: all.length,
  });
  const page = all.slice(offset, offset + wanted.count);
  return searchset(
    all.length,
    links,
    page.map((version) => searchEntry(kit.base, version, 'match', showVersion(kit, version))),
  );
}
