import type { Dialect } from '../../mappings/index.ts';
import type { AnyResource } from '../../payloads/index.ts';
import { mapReferences } from '../lab/map-references.ts';
import type { Notebook } from '../notebook.ts';
import type { Setting, Wanted } from '../translation.ts';
import { HL7_CATEGORY } from '../scene.ts';
import { claimProfiles } from './claim-profiles.ts';
import { fitObservation } from './fit-observation.ts';
import { listOf, partOf, wordOf } from '../parts.ts';

type Taker = Pick<Setting, 'dialect' | 'practitioner'>;

const categoriesOf = ({ category }: AnyResource): unknown[] =>
  listOf(category).flatMap(({ coding }) =>
    listOf(coding)
      .filter(({ system }) => system === HL7_CATEGORY)
      .map(({ code }) => code),
  );

function isTaken(dialect: Dialect, resource: AnyResource): boolean {
  if (resource.resourceType === 'Device' && dialect.device !== 'resource') return false;
  if (dialect.types !== null && !dialect.types.includes(resource.resourceType)) return false;
  if (resource.resourceType !== 'Observation' || dialect.categories === null) return true;
  return categoriesOf(resource).some((code) => dialect.categories?.includes(String(code)));
}

/** A reference, or null where nobody is named. */
function performerOf({ dialect, practitioner }: Taker, resource: AnyResource): string | null {
  if (dialect.performer !== 'practitioner' || !categoriesOf(resource).includes('vital-signs')) return null;
  return practitioner;
}

function fit(taker: Taker, resource: AnyResource, devices: ReadonlyMap<string, AnyResource>): AnyResource {
  const { dialect } = taker;
  const fitted =
    resource.resourceType === 'Observation'
      ? fitObservation(dialect, resource, { devices, performer: performerOf(taker, resource) })
      : resource;
  if (dialect.extensions === 'keep' || fitted['extension'] === undefined) return fitted;
  const { extension: _extension, ...rest } = fitted;
  return rest;
}

/** Said once: whether the EHR insists is not known here. */
function tellIfUnnamed({ dialect, practitioner }: Taker, taken: readonly Wanted[], notebook: Notebook): void {
  if (dialect.performer !== 'practitioner' || practitioner !== null) return;
  if (taken.some(({ resource }) => categoriesOf(resource).includes('vital-signs')))
    notebook.find('performer.unnamed', 'Observation.performer');
}

/** What this EHR takes of what is wanted, in the form that it takes. What it does not take is left out and said. */
export function applyDialect(taker: Taker, wanted: readonly Wanted[], notebook: Notebook): Wanted[] {
  const { dialect } = taker;
  const devices = new Map(
    wanted
      .filter(({ resource }) => resource.resourceType === 'Device')
      .map(({ reference, resource }) => [reference, resource]),
  );
  const left = new Set<string>();
  for (const { resource, reference } of wanted) {
    if (isTaken(dialect, resource)) continue;
    left.add(reference);
    const [first] = listOf(partOf(resource['code'])['coding']);
    const what = [resource.resourceType, wordOf(first?.['code'])].join(' ').trim();
    notebook.decide(resource.resourceType, 'dialect', what, null, dialect);
    // A device that goes along inside its Observation is not left out.
    if (resource.resourceType !== 'Device') notebook.find('resource.left-out', resource.resourceType, what);
  }
  const taken = left.size === 0 ? wanted : wanted.filter(({ reference }) => !left.has(reference));
  const inForm = (one: Wanted): Wanted => {
    const fitted = fit(taker, one.resource, devices);
    if (left.size === 0) return fitted === one.resource ? one : { ...one, resource: fitted };
    const followed = mapReferences(fitted, (reference) =>
      left.has(String(reference['reference'])) ? null : reference,
    );
    return { ...one, resource: followed as AnyResource };
  };
  tellIfUnnamed(taker, taken, notebook);
  return taken.map((one) => claimProfiles(dialect, inForm(one)));
}
