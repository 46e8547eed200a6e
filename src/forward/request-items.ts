import { finishedOf, textWith, type Finished } from '../content/index.ts';
import { identifierToken, type Asked, type TypePlan } from '../ehr/index.ts';
import type { AnyResource } from '../payloads/index.ts';
import type { Wanted } from '../translate/index.ts';
import type { Item } from './build-items.ts';

export const NAME_SYSTEM = 'urn:chartgate:measurement';

export interface ItemRequest {
  readonly asked: Asked & { readonly method: 'PUT' | 'POST' };
  readonly resource: AnyResource;
}

/** How an item is written so that doing it twice is doing it once, as far as this EHR allows; and by which id. */
function askedFor(
  item: Item,
  { identity, ifMatch }: TypePlan,
): Pick<ItemRequest, 'asked'> & { readonly id: string | null } {
  const { resourceType: type, name, at } = item;
  if (at !== null) {
    const version = ifMatch === 'none' || at.versionId === null ? {} : { ifMatch: `W/"${at.versionId}"` };
    return { asked: { method: 'PUT', path: `${type}/${at.id}`, ...version }, id: at.id };
  }
  if (identity === 'put-by-id') return { asked: { method: 'PUT', path: `${type}/${name}` }, id: name };
  const token = identifierToken(NAME_SYSTEM, name);
  if (identity === 'conditional-update' && item.wanted.write !== 'if-absent')
    return { asked: { method: 'PUT', path: type, query: [['identifier', token]] }, id: null };
  const guarded = identity === 'conditional-update' ? { ifNoneExist: `identifier=${encodeURIComponent(token)}` } : {};
  return { asked: { method: 'POST', path: type, ...guarded }, id: null };
}

/** `resource`: with the references that have an address by now. */
export function requestFor(item: Item, plan: TypePlan, resource: AnyResource): ItemRequest {
  const { asked, id } = askedFor(item, plan);
  return { asked, resource: id === null ? resource : { ...resource, id } };
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

/** What has an address of its own is referred to by it. */
function entryOf(item: Item, { identity }: TypePlan, asked: ItemRequest['asked'], resource: string): EntryText {
  const isAddressed = item.at !== null || identity === 'put-by-id';
  const request = JSON.stringify({
    method: asked.method,
    url: urlOf(asked),
    ...(asked.ifMatch === undefined ? {} : { ifMatch: asked.ifMatch }),
    ...(asked.ifNoneExist === undefined ? {} : { ifNoneExist: asked.ifNoneExist }),
  });
  const fullUrl = isAddressed ? '' : `"fullUrl":${JSON.stringify(item.reference)},`;
  return { item, asked, text: `{${fullUrl}"resource":${resource},"request":${request}}` };
}

/** A request as an entry of a Bundle. */
export const entryFor = (item: Item, plan: TypePlan, { asked, resource }: ItemRequest): EntryText =>
  entryOf(item, plan, asked, JSON.stringify(resource));

/** The same entry, from the text of a resource that is finished. */
export function finishedEntryFor(
  item: Item,
  plan: TypePlan,
  finished: Finished,
  addressOf: (reference: string) => string | undefined,
): EntryText {
  const { asked, id } = askedFor(item, plan);
  const text = textWith(finished, addressOf);
  return entryOf(item, plan, asked, id === null ? text : `${text.slice(0, -1)},"id":${JSON.stringify(id)}}`);
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
  statement: wanted,
  finished: finishedOf(wanted),
  digest: wanted.name,
  wanted,
  ledgerDocument: null,
  at: null,
  knownFingerprint: null,
  isRetracted: false,
  mayBeForgotten: false,
  isDoubted: false,
  isKept: false,
});
