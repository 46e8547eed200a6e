import { isObject } from '../../kernel/index.ts';
import { flag, type BundleScope, type Context, type Json } from './context.ts';
import { checkHead, checkReach } from './document-rules.ts';
import { typeInUrl, type ResourceTypes } from './references.ts';
import { show } from './say.ts';
import { checkSearchset } from './searchset-rules.ts';

/** The types whose entries may lack a fullUrl: they are about to get one, or were answered in order. */
const UNNAMED = new Set(['batch', 'transaction', 'batch-response', 'transaction-response']);
const PAGED = new Set(['searchset', 'history']);
const PAGING = new Set(['first', 'previous', 'next', 'last']);
const REQUESTED = new Set(['batch', 'transaction', 'history']);
const ANSWERED = new Set(['batch-response', 'transaction-response', 'history']);

const field = (v: unknown, name: string): unknown => (isObject(v) ? v[name] : undefined);

const entriesOf = (bundle: Json): readonly unknown[] =>
  Array.isArray(bundle['entry']) ? (bundle['entry'] as unknown[]) : [];

/** Built once per bundle: rebuilding it for each entry would make large bundles quadratic. */
export function openScope(bundle: Json): BundleScope {
  const typeByUrl = new Map<string, string>();
  let named = 0;
  const entries = entriesOf(bundle);
  for (let i = 0; i < entries.length; i++) {
    const entry = entries[i];
    if (!isObject(entry)) continue;
    const url = entry['fullUrl'];
    if (typeof url !== 'string') continue;
    const type = field(entry['resource'], 'resourceType');
    typeByUrl.set(url, typeof type === 'string' ? type : '');
    named++;
  }
  return { of: bundle, typeByUrl, hasRepeatedUrl: named !== typeByUrl.size };
}

/** A RESTful fullUrl and the resource's id must agree, http://hl7.org/fhir/R4/bundle.html#bundle-unique */
function checkFullUrl(fullUrl: string, entry: Json, types: ResourceTypes, c: Context, path: string): boolean {
  if (fullUrl.startsWith('urn:')) return true;
  if (fullUrl.includes('/_history/')) return flag(c, 'bdl-8', path, 'fullUrl must not name a version.');
  if (!/^[A-Za-z][A-Za-z0-9+.-]{0,60}:/.test(fullUrl))
    return flag(c, 'fullurl-absolute', path, `fullUrl "${fullUrl}" is not absolute.`);
  const resource = entry['resource'];
  const id = field(resource, 'id');
  const type = typeInUrl(fullUrl, types);
  if (type === null || type === '' || resource === undefined) return true;
  if (typeof id !== 'string')
    return flag(c, 'fullurl-id', path, `fullUrl "${fullUrl}" names an id, its resource has none.`);
  if (fullUrl.endsWith(`${String(field(resource, 'resourceType'))}/${id}`)) return true;
  return flag(c, 'fullurl-id', path, `fullUrl "${fullUrl}" does not end with the type and id of its resource.`);
}

function isRepeated(fullUrl: string, resource: unknown, seen: Set<string>): boolean {
  const version = field(field(resource, 'meta'), 'versionId');
  const name = typeof version === 'string' ? `${fullUrl}\n${version}` : fullUrl;
  if (seen.has(name)) return true;
  seen.add(name);
  return false;
}

/** What a server says of a search is nothing that it holds, and so has no address. */
const isOutcome = (resource: unknown): boolean => field(resource, 'resourceType') === 'OperationOutcome';

const DEPTH_MAX = 200;

/** Whether a resource refers to anything outside itself: then it matters from where. */
function refersOut(from: unknown, depth: number): boolean {
  if (typeof from !== 'object' || from === null || depth > DEPTH_MAX) return false;
  const reference: unknown = (from as Json)['reference'];
  if (typeof reference === 'string' && !reference.startsWith('#')) return true;
  return Object.values(from).some((value) => refersOut(value, depth + 1));
}

