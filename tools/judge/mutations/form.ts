import { isObject, removeAt, setAt, type Site } from '../json-sites.ts';
import type { Mutation } from './mutation.ts';

const isPrimitive = (site: Site): boolean => typeof site.value !== 'object';
const isNamed = (site: Site): boolean => typeof site.key === 'string';

/** What JSON and the types of FHIR forbid in every resource. */
export const FORM_MUTATIONS: readonly Mutation[] = [
  { name: 'null-value', weight: 1, fits: isPrimitive, apply: (site) => setAt(site, null) },
  { name: 'empty-text', weight: 1, fits: (site) => typeof site.value === 'string', apply: (site) => setAt(site, '') },
  {
    name: 'number-as-text',
    weight: 1,
    fits: (site) => typeof site.value === 'number',
    apply: (site) => setAt(site, JSON.stringify(site.value)),
  },
  {
    name: 'text-as-number',
    weight: 1,
    fits: (site) => typeof site.value === 'string',
    apply: (site) => setAt(site, 7),
  },
  {
    name: 'single-for-list',
    weight: 1,
    fits: (site) => Array.isArray(site.value) && site.value.length > 0,
    apply: (site) => setAt(site, Array.isArray(site.value) ? (site.value[0] ?? null) : null),
  },
  {
    name: 'list-for-single',
    weight: 1,
    fits: (site) => isNamed(site) && isObject(site.value),
    apply: (site) => setAt(site, [site.value]),
  },
  { name: 'empty-object', weight: 1, fits: (site) => isObject(site.value), apply: (site) => setAt(site, {}) },
  {
    name: 'unknown-property',
    weight: 1,
    fits: (site) => isObject(site.value),
    apply: (site) => {
      if (isObject(site.value)) site.value['unheardOf'] = 'x';
    },
  },
  {
    name: 'bad-date',
    weight: 1,
    fits: (site) => typeof site.value === 'string' && /^\d{4}-\d{2}-\d{2}/.test(site.value),
    apply: (site) => setAt(site, '2024-02-30'),
  },
  {
    name: 'primitive-by-extension',
    weight: 2,
    fits: (site) => isNamed(site) && isPrimitive(site) && !String(site.key).startsWith('_') && site.name !== 'url',
    apply: (site, { random }) => {
      if (!isObject(site.holder)) return;
      if (random.chance(0.7)) removeAt(site);
      const reason = 'http://hl7.org/fhir/StructureDefinition/data-absent-reason';
      site.holder[`_${String(site.key)}`] = { extension: [{ url: reason, valueCode: 'unknown' }] };
    },
  },
];
