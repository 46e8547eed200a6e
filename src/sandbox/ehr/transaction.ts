import {
  carryOut,
  intendConditionalUpdate,
  intendCreate,
  intendDelete,
  intendUpdate,
  isReply,
  locationOf,
  readResource,
  resolveConditional,
  search,
  type Given,
  type Intent,
  type Kit,
} from './interactions.ts';
import { isBad, matches, parseQuery } from './query.ts';
import { etagOf, refuse, replyJson, type Reply } from './reply.ts';
import type { Change, Version } from './repository.ts';
import type { Resource } from './values.ts';

interface EntryRequest extends Given {
  readonly method?: string;
  readonly url?: string;
}
interface Entry {
  readonly fullUrl?: string;
  readonly resource?: Resource;
  readonly request?: EntryRequest;
}
export interface BundleIn extends Resource {
  readonly type: string;
  readonly entry?: readonly Entry[];
}

/** R4, 3.1.0.11.2: deletions, then creations, then updates, then reads. */
const ORDER: readonly string[] = ['DELETE', 'POST', 'PUT', 'GET'];

interface Step {
  readonly at: number;
  readonly method: string;
  readonly type: string;
  readonly id: string;
  readonly criteria: string | null;
  readonly entry: Entry;
}

function parseStep(entry: Entry, at: number): Step | Reply {
  const { method = '', url = '' } = entry.request ?? {};
  const [path = '', criteria] = url.split('?');
  const [type = '', id = ''] = path.split('/');
  if (!ORDER.includes(method) || type === '')
    return refuse(400, 'invalid', `entry ${at}: a request with a method and an address is needed`);
  if ((method === 'POST' || method === 'PUT') && entry.resource === undefined)
    return refuse(400, 'invalid', `entry ${at}: a resource is needed`);
  return { at, method, type, id, criteria: criteria ?? null, entry };
}

const isConditional = (step: Step): boolean =>
  (step.method === 'PUT' && step.id === '') || step.entry.request?.ifNoneExist !== undefined;

function checkSize(kit: Kit, steps: readonly Step[]): Reply | null {
  const { maxEntries = Infinity, maxConditionalEntries = Infinity } = kit.switches;
  const limit = steps.some(isConditional) ? Math.min(maxEntries, maxConditionalEntries) : maxEntries;
  return steps.length > limit
    ? refuse(kit.switches.maxEntries === undefined ? 400 : 413, 'too-costly', `At most ${limit} entries are taken at once`)
    : null;
}

function intend(kit: Kit, step: Step, resource: Resource | undefined): Intent {
  const given = step.entry.request ?? {};
  if (step.method === 'DELETE') return intendDelete(kit, step.type, step.id);
  if (resource === undefined) return refuse(400, 'invalid', 'A resource is needed');
  if (step.method === 'POST') return intendCreate(kit, step.type, resource, given);
  return step.id === ''
    ? intendConditionalUpdate(kit, step.type, step.criteria ?? '', resource, given)
    : intendUpdate(kit, step.type, step.id, resource, given);
}

/** Replaces every reference that `target` knows, wherever in the resource it stands. */
function rewrite(value: unknown, target: (reference: string) => string | Reply): unknown {
  if (Array.isArray(value)) {
    const out: unknown[] = [];
    for (const one of value) {
      const done = rewrite(one, target);
      if (isReply(done)) return done;
      out.push(done);
    }
    return out;
  }
  if (typeof value !== 'object' || value === null || Object.getPrototypeOf(value) === null) return value;
  const out: Record<string, unknown> = {};
  for (const [name, part] of Object.entries(value)) {
    const done = name === 'reference' && typeof part === 'string' ? target(part) : rewrite(part, target);
    if (isReply(done)) return done;
    out[name] = done;
  }
  return out;
}

const CONDITIONAL_REFERENCE = /^([A-Z][A-Za-z]+)\?(.+)$/;

/** Where a reference leads once all ids are known. A conditional one may mean a resource of this same transaction. */
function makeTarget(kit: Kit, assigned: ReadonlyMap<string, string>, changes: readonly Change[]) {
  const resolved = new Map<string, string | Reply>();
  function resolve(reference: string, type: string, criteria: string): string | Reply {
    const stored = resolveConditional(kit, type, criteria);
    if (isReply(stored)) return stored;
    if (stored !== null) return `${type}/${stored.id}`;
    const query = parseQuery(type, new URLSearchParams(criteria), kit.switches.ignoreParams);
    const fresh = isBad(query)
      ? []
      : changes.filter((c) => c.type === type && c.resource !== null && matches(c.resource, query.clauses));
    const [only] = fresh;
    return fresh.length === 1 && only !== undefined
      ? `${type}/${only.id}`
      : refuse(412, 'not-found', `The conditional reference ${reference.slice(0, 80)} matches nothing`);
  }
  return (reference: string): string | Reply => {
    const known = assigned.get(reference);
    if (known !== undefined) return known;
    const match = CONDITIONAL_REFERENCE.exec(reference);
    if (match === null)
      return reference.startsWith('urn:')
        ? refuse(400, 'invalid', 'A reference points at no entry of the transaction')
        : reference;
    let found = resolved.get(reference);
    if (found === undefined) resolved.set(reference, (found = resolve(reference, match[1] ?? '', match[2] ?? '')));
    return found;
  };
}

