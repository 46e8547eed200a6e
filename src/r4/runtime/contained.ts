import { isObject, isObjectOrArray } from '../../kernel/index.ts';
import { flag, type Context, type Json } from './context.ts';

/**
 * Every `#…` string below `from`, whatever element holds it: reference, canonical, uri and url count alike in dom-3.
 */
function collectLocal(from: unknown, into: Set<string>, depth: number): void {
  if (typeof from === 'string') {
    if (from.startsWith('#')) into.add(from.slice(1));
  } else if (isObjectOrArray(from) && depth < 200) {
    for (const key in from) {
      if (key === 'div' && typeof from[key] === 'string') {
        for (const [, id] of from[key].matchAll(/["']#([^"']+)["']/g)) if (id !== undefined) into.add(id);
      } else collectLocal(from[key], into, depth + 1);
    }
  }
}

function checkOne(inner: Json, resource: Json, wanted: ReadonlySet<string>, c: Context, path: string): boolean {
  let isSound = true;
  if (inner['contained'] !== undefined)
    isSound = flag(c, 'dom-2', path, 'A contained resource must not contain resources.');
  const meta = inner['meta'];
  if (isObject(meta)) {
    if (meta['versionId'] !== undefined || meta['lastUpdated'] !== undefined)
      isSound = flag(c, 'dom-4', path, 'A contained resource must not have meta.versionId or meta.lastUpdated.');
    if (meta['security'] !== undefined)
      isSound = flag(c, 'dom-5', path, 'A contained resource must not have meta.security.');
  }
  const id = inner['id'];
  if (typeof id !== 'string')
    return flag(c, 'contained-id', path, 'A contained resource needs an id, so that it can be referred to.');
  if (wanted.has(id)) return isSound;
  const own = new Set<string>();
  collectLocal(inner, own, 0);
  if (own.has('')) return isSound;
  return flag(
    c,
    'dom-3',
    path,
    `Nothing in ${String(resource['resourceType'])} refers to the contained resource "#${id}".`,
  );
}

/** dom-2 to dom-5. Asked only of resources that have `contained`. */
export function checkContained(resource: Json, c: Context, path: string): boolean {
  const list = resource['contained'];
  if (!Array.isArray(list)) return true;
  const wanted = new Set<string>();
  collectLocal(resource, wanted, 0);
  const ids = new Set<unknown>();
  let isSound = true;
  for (let i = 0; i < list.length; i++) {
    const inner: unknown = list[i];
    if (!isObjectOrArray(inner)) continue;
    const at = c.issues === null ? '' : `${path}.contained[${i}]`;
    if (!checkOne(inner, resource, wanted, c, at)) isSound = false;
    const id = inner['id'];
    if (typeof id === 'string' && ids.has(id))
      isSound = flag(c, 'contained-id', at, `Two contained resources have the id "${id}".`);
    ids.add(id);
    if (!isSound && c.issues === null) return false;
  }
  return isSound;
}
