import { isBad, matches, parseQuery } from './query.ts';
import { hasHistory } from './name-version.ts';
import { etagOf, etagPart, headersOf, isReply, refuse, replyJson, type Reply } from './reply.ts';
import type { Change, Repository, Version } from './repository.ts';
import { paramsOf } from './search-params.ts';
import { showVersion, versionToAnswer } from './show-version.ts';
import type { Switches } from './switches.ts';
import type { Resource } from './values.ts';

const ID = /^[A-Za-z0-9.-]{1,64}$/;

export interface Given {
  readonly ifMatch?: string;
  readonly ifNoneMatch?: string;
  readonly ifModifiedSince?: string;
  readonly ifNoneExist?: string;
  readonly prefer?: string;
}

/** What an interaction needs; `commit` writes, logs and keeps. */
export interface Kit {
  readonly base: string;
  readonly repository: Repository;
  readonly switches: Switches;
  readonly newId: () => string;
  /** What the transaction under way has decided so far: later entries see it as done. */
  readonly pending: readonly Change[];
  readonly commit: (changes: readonly Change[]) => Version[];
}

export const unknownType = (type: string): Reply =>
  refuse(404, 'not-supported', `This server keeps no ${/^[A-Za-z]{1,40}$/.test(type) ? type : 'such type'}`);

/**
 * R4, 3.1.0.1.4: what a client holds already is not sent again. An entity tag says more than a time, and wins over it.
 */