function checkEntries(bundle: Json, types: ResourceTypes, c: Context, path: string): boolean {
  const type = typeof bundle['type'] === 'string' ? bundle['type'] : '';
  const isRequested = REQUESTED.has(type);
  const isAnswered = ANSWERED.has(type);
  const isUnnamed = UNNAMED.has(type);
  const isAsked = isRequested && isUnnamed;
  const seen = c.bundle?.hasRepeatedUrl === true && type !== 'history' ? new Set<string>() : null;
  let isSound = true;
  const entries = entriesOf(bundle);
  for (let i = 0; i < entries.length; i++) {
    const entry = entries[i];
    if (!isObject(entry)) continue;
    const at = c.issues === null ? '' : `${path}.entry[${i}]`;
    const { fullUrl, request, response, resource } = entry as Record<string, unknown>;
    if (entry['search'] !== undefined && type !== 'searchset')
      isSound = flag(c, 'bdl-2', at, 'search is for a searchset.');
    if ((request !== undefined) !== isRequested)
      isSound = flag(c, 'bdl-3', at, `An entry of a ${type} ${request === undefined ? 'needs a' : 'has no'} request.`);
    if ((response !== undefined) !== isAnswered)
      isSound = flag(
        c,
        'bdl-4',
        at,
        `An entry of a ${type} ${response === undefined ? 'needs a' : 'has no'} response.`,
      );
    if (resource === undefined && request === undefined && response === undefined)
      isSound = flag(c, 'bdl-5', at, 'An entry needs a resource, a request or a response.');
    if (typeof fullUrl === 'string') {
      if (!checkFullUrl(fullUrl, entry, types, c, at)) isSound = false;
      if (seen !== null && isRepeated(fullUrl, resource, seen))
        isSound = flag(c, 'bdl-7', at, `fullUrl "${fullUrl}" appears more than once.`);
    } else if (isAsked ? refersOut(resource, 0) : !isUnnamed && !isOutcome(resource))
      isSound = flag(c, 'fullurl-required', at, `An entry of a ${type} needs a fullUrl.`);
    if (!isSound && c.issues === null) return false;
  }
  return isSound;
}

/** Paging is for what has pages, and a relation that leads to one place appears once. */
function checkLinks(bundle: Json, c: Context, path: string): boolean {
  const links = bundle['link'];
  if (!Array.isArray(links)) return true;
  const isPaged = PAGED.has(bundle['type'] as string);
  const seen = new Set<unknown>();
  let isSound = true;
  for (let i = 0; i < links.length; i++) {
    const relation = field(links[i], 'relation');
    const isPaging = PAGING.has(relation as string);
    const at = c.issues === null ? '' : `${path}.link[${i}]`;
    if (isPaging && !isPaged)
      isSound = flag(c, 'bundle-link', at, `The relation ${show(relation)} is for a searchset or a history.`);
    if ((relation === 'self' || isPaging) && seen.has(relation))
      isSound = flag(c, 'bundle-link', at, `The relation ${show(relation)} appears more than once.`);
    seen.add(relation);
  }
  return isSound;
}

/** bdl-1 to bdl-12 and the fullUrl rules, all of them in one walk over the entries. */
export function checkBundle(bundle: Json, types: ResourceTypes, c: Context, path: string): boolean {
  const type = bundle['type'];
  let isSound = checkEntries(bundle, types, c, path);
  if (bundle['link'] !== undefined && !checkLinks(bundle, c, path)) isSound = false;
  const has = (name: string): boolean => bundle[name] !== undefined;
  if ((has('total') || has('_total')) && type !== 'searchset' && type !== 'history')
    isSound = flag(c, 'bdl-1', path, 'total is for a searchset or a history.');
  if (type === 'searchset' && !checkSearchset(bundle, types, c, path)) isSound = false;
  if (type !== 'document' && type !== 'message') return isSound;
  const [head] = entriesOf(bundle);
  if (!checkHead(head, types, c, path)) isSound = false;
  const first = field(field(head, 'resource'), 'resourceType');
  if (type === 'message')
    return first === 'MessageHeader'
      ? isSound
      : flag(c, 'bdl-12', path, 'The first entry of a message is a MessageHeader.');
  const identifier = bundle['identifier'];
  if (field(identifier, 'system') === undefined || field(identifier, 'value') === undefined)
    isSound = flag(c, 'bdl-9', path, 'A document needs an identifier with system and value.');
  if (!checkReach(entriesOf(bundle), types, c, path)) isSound = false;
  if (!has('timestamp')) isSound = flag(c, 'bdl-10', path, 'A document needs a timestamp.');
  return first === 'Composition' ? isSound : flag(c, 'bdl-11', path, 'The first entry of a document is a Composition.');
}
