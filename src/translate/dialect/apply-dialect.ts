import type { Dialect } from '../../mappings/index.ts';
import type { AnyResource } from '../../payloads/index.ts';
import { mapReferences } from '../lab/map-references.ts';
import type { Notebook } from '../notebook.ts';
import type { Wanted } from '../translation.ts';
import { HL7_CATEGORY } from '../scene.ts';
import { claimProfiles } from './claim-profiles.ts';
import { fitObservation } from './fit-observation.ts';
import { listOf, partOf, wordOf } from '../parts.ts';

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

function fit(dialect: Dialect, resource: AnyResource, devices: ReadonlyMap<string, AnyResource>): AnyResource {
  const fitted = resource.resourceType === 'Observation' ? fitObservation(dialect, resource, devices) : resource;
  if (dialect.extensions === 'keep' || fitted['extension'] === undefined) return fitted;
  const { extension: _extension, ...rest } = fitted;
  return rest;
}

/** What this EHR takes of what is wanted, in the form that it takes. What it does not take is left out and said. */
export function applyDialect(dialect: Dialect, wanted: readonly Wanted[], notebook: Notebook): Wanted[] {
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
    const fitted = fit(dialect, one.resource, devices);
    if (left.size === 0) return fitted === one.resource ? one : { ...one, resource: fitted };
    const followed = mapReferences(fitted, (reference) =>
      left.has(String(reference['reference'])) ? null : reference,
    );
    return { ...one, resource: followed as AnyResource };
  };
  return taken.map((one) => claimProfiles(dialect, inForm(one)));
}