function isHeld(version: Version, { ifNoneMatch, ifModifiedSince }: Given): boolean {
  if (ifNoneMatch !== undefined)
    return ifNoneMatch
      .split(',')
      .some((tag) => tag.trim() === '*' || tag.trim().replace(/^W\//, '') === etagOf(version)?.slice(2));
  // The header has whole seconds.
  return (
    ifModifiedSince !== undefined &&
    Math.floor(Date.parse(version.lastUpdated) / 1000) * 1000 <= Date.parse(ifModifiedSince)
  );
}

export function readResource(kit: Kit, type: string, id: string, given: Given): Reply {
  if (paramsOf(type) === undefined) return unknownType(type);
  const version = kit.repository.read(type, id);
  if (version === undefined) return refuse(404, 'not-found', 'No such resource');
  if (version.resource === null) return refuse(410, 'deleted', 'The resource was deleted');
  if (isHeld(version, given)) return { status: 304, headers: headersOf(version), body: '' };
  return replyJson(200, showVersion(kit, version), headersOf(version));
}

export const noHistory = (): Reply => refuse(404, 'not-supported', 'This server gives no history of this');

export function readVersion(kit: Kit, type: string, id: string, versionId: string): Reply {
  if (paramsOf(type) === undefined) return unknownType(type);
  if (!hasHistory(kit.switches)) return noHistory();
  const version = kit.repository.versions(type, id).find((one) => one.versionId === versionId);
  if (version === undefined) return refuse(404, 'not-found', 'No such version');
  if (version.resource === null) return refuse(410, 'deleted', 'This version is the deletion');
  return replyJson(200, showVersion(kit, version), headersOf(version));
}

export function readHistory(kit: Kit, type: string, id: string): Reply {
  const { repository, base } = kit;
  if (paramsOf(type) === undefined) return unknownType(type);
  if (!hasHistory(kit.switches)) return noHistory();
  const versions = repository.versions(type, id);
  if (versions.length === 0) return refuse(404, 'not-found', 'No such resource');
  const entries = [...versions].reverse().map((version) => {
    const { method } = version;
    const request = JSON.stringify({ method, url: method === 'POST' ? type : `${type}/${id}` });
    const response = JSON.stringify({
      status: method === 'DELETE' ? '204' : version.n === 1 ? '201' : '200',
      ...etagPart(version),
      lastModified: version.lastUpdated,
    });
    const resource = version.resource === null ? '' : `"resource":${showVersion(kit, version)},`;
    return `{"fullUrl":"${base}/${type}/${id}",${resource}"request":${request},"response":${response}}`;
  });
  const link = JSON.stringify([{ relation: 'self', url: `${base}/${type}/${id}/_history` }]);
  return replyJson(
    200,
    `{"resourceType":"Bundle","type":"history","total":${versions.length},"link":${link},"entry":[${entries.join(',')}]}`,
  );
}

/**
 * The id of the one resource that a condition means, null for none; a Reply where it means several or is not allowed.
 * Inside a transaction the condition of an entry sees deletions and creations as done; a reference sees the updates as
 * well.
 */
export function resolveConditional(
  kit: Kit,
  type: string,
  criteria: string,
  sees: 'deletions-and-creations' | 'everything' = 'deletions-and-creations',
): string | null | Reply {
  if (kit.switches.refuseConditional === true)
    return refuse(400, 'not-supported', 'Conditional interactions are not supported');
  const query = parseQuery(type, new URLSearchParams(criteria), {
    base: kit.base,
    ignoreParams: kit.switches.ignoreParams,
    find: kit.repository.find,
  });
  if (isBad(query)) return refuse(400, 'invalid', 'The criteria cannot be read');
  // A condition of which everything is ignored means every resource of the type, as it does on lenient servers.
  if (query.clauses.length === 0 && query.ignored.length === 0)
    return refuse(412, 'multiple-matches', 'The criteria select nothing in particular');
  const pending = kit.pending.filter(
    (change) => change.type === type && (sees === 'everything' || change.kind !== 'update'),
  );
  const stored = kit.repository
    .find(type, query.clauses)
    .filter(({ id }) => !pending.some((change) => change.id === id));
  const fresh = pending.filter(({ resource }) => resource !== null && matches(resource, query.clauses));
  const found = [...stored, ...fresh].map(({ id }) => id);
  if (found.length > 1) return refuse(412, 'multiple-matches', 'The criteria match several resources');
  return found[0] ?? null;
}

function lacksPractitioner({ category, performer }: Resource): boolean {
  if (!JSON.stringify(category ?? null).includes('"vital-signs"')) return false;
  return !JSON.stringify(performer ?? null).includes('"Practitioner/');
}

function checkWritable(kit: Kit, type: string, resource: Resource | null): Reply | null {
  if (paramsOf(type) === undefined) return unknownType(type);
  if (resource !== null && resource.resourceType !== type)
    return refuse(400, 'invalid', 'The resource type differs from that in the address');
  const { writableTypes } = kit.switches;
  if (writableTypes !== undefined && !writableTypes.includes(type))
    return refuse(405, 'not-supported', 'This server takes no writes of this type');
  if (kit.switches.vitalSignsByPractitioner === true && resource !== null && lacksPractitioner(resource))
    return refuse(422, 'required', 'A vital sign needs a Practitioner as its performer');
  return null;
}

/**
 * What a write would do: a change, or nothing because the resource is there already (or gone already), or a refusal.
 */
export type Intent =
  { readonly change: Change } | { readonly already: { readonly type: string; readonly id: string } } | Reply;

export function intendCreate(kit: Kit, type: string, resource: Resource, given: Given): Intent {
  const bad = checkWritable(kit, type, resource);
  if (bad !== null) return bad;
  if (given.ifNoneExist !== undefined) {
    const found = resolveConditional(kit, type, given.ifNoneExist);
    if (isReply(found)) return found;
    if (found !== null) return { already: { type, id: found } };
  }
  return { change: { kind: 'create', method: 'POST', type, id: kit.newId(), resource } };
}

export function intendUpdate(kit: Kit, type: string, id: string, resource: Resource, given: Given): Intent {
  const bad = checkWritable(kit, type, resource);
  if (bad !== null) return bad;
  if (!ID.test(id)) return refuse(400, 'invalid', 'The id is not a legal one');
  if (resource.id !== id) return refuse(400, 'invalid', 'The resource must carry the id that is in the address');
  const current = kit.repository.read(type, id);
  const { noClientIds, requireIfMatch, resurrectDeleted } = kit.switches;
  if (current?.resource === null && resurrectDeleted === true)
    return { change: { kind: 'update', method: 'PUT', type, id, resource } };
  if (current === undefined && noClientIds === true)
    return refuse(405, 'not-supported', 'Clients may not choose ids here');
  // Without names for its versions a server has nothing to compare with.
  const isUnversioned = current !== undefined && current.versionId === null;
  if (current !== undefined && !isUnversioned && requireIfMatch === true && given.ifMatch === undefined)
    return refuse(412, 'conflict', 'If-Match is required');
  if (given.ifNoneMatch === '*' && current !== undefined) return refuse(412, 'conflict', 'The resource exists');
  if (given.ifMatch !== undefined && !isUnversioned && (current === undefined || given.ifMatch !== etagOf(current)))
    return refuse(requireIfMatch === true ? 409 : 412, 'conflict', 'The version is not the current one');
  return { change: { kind: current === undefined ? 'create' : 'update', method: 'PUT', type, id, resource } };
}

export function intendConditionalUpdate(
  kit: Kit,
  type: string,
  criteria: string,
  resource: Resource,
  given: Given,
): Intent {
  const found = resolveConditional(kit, type, criteria);
  if (isReply(found)) return found;
  if (found !== null) return intendUpdate(kit, type, found, { ...resource, id: resource.id ?? found }, given);
  const { id } = resource;
  if (id !== undefined && kit.switches.noClientIds !== true) return intendUpdate(kit, type, id, resource, given);
  const bad = checkWritable(kit, type, resource);
  return bad ?? { change: { kind: 'create', method: 'PUT', type, id: kit.newId(), resource } };
}

export function intendDelete(kit: Kit, type: string, id: string): Intent {
  const bad = checkWritable(kit, type, null);
  if (bad !== null) return bad;
  const current = kit.repository.read(type, id);
  if (current === undefined || current.resource === null) return { already: { type, id } };
  return { change: { kind: 'delete', method: 'DELETE', type, id, resource: null } };
}

export function locationOf({ base, switches }: Kit, { type, id, versionId }: Version): string {
  const address = `${switches.locationBase ?? base}/${type}/${id}`;
  const isBare = switches.bareCreate === true || switches.bareEntries === true || versionId === null;
  return isBare ? address : `${address}/_history/${versionId}`;
}

/** Carries out one intended write and answers it. */
export function carryOut(kit: Kit, intent: Intent, given: Given): Reply {
  if (isReply(intent)) return intent;
  const isMinimal = given.prefer?.includes('return=minimal') === true;
  const answer = (status: number, version: Version, headers: Record<string, string>): Reply =>
    isMinimal ? { status, headers, body: '' } : replyJson(status, showVersion(kit, version), headers);
  if ('already' in intent) {
    const found = kit.repository.read(intent.already.type, intent.already.id);
    return found === undefined || found.resource === null
      ? { status: 204, headers: {}, body: '' }
      : answer(200, found, headersOf(found));
  }
  const [written] = kit.commit([intent.change]);
  if (written === undefined) throw new Error('the repository gave no version');
  if (intent.change.kind === 'delete') return { status: 204, headers: headersOf(written), body: '' };
  const version = versionToAnswer(kit, intent.change.method, written);
  const isCreated = intent.change.kind === 'create';
  const headers = { ...headersOf(version), ...(isCreated ? { location: locationOf(kit, version) } : {}) };
  if (isCreated && kit.switches.bareCreate === true)
    return { status: 201, headers: { 'content-type': 'text/html', ...headers }, body: '' };
  return answer(isCreated ? 201 : 200, version, headers);
}
