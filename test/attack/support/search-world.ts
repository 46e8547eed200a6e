import { isObject } from '../../../src/kernel/index.ts';
import type { Resource, World } from './world.ts';

/*
 * An obliging search: it knows joins, chains and includes, ignores what it does not know, and asks nobody for
 * permission. What a gateway lets through to it is found.
 */
export type Params = readonly (readonly [string, string])[];

/** Where a reference parameter looks, beside an element of its own name. */
const ELEMENTS: Readonly<Record<string, readonly string[]>> = {
  patient: ['subject', 'patient', 'target'],
  performer: ['performer', 'activity'],
  medication: ['medicationReference'],
  'general-practitioner': ['generalPractitioner'],
  organization: ['managingOrganization'],
  agent: ['agent'],
  'has-member': ['hasMember'],
  'derived-from': ['derivedFrom'],
  item: ['entry'],
  participant: ['participant'],
  member: ['member'],
  for: ['for'],
};
const REFERENCES = new Set([
  ...[
    'patient',
    'subject',
    'performer',
    'focus',
    'asserter',
    'recorder',
    'author',
    'encounter',
    'target',
    'result',
    'specimen',
  ],
  ...[
    'device',
    'link',
    'source',
    'medication',
    'general-practitioner',
    'organization',
    'agent',
    'has-member',
    'derived-from',
  ],
  ...['item', 'participant', 'member', 'for'],
]);

export function referencesIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(referencesIn);
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([name, part]) =>
    name === 'reference' && typeof part === 'string' ? [part] : referencesIn(part),
  );
}

const referencesBy = (resource: Resource, param: string): string[] =>
  (ELEMENTS[param] ?? [param]).flatMap((element) => referencesIn(resource[element]));

const nameOf = (resource: Resource): string => `${resource.resourceType}/${resource.id}`;
const holds = (resource: Resource, text: string): boolean =>
  text !== '' && JSON.stringify(resource).toLowerCase().includes(text.toLowerCase());

/** Only a reference without a host is one to this server. */
function refersTo(resource: Resource, param: string, value: string): boolean {
  const named = /([A-Za-z]+\/)?[\w.-]+$/.exec(value)?.[0] ?? value;
  const wanted = param === 'patient' && !named.includes('/') ? `Patient/${named}` : named;
  return referencesBy(resource, param).some(
    (one) => one === wanted || (!one.includes('://') && one.endsWith(`/${wanted}`)),
  );
}

const tokenOf = (value: string): string => value.split('|').at(-1) ?? value;

function matchesOne(world: World, resource: Resource, key: string, value: string): boolean {
  const has = /^_has:(\w+):([\w-]+):(.+)$/.exec(key);
  if (has !== null) {
    const [, type = '', by = '', rest = ''] = has;
    return world.current.some(
      (other) =>
        other.resourceType === type &&
        referencesBy(other, by).includes(nameOf(resource)) &&
        matchesOne(world, other, rest, value),
    );
  }
  const [head = '', ...chain] = key.split('.');
  const [name = '', modifier] = head.split(':');
  if (REFERENCES.has(name)) {
    if (chain.length > 0)
      return world.current.some(
        (other) =>
          referencesBy(resource, name).includes(nameOf(other)) && matchesOne(world, other, chain.join('.'), value),
      );
    if (modifier === 'identifier')
      return world.current.some(
        (other) => referencesBy(resource, name).includes(nameOf(other)) && holds(other, tokenOf(value)),
      );
    if (modifier === 'not') return !refersTo(resource, name, value);
    if (modifier === 'missing') return (referencesBy(resource, name).length === 0) === (value === 'true');
    return refersTo(resource, name, value);
  }
  switch (name) {
    case '_id':
      return modifier === 'not' ? resource.id !== value : resource.id === value;
    case 'identifier':
    case 'code':
    case 'category':
    case 'name':
    case 'family':
    case '_text':
    case '_content':
    case 'birthdate':
      return modifier === 'not' ? !holds(resource, tokenOf(value)) : holds(resource, tokenOf(value));
    case '_filter':
      return holds(resource, /\b(?:eq|co|re)\s+"?([\w/.-]+)/.exec(value)?.[1] ?? '');
    case '_list':
      return world.versions('List', value).some((list) => referencesIn(list).includes(nameOf(resource)));
    default:
      return true;
  }
}

/** Commas are alternatives, and so, as on some servers, are repetitions of one name; different names are conditions. */
export const matches = (world: World, resource: Resource, params: Params): boolean =>
  params.every(([key]) =>
    params
      .filter(([other]) => other === key)
      .flatMap(([, value]) => value.split(','))
      .some((one) => matchesOne(world, resource, key, one)),
  );

export function included(world: World, found: readonly Resource[], params: Params): Resource[] {
  const seen = new Set(found.map(nameOf));
  const out: Resource[] = [];
  const add = (resource: Resource): void => {
    if (seen.has(nameOf(resource))) return;
    seen.add(nameOf(resource));
    out.push(resource);
  };
  // Twice, so that :iterate has something to walk on; an obliging server iterates unasked.
  for (const _round of [1, 2])
    for (const [key, value] of params) {
      const [kind = ''] = key.split(':');
      if (kind !== '_include' && kind !== '_revinclude') continue;
      const [type = '*', param = '*'] = value.split(':');
      for (const from of [...found, ...out])
        for (const other of world.current) {
          const [near, far] = kind === '_include' ? [from, other] : [other, from];
          if (type !== '*' && near.resourceType !== type) continue;
          const references = param === '*' ? referencesIn(near) : referencesBy(near, param);
          if (references.includes(nameOf(far))) add(other);
        }
    }
  return out;
}
