import { isObject } from '../../kernel/index.ts';
import type { Json } from '../runtime/context.ts';
import type { Visit } from './plan.ts';

/** The resources of a Bundle by what they are called in it. */
interface BundleIndex {
  readonly byUrl: ReadonlyMap<string, Json>;
  readonly byTypeAndId: ReadonlyMap<string, Json>;
  readonly urlOf: ReadonlyMap<Json, string>;
}

const indexes = new WeakMap<Json, BundleIndex>();

function indexOf(bundle: Json): BundleIndex {
  const known = indexes.get(bundle);
  if (known !== undefined) return known;
  const byUrl = new Map<string, Json>();
  const byTypeAndId = new Map<string, Json>();
  const urlOf = new Map<Json, string>();
  const entries: readonly unknown[] = Array.isArray(bundle['entry']) ? bundle['entry'] : [];
  for (const entry of entries) {
    const resource = isObject(entry) ? entry['resource'] : undefined;
    if (!isObject(entry) || !isObject(resource)) continue;
    const { fullUrl } = entry as { readonly fullUrl?: unknown };
    byTypeAndId.set(`${String(resource['resourceType'])}/${String(resource['id'])}`, resource);
    if (typeof fullUrl !== 'string') continue;
    byUrl.set(fullUrl, resource);
    urlOf.set(resource, fullUrl);
  }
  const index = { byUrl, byTypeAndId, urlOf };
  indexes.set(bundle, index);
  return index;
}

function findContained(root: Json, id: string): Json | undefined {
  if (id === '') return root;
  const contained: readonly unknown[] = Array.isArray(root['contained']) ? root['contained'] : [];
  return contained.filter(isObject).find((one) => one['id'] === id);
}

/** What a reference leads to, in what the resource contains or in the Bundle around it. */
export function findResource(reference: string, { root }: Pick<Visit, 'root'>, bundle: Json | null): Json | undefined {
  if (reference.startsWith('#')) return findContained(root, reference.slice(1));
  if (bundle === null) return undefined;
  const { byUrl, byTypeAndId, urlOf } = indexOf(bundle);
  const [plain = ''] = reference.split('/_history/');
  const found = byUrl.get(reference) ?? byUrl.get(plain);
  if (found !== undefined || plain.includes(':')) return found;
  const base = /^(?<base>https?:\/\/.*\/)[A-Za-z]+\/[^/]+$/.exec(urlOf.get(root) ?? '')?.groups?.['base'];
  return (base === undefined ? undefined : byUrl.get(base + plain)) ?? byTypeAndId.get(plain);
}
