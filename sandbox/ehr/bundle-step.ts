import type { Given, Kit } from './interactions.ts';
import { refuse, type Reply } from './reply.ts';
import type { Resource } from './values.ts';

interface EntryRequest extends Given {
  readonly method?: string;
  readonly url?: string;
}
export interface Entry {
  readonly fullUrl?: string;
  readonly resource?: Resource;
  readonly request?: EntryRequest;
}

/** R4, 3.1.0.11.2: deletions, then creations, then updates, then reads. */
export const ORDER: readonly string[] = ['DELETE', 'POST', 'PUT', 'GET'];

/** One entry of a Bundle, its request taken apart. */
export interface Step {
  readonly at: number;
  readonly method: string;
  readonly type: string;
  readonly id: string;
  readonly segments: readonly string[];
  readonly criteria: string;
  readonly entry: Entry;
}

export function parseStep(entry: unknown, at: number): Step | Reply {
  const bad = (text: string): Reply => refuse(400, 'invalid', `entry ${at}: ${text}`);
  if (typeof entry !== 'object' || entry === null || Array.isArray(entry)) return bad('an object is needed');
  const { request, resource } = entry as Entry;
  const { method = '', url = '' } = request ?? {};
  // Only the first question mark parts the two: a value may hold others.
  const cut = url.indexOf('?');
  const segments = (cut < 0 ? url : url.slice(0, cut)).split('/');
  const [type = '', id = ''] = segments;
  if (!ORDER.includes(method) || type === '') return bad('a request with a method and an address is needed');
  if ((method === 'POST' || method === 'PUT') && resource === undefined) return bad('a resource is needed');
  return { at, method, type, id, segments, criteria: cut < 0 ? '' : url.slice(cut + 1), entry };
}

export const isConditional = (step: Step): boolean =>
  (step.method === 'PUT' && step.id === '') || step.entry.request?.ifNoneExist !== undefined;

export function checkSize({ switches }: Kit, steps: readonly Step[]): Reply | null {
  const { maxEntries = Infinity } = switches;
  return steps.length <= maxEntries
    ? null
    : refuse(413, 'too-costly', `At most ${maxEntries} entries are taken at once`);
}

/** Medplum's words for it are those of any bad request. */
export function checkConditions({ switches }: Kit, steps: readonly Step[]): Reply | null {
  const { maxConditionalEntries = Infinity } = switches;
  return steps.length <= maxConditionalEntries || !steps.some(isConditional)
    ? null
    : refuse(400, 'invalid', 'The transaction has conditions and too many entries');
}
