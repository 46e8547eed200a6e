import type { Pairs } from '../ehr/index.ts';
import { fail, fault, ok, type Result } from '../kernel/index.ts';
import { LIMITS, parseElements } from './parse-search.ts';
import { isId, type Instance } from './read-request.ts';
import { parseInstant } from './since.ts';
import { isShape, isSummary } from './shape-resource.ts';

type Draft = { -readonly [K in 'elements' | 'summary' | 'count' | 'since']: Instance[K] };

function take(kind: Instance['kind'], name: string, value: string, draft: Draft): boolean {
  switch (name) {
    case '_elements':
      draft.elements = parseElements(value);
      return draft.elements !== null;
    case '_summary':
      // A count of one resource means nothing.
      if (!isSummary(value) || value === 'count') return false;
      draft.summary = value;
      return true;
    case '_count':
      if (kind !== 'history-instance' || !/^[1-9]\d{0,5}$/.test(value)) return false;
      draft.count = Math.min(LIMITS.countMax, Number(value));
      return true;
    case '_since':
      draft.since = kind === 'history-instance' ? parseInstant(value) : null;
      return draft.since !== null;
    default:
      return false;
  }
}

const NAMED = new Set(['_elements', '_summary', '_count', '_since']);

/**
 * Reads what is asked of one resource: the form of the answer, and of a history how much of it. Everything else is
 * refused, since none of it would be done.
 */
export function parseInstance(
  kind: Instance['kind'],
  [type = '', id = '', , versionId]: readonly string[],
  query: Pairs,
  isOffered: (type: string) => boolean,
): Result<Instance> {
  if (!isOffered(type) || !isId(id) || (versionId !== undefined && !isId(versionId)))
    return fail(fault('read.not-found'));
  const draft: Draft = { elements: null, summary: 'false', count: null, since: null };
  const used: [string, string][] = [];
  for (const [name, value] of query) {
    if (name === '_format' || name === '_pretty') continue;
    const isTwice = used.some(([one]) => one === name);
    if (isTwice || !take(kind, name, value, draft))
      return fail(fault('read.parameter', NAMED.has(name) ? { at: name } : {}));
    used.push([name, name === '_count' ? String(draft.count) : name === '_since' ? value.replace(' ', '+') : value]);
  }
  if (!isShape(draft)) return fail(fault('read.parameter', { at: '_summary' }));
  return ok({ kind, type, id, versionId: versionId ?? null, ...draft, used });
}
