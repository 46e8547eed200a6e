import type { ElementDefinition, StructureDefinition } from '@medplum/fhirtypes';

/** One place where a snapshot of ours says something else than the published one. */
export interface Difference {
  readonly profile: string;
  readonly id: string;
  readonly what: string;
  readonly ours: string;
  readonly theirs: string;
}

const CORE = 'http://hl7.org/fhir/StructureDefinition/';
const STRINGS = new Set(['string', 'uri', 'id', 'http://hl7.org/fhirpath/System.String']);
/** Rules that every element and resource has; the validator holds them natively, and the table does not repeat them. */
const NATIVE = /^(?:ele|ext|dom)-\d+$/;

const unversioned = (addresses: readonly string[] = []): string[] =>
  addresses.map((one) => one.replace(/\|.*$/, '').replace(CORE, '')).filter((one) => one !== 'Resource');

/** Types in one spelling: the four names of a bare string are one, `Reference(Any)` is `Reference`. */
function typesOf({ type = [], path }: ElementDefinition): string {
  const isBare = /\.(?:id|url)$/.test(path);
  return type
    .map(({ code, profile, targetProfile }) => {
      const name = isBare && STRINGS.has(code) ? 'string' : code;
      // The table leaves out where a canonical leads.
      const targets = code === 'canonical' ? [] : unversioned(targetProfile).sort();
      return `${name}<${unversioned(profile).sort().join()}>(${targets.join()})`;
    })
    .sort()
    .join('|');
}

function valuesOf(element: ElementDefinition): string {
  const values = Object.entries(element).filter(([key]) => /^(?:fixed|pattern)[A-Z]/.test(key));
  return JSON.stringify(values.sort());
}

function bindingOf({ binding }: ElementDefinition): string {
  if (binding?.strength !== 'required') return '';
  return (binding.valueSet ?? '').replace(/\|.*$/, '');
}

function slicingOf({ slicing, path }: ElementDefinition, isSliced: boolean): string {
  // Publishers say of many extensions that they are sliced by url, though they have no slices.
  if (slicing === undefined || (!isSliced && /xtension$/.test(path))) return '';
  const { discriminator = [], rules, ordered = false } = slicing;
  return `${discriminator.map(({ type, path: at }) => `${type}:${at}`).join()} ${rules} ${ordered}`;
}

const keysOf = ({ constraint = [] }: ElementDefinition, source: ReadonlySet<string>): string =>
  constraint
    .map(({ key }) => key)
    .filter((key) => !NATIVE.test(key) && source.has(key))
    .sort()
    .join();

/** Keys that the profile itself adds. */
const addedKeys = (definition: StructureDefinition): ReadonlySet<string> =>
  new Set((definition.differential?.element ?? []).flatMap(({ constraint = [] }) => constraint.map(({ key }) => key)));

/** The last spelling of an id, by which elements of the two are paired. */
const byId = (elements: readonly ElementDefinition[]): Map<string, ElementDefinition> =>
  new Map(elements.map((element) => [element.id ?? element.path, element]));

export function compareSnapshots(
  published: StructureDefinition,
  made: StructureDefinition,
): { elements: number; differences: Difference[] } {
  const theirs = byId(published.snapshot?.element ?? []);
  const ours = byId(made.snapshot?.element ?? []);
  const added = addedKeys(published);
  const differences: Difference[] = [];
  const differ = (id: string, what: string, one: string, other: string): void => {
    if (one !== other) differences.push({ profile: published.url, id, what, ours: one, theirs: other });
  };
  for (const id of new Set([...theirs.keys(), ...ours.keys()])) {
    const [our, their] = [ours.get(id), theirs.get(id)];
    if (our === undefined || their === undefined) {
      differ(id, 'element', our === undefined ? 'missing' : 'there', their === undefined ? 'missing' : 'there');
      continue;
    }
    const isSliced = [...theirs.keys(), ...ours.keys()].some((one) => one.startsWith(`${id}:`));
    differ(id, 'min', String(our.min), String(their.min));
    differ(id, 'max', String(our.max), String(their.max));
    differ(id, 'types', typesOf(our), typesOf(their));
    differ(id, 'values', valuesOf(our), valuesOf(their));
    differ(id, 'binding', bindingOf(our), bindingOf(their));
    differ(id, 'slicing', slicingOf(our, isSliced), slicingOf(their, isSliced));
    differ(id, 'constraints', keysOf(our, added), keysOf(their, added));
  }
  return { elements: theirs.size, differences };
}
