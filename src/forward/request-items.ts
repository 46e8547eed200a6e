import { identifierToken, type Asked, type TypePlan } from '../ehr/index.ts';
import type { AnyResource } from '../payloads/index.ts';
import type { Wanted } from '../translate/index.ts';
import type { Item } from './build-items.ts';

export const NAME_SYSTEM = 'urn:chartgate:measurement';

export interface ItemRequest {
  readonly asked: Asked & { readonly method: 'PUT' | 'POST' };
  readonly resource: AnyResource;
}

/** How an item is written so that doing it twice is doing it once, as far as this EHR allows. */
export function requestFor(item: Item, { identity, ifMatch }: TypePlan, resource: AnyResource): ItemRequest {
  const { resourceType: type, name, at } = item;
  if (at !== null) {
    const version = ifMatch === 'none' || at.versionId === null ? {} : { ifMatch: `W/"${at.versionId}"` };
    return { asked: { method: 'PUT', path: `${type}/${at.id}`, ...version }, resource: { ...resource, id: at.id } };
  }
  if (identity === 'put-by-id')
    return { asked: { method: 'PUT', path: `${type}/${name}` }, resource: { ...resource, id: name } };
  const token = identifierToken(NAME_SYSTEM, name);
  if (identity === 'conditional-update' && item.wanted.write !== 'if-absent')
    return { asked: { method: 'PUT', path: type, query: [['identifier', token]] }, resource };
  const guarded = identity === 'conditional-update' ? { ifNoneExist: `identifier=${encodeURIComponent(token)}` } : {};
  return { asked: { method: 'POST', path: type, ...guarded }, resource };
}

const urlOf = ({ path, query = [] }: Asked): string =>
  query.length === 0
    ? path
    : `${path}?${query.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join('&')}`;

export interface EntryText {
  readonly item: Item;
  readonly asked: ItemRequest['asked'];
  readonly text: string;
}

/** The same as an entry of a Bundle. What has an address of its own is referred to by it. */
export function entryFor(item: Item, { identity }: TypePlan, { asked, resource }: ItemRequest): EntryText {
  const isAddressed = item.at !== null || identity === 'put-by-id';
  const text = JSON.stringify({
    ...(isAddressed ? {} : { fullUrl: item.reference }),
    resource,
    request: {
      method: asked.method,
      url: urlOf(asked),
      ...(asked.ifMatch === undefined ? {} : { ifMatch: asked.ifMatch }),
      ...(asked.ifNoneExist === undefined ? {} : { ifNoneExist: asked.ifNoneExist }),
    },
  });
  return { item, asked, text };
}

/** Shows the patient in the same transaction that writes to it. */
export const patientEntry = (reference: string): Pick<EntryText, 'text'> & { readonly asked: Asked } => ({
  asked: { method: 'GET', path: reference },
  text: JSON.stringify({ request: { method: 'GET', url: reference } }),
});

/** A Provenance is never in the ledger: it has no name that an EHR could look for. */
export const provenanceItem = (wanted: Wanted): Item => ({
  name: wanted.name,
  reference: wanted.reference,
  resourceType: 'Provenance',
  resource: wanted.resource,
  digest: wanted.name,
  wanted,
  at: null,
  knownFingerprint: null,
  isRetracted: false,
  mayBeForgotten: false,
  isDoubted: false,
  isKept: false,
});
