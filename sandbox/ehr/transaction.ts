import { ORDER, type Step } from './bundle-step.ts';
import {
  intendConditionalUpdate,
  intendCreate,
  intendDelete,
  intendUpdate,
  locationOf,
  resolveConditional,
  unknownType,
  type Given,
  type Intent,
  type Kit,
} from './interactions.ts';
import { isBad, parseQuery } from './query.ts';
import { readAt } from './read-at.ts';
import { etagPart, isReply, refuse, type Reply } from './reply.ts';
import type { Change, Version } from './repository.ts';
import { rewriteReferences, type Target } from './rewrite-references.ts';
import { paramsOf } from './search-params.ts';
import { showVersion, versionToAnswer } from './show-version.ts';
import type { Resource } from './values.ts';

const CONDITIONAL_REFERENCE = /^([A-Z][A-Za-z]+)\?(.+)$/;

/**
 * What one entry would do. A Bundle's PUT by id may leave the id out of the resource's own body no more than a lone one
 * may.
 */
export function intend(kit: Kit, step: Step): Intent {
  const { resource, request = {} } = step.entry;
  if (step.method === 'DELETE') return intendDelete(kit, step.type, step.id);
  if (resource === undefined) return refuse(400, 'invalid', 'A resource is needed');
  if (step.method === 'POST') return intendCreate(kit, step.type, resource, request);
  return step.id === ''
    ? intendConditionalUpdate(kit, step.type, step.criteria, resource, request)
    : intendUpdate(kit, step.type, step.id, resource, request);
}

/** Where references lead once all ids are known. A conditional one may mean a resource of this same transaction. */
function makeTarget(kit: Kit, assigned: ReadonlyMap<string, string>): Target {
  const resolved = new Map<string, string | Reply>();
  function resolve(type: string, criteria: string): string | Reply {
    const found = resolveConditional(kit, type, criteria, 'everything');
    if (isReply(found)) return found;
    return found === null ? refuse(412, 'not-found', 'A conditional reference matches nothing') : `${type}/${found}`;
  }
  return (reference) => {
    const known = assigned.get(reference) ?? resolved.get(reference);
    if (known !== undefined) return known;
    const match = CONDITIONAL_REFERENCE.exec(reference);
    if (match === null)
      return reference.startsWith('urn:')
        ? refuse(400, 'invalid', 'A reference points at no entry of the transaction')
        : reference;
    const found = resolve(match[1] ?? '', match[2] ?? '');
    resolved.set(reference, found);
    return found;
  };
}

/**
 * As `intend`, for entries that are carried out one by one and still refer to each other: all ids are given out now.
 */
export function intendAhead(kit: Kit, steps: readonly Step[]): (kit: Kit, step: Step) => Intent {
  const intents = new Map(steps.filter(({ method }) => method !== 'GET').map((step) => [step, intend(kit, step)]));
  const assigned = new Map<string, string>();
  for (const [{ entry }, intent] of intents) {
    if (isReply(intent) || entry.fullUrl === undefined) continue;
    const { type, id } = 'change' in intent ? intent.change : intent.already;
    assigned.set(entry.fullUrl, `${type}/${id}`);
  }
  return (at, step) => {
    const intent = intents.get(step) ?? intend(at, step);
    if (isReply(intent) || !('change' in intent)) return intent;
    const resource = rewriteReferences(intent.change.resource, makeTarget(at, assigned), assigned);
    return isReply(resource) ? resource : { change: { ...intent.change, resource: resource as Resource | null } };
  };
}

/** A read that cannot work fails the transaction before anything is written. */
function checkRead(kit: Kit, step: Step): Reply | null {
  if (paramsOf(step.type) === undefined) return unknownType(step.type);
  if (step.segments.length > 1) return null;
  const query = parseQuery(step.type, new URLSearchParams(step.criteria), {
    base: kit.base,
    ignoreParams: kit.switches.ignoreParams,
    find: kit.repository.find,
  });
  return isBad(query) ? refuse(400, 'invalid', 'The search cannot be read') : null;
}

interface Decided {
  readonly intents: ReadonlyMap<number, Intent>;
  readonly changes: readonly Change[];
}

/** Everything that can be refused is decided here, before the first change is made. */
function decide(kit: Kit, steps: readonly Step[]): Decided | Reply {
  const intents = new Map<number, Intent>();
  const assigned = new Map<string, string>();
  const pending: Change[] = [];
  const within: Kit = { ...kit, pending };
  for (const step of [...steps].sort((a, b) => ORDER.indexOf(a.method) - ORDER.indexOf(b.method))) {
    if (step.method === 'GET') {
      const bad = checkRead(kit, step);
      if (bad !== null) return bad;
      continue;
    }
    const intent = intend(within, step);
    if (isReply(intent)) return intent;
    intents.set(step.at, intent);
    const { type, id } = 'change' in intent ? intent.change : intent.already;
    const { fullUrl } = step.entry;
    if (fullUrl !== undefined && assigned.has(fullUrl))
      return refuse(400, 'invalid', 'Two entries have the same fullUrl');
    if (fullUrl !== undefined) assigned.set(fullUrl, `${type}/${id}`);
    if (!('change' in intent)) continue;
    if (pending.some((other) => other.type === type && other.id === id))
      return refuse(400, 'invalid', 'Two entries mean the same resource');
    pending.push(intent.change);
  }
  const target = makeTarget(within, assigned);
  const changes: Change[] = [];
  for (const change of pending) {
    const resource = rewriteReferences(change.resource, target, assigned);
    if (isReply(resource)) return resource;
    changes.push({ ...change, resource: resource as Resource | null });
  }
  return { intents, changes };
}

const STATUS = { create: '201', update: '200', delete: '204' } as const;

export function readEntry(kit: Kit, step: Step): string {
  const { status, body } = readAt(kit, step.segments, new URLSearchParams(step.criteria), step.entry.request ?? {});
  if (status >= 400) return `{"response":{"status":"${status}","outcome":${body}}}`;
  return `{${body === '' ? '' : `"resource":${body},`}"response":{"status":"${status}"}}`;
}

/** The resource as a part of an entry, where the client wants to see it. */
export const representation = (json: string, { prefer }: Given): string =>
  prefer?.includes('return=representation') === true && json !== '' ? `"resource":${json},` : '';

function answerEntry(kit: Kit, status: string, version: Version, given: Given): string {
  const marks = kit.switches.bareEntries === true ? {} : { ...etagPart(version), lastModified: version.lastUpdated };
  const response = { status, location: locationOf(kit, version), ...marks };
  const shown = version.resource === null ? '' : showVersion(kit, version);
  return `{${representation(shown, given)}"response":${JSON.stringify(response)}}`;
}

/** All or nothing. The answers stand in the order of the entries. */
export function runTransaction(kit: Kit, steps: readonly Step[], given: Given): string[] | Reply {
  const decided = decide(kit, steps);
  if (isReply(decided)) return decided;
  kit.commit(decided.changes);
  return steps.map((step) => {
    const intent = decided.intents.get(step.at);
    if (intent === undefined || isReply(intent)) return readEntry(kit, step);
    const { type, id } = 'change' in intent ? intent.change : intent.already;
    const version = kit.repository.read(type, id);
    if (version === undefined) return '{"response":{"status":"204"}}';
    if (!('change' in intent)) return answerEntry(kit, version.resource === null ? '204' : '200', version, given);
    const { kind, method } = intent.change;
    return answerEntry(kit, STATUS[kind], versionToAnswer(kit, method, version), given);
  });
}