function responseEntry(kit: Kit, version: Version, status: string): string {
  const response = { status, location: locationOf(kit, version), etag: etagOf(version), lastModified: version.lastUpdated };
  return `{"response":${JSON.stringify(response)}}`;
}

function bundleReply(type: 'transaction-response' | 'batch-response', entries: readonly string[]): Reply {
  return replyJson(200, `{"resourceType":"Bundle","type":"${type}","entry":[${entries.join(',')}]}`);
}

function readEntry(kit: Kit, step: Step): Reply {
  return step.id === ''
    ? search(kit, step.type, new URLSearchParams(step.criteria ?? ''), {})
    : readResource(kit, step.type, step.id, step.entry.request ?? {});
}

/** All or nothing: everything that can be refused is decided before the first change is made. */
function runTransaction(kit: Kit, steps: readonly Step[]): Reply {
  const ordered = [...steps].sort((a, b) => ORDER.indexOf(a.method) - ORDER.indexOf(b.method));
  const intents = new Map<number, Intent>();
  const assigned = new Map<string, string>();
  const changes: Change[] = [];
  const changed = new Set<string>();

  for (const step of ordered) {
    if (step.method === 'GET') continue;
    const intent = intend(kit, step, step.entry.resource);
    if (isReply(intent)) return intent;
    intents.set(step.at, intent);
    const { type, id } = 'change' in intent ? intent.change : intent.already;
    if (step.entry.fullUrl !== undefined) assigned.set(step.entry.fullUrl, `${type}/${id}`);
    if (!('change' in intent)) continue;
    if (changed.has(`${type}/${id}`)) return refuse(400, 'invalid', 'Two entries mean the same resource');
    changed.add(`${type}/${id}`);
    changes.push(intent.change);
  }

  const target = makeTarget(kit, assigned, changes);
  const final: Change[] = [];
  for (const change of changes) {
    const resource = rewrite(change.resource, target);
    if (isReply(resource)) return resource;
    final.push({ ...change, resource: resource as Resource | null });
  }

  const written = new Map(kit.commit(final).map((version) => [`${version.type}/${version.id}`, version]));
  const entries = steps.map((step) => {
    const intent = intents.get(step.at);
    if (intent === undefined || isReply(intent)) {
      const reply = readEntry(kit, step);
      return `{"resource":${reply.body},"response":${JSON.stringify({ status: String(reply.status) })}}`;
    }
    if (!('change' in intent)) return responseEntry(kit, intent.already, '200');
    const version = written.get(`${intent.change.type}/${intent.change.id}`);
    if (version === undefined) throw new Error('a change was not written');
    return responseEntry(kit, version, intent.change.kind === 'create' ? '201' : intent.change.kind === 'update' ? '200' : '204');
  });
  return bundleReply('transaction-response', entries);
}

/** Each entry for itself; references between entries are not resolved, as the standard says. */
function runBatch(kit: Kit, steps: readonly Step[], answerAs: 'transaction-response' | 'batch-response'): Reply {
  const entries = steps.map((step) => {
    const isFailed = kit.switches.failEntries?.includes(step.at) === true;
    const reply = isFailed
      ? refuse(422, 'processing', 'This entry was told to fail')
      : step.method === 'GET'
        ? readEntry(kit, step)
        : carryOut(kit, intend(kit, step, step.entry.resource), step.entry.request ?? {});
    const { location, etag } = reply.headers;
    const response = {
      status: String(reply.status),
      ...(location === undefined ? {} : { location }),
      ...(etag === undefined ? {} : { etag }),
    };
    const isError = reply.status >= 400;
    const outcome = isError ? `,"outcome":${reply.body}` : '';
    return `{${!isError && reply.body !== '' && step.method === 'GET' ? `"resource":${reply.body},` : ''}"response":${JSON.stringify(response).slice(0, -1)}${outcome}}}`;
  });
  return bundleReply(answerAs, entries);
}

export function runBundle(kit: Kit, bundle: BundleIn): Reply {
  const { noTransactions, noBatch, silentBatch, failEntries } = kit.switches;
  const steps: Step[] = [];
  for (const [at, entry] of (bundle.entry ?? []).entries()) {
    const step = parseStep(entry, at);
    if (isReply(step)) return step;
    steps.push(step);
  }
  const tooMany = checkSize(kit, steps);
  if (tooMany !== null) return tooMany;
  if (bundle.type === 'batch')
    return noBatch === true ? refuse(400, 'not-supported', 'Batches are not supported') : runBatch(kit, steps, 'batch-response');
  if (bundle.type !== 'transaction') return refuse(400, 'invalid', 'Only a transaction or a batch can be posted here');
  if (noTransactions === true) return refuse(400, 'not-supported', 'Transactions are not supported');
  if (silentBatch === true) return runBatch(kit, steps, 'transaction-response');
  if (failEntries !== undefined && failEntries.length > 0) return refuse(422, 'processing', 'An entry was told to fail');
  return runTransaction(kit, steps);
}
