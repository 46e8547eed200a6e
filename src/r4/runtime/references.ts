import { flag, type Context, type Json } from './context.ts';
import { isId } from './primitives.ts';
import { show } from './say.ts';

/** The concrete resource types; filled once by the code that reads the definitions. */
export type ResourceTypes = ReadonlySet<string>;

/** What a reference leads to: a type, nothing known (''), or the reason why it leads nowhere. */
type Lead = string | { readonly rule: 'ref-1' | 'bundle-unresolved' | 'reference-form'; readonly text: string };

const UNKNOWN = '';
const ABSOLUTE = /^[A-Za-z][A-Za-z0-9+.-]{0,60}:/;

function typesOfContained(c: Context): ReadonlyMap<unknown, string> {
  if (c.contained?.of === c.root) return c.contained.typeById;
  const list = c.root['contained'];
  const typeById = new Map<unknown, string>();
  for (const inner of Array.isArray(list) ? (list as unknown[]) : []) {
    if (typeof inner === 'object' && inner !== null) typeById.set((inner as Json)['id'], typeOf(inner as Json));
  }
  c.contained = { of: c.root, typeById };
  return typeById;
}

function leadOfContained(reference: string, c: Context): Lead {
  if (reference.length === 1 && c.resource !== c.root) return typeOf(c.root);
  const id = reference.slice(1);
  return typesOfContained(c).get(id) ?? { rule: 'ref-1', text: `No contained resource has the id "${id}".` };
}

const typeOf = (resource: Json): string =>
  typeof resource['resourceType'] === 'string' ? resource['resourceType'] : UNKNOWN;

/** `[base/]Type/id[/_history/version]`: the type, '' when a URL has another form, null when a relative one has. */
export function typeInUrl(url: string, types: ResourceTypes): string | null {
  const first = url.indexOf('/');
  if (first > 0 && types.has(url.slice(0, first)) && isId(url.slice(first + 1))) return url.slice(0, first);
  const isAbsolute = ABSOLUTE.test(url);
  const versioned = url.indexOf('/_history/');
  const path = versioned === -1 ? url : url.slice(0, versioned);
  const slash = path.lastIndexOf('/');
  const before = path.lastIndexOf('/', slash - 1);
  const type = path.slice(before + 1, slash);
  const isRest = slash > 0 && types.has(type) && isId(path.slice(slash + 1)) && (isAbsolute || before === -1);
  if (isRest && (versioned === -1 || isId(url.slice(versioned + 10)))) return type;
  return isAbsolute ? '' : null;
}

function leadOf(reference: string, c: Context, types: ResourceTypes): Lead {
  const first = reference.charCodeAt(0);
  if (first === 35) return leadOfContained(reference, c);
  const inBundle = c.bundle?.typeByUrl.get(reference);
  if (inBundle !== undefined) return inBundle;
  if (first === 117 && reference.startsWith('urn:')) {
    if (!c.isClosed || c.bundle === null) return UNKNOWN;
    return { rule: 'bundle-unresolved', text: `No entry of the bundle has the fullUrl "${reference}".` };
  }
  const type = typeInUrl(reference, types);
  if (type !== null) return type;
  // A conditional reference, legal where a server resolves it: in a transaction.
  const query = reference.indexOf('?');
  if (query > 0 && types.has(reference.slice(0, query))) return reference.slice(0, query);
  return { rule: 'reference-form', text: `"${reference}" is neither absolute nor of the form Type/id.` };
}

const NAMED_BY_HL7 = 'http://hl7.org/fhir/StructureDefinition/';

/** Reference.type as a name: HL7's own address of a type counts as its name. */
const claimedName = (claimed: string): string =>
  claimed.startsWith(NAMED_BY_HL7) ? claimed.slice(NAMED_BY_HL7.length) : claimed;

const notAllowed = (type: string, targets: ReadonlySet<string>, c: Context, path: string): false =>
  flag(c, 'reference-target', path, `A reference to ${type} is not allowed here; allowed: ${[...targets].join(', ')}.`);

/** Reference.type, whatever the reference says: a type of R4 (or the address of a logical model), allowed here. */
function checkClaim(
  claimed: string,
  targets: ReadonlySet<string> | null,
  types: ResourceTypes,
  c: Context,
  path: string,
): boolean {
  const name = claimedName(claimed);
  if (!types.has(name) && !ABSOLUTE.test(name))
    return flag(c, 'reference-type', path, `Reference.type ${show(claimed)} names no resource type of R4.`);
  return targets === null || targets.has(name) || notAllowed(name, targets, c, path);
}

/** ref-1, target types, Reference.type, and references into the bundle around. `targets` null: any type. */
export function checkReference(
  reference: unknown,
  claimed: unknown,
  targets: ReadonlySet<string> | null,
  types: ResourceTypes,
  c: Context,
  path: string,
): boolean {
  const isClaimed = typeof claimed === 'string';
  if (isClaimed && !checkClaim(claimed, targets, types, c, path)) return false;
  if (typeof reference !== 'string' || reference === '') return true;
  const lead = leadOf(reference, c, types);
  if (typeof lead !== 'string') return flag(c, lead.rule, path, lead.text);
  if (lead === UNKNOWN) return true;
  if (isClaimed && claimedName(claimed) !== lead)
    return flag(c, 'reference-type', path, `Reference.type says ${show(claimed)}, the reference leads to ${lead}.`);
  return targets === null || targets.has(lead) || notAllowed(lead, targets, c, path);
}

/** ctm-1 without a server: the type of the member decides, where it is known. */
export function checkOnBehalfOf(o: Json, types: ResourceTypes, c: Context, path: string): boolean {
  const member = o['member'];
  if (o['onBehalfOf'] === undefined || typeof member !== 'object' || member === null) return true;
  const reference = (member as Json)['reference'];
  if (typeof reference !== 'string') return true;
  const lead = leadOf(reference, c, types);
  if (typeof lead !== 'string' || lead === UNKNOWN || lead === 'Practitioner') return true;
  return flag(c, 'ctm-1', path, `onBehalfOf is for a member that is a Practitioner, and this one is a ${lead}.`);
}
