import { isObject } from '../../kernel/index.ts';
import { flag, type Context, type Json } from './context.ts';
import type { ResourceTypes } from './references.ts';
import { show } from './say.ts';

const listOf = (v: unknown): readonly unknown[] => (Array.isArray(v) ? (v as unknown[]) : []);

/** The types that a search was for, by the address of the search itself; null where it does not say. */
function searchedTypes(bundle: Json, types: ResourceTypes): ReadonlySet<string> | null {
  const self = listOf(bundle['link']).find((link) => isObject(link) && link['relation'] === 'self');
  const url = isObject(self) ? self['url'] : undefined;
  if (typeof url !== 'string') return null;
  const [path = '', query = ''] = url.split('?', 2);
  const last = path.slice(path.lastIndexOf('/') + 1);
  if (types.has(last)) return new Set([last]);
  const asked = query.split('&').filter((part) => part.startsWith('_type='));
  return asked.length === 0 ? null : new Set(asked.flatMap((part) => part.slice(6).split(',')));
}

function faultOf(mode: unknown, resource: Json, searched: ReadonlySet<string> | null): string | null {
  const type = String(resource['resourceType']);
  if (mode === 'outcome') return type === 'OperationOutcome' ? null : `A ${type} is not the outcome of a search.`;
  if (mode !== 'match' && mode !== 'include') return null;
  if (resource['id'] === undefined) return 'A resource that a search found has an id.';
  if (mode === 'include' || searched === null || searched.has(type)) return null;
  return `A ${type} does not match a search for ${[...searched].map(show).join(', ')}.`;
}

/** What search.mode says of an entry of a searchset. */
export function checkSearchset(bundle: Json, types: ResourceTypes, c: Context, path: string): boolean {
  const entries = listOf(bundle['entry']);
  let searched: ReadonlySet<string> | null | undefined;
  let isSound = true;
  for (let i = 0; i < entries.length; i++) {
    const entry = entries[i];
    if (!isObject(entry) || !isObject(entry['search']) || !isObject(entry['resource'])) continue;
    searched ??= searchedTypes(bundle, types);
    const fault = faultOf(entry['search']['mode'], entry['resource'], searched);
    if (fault === null) continue;
    isSound = flag(c, 'search-mode', c.issues === null ? '' : `${path}.entry[${i}].resource`, fault);
    if (c.issues === null) return false;
  }
  return isSound;
}
