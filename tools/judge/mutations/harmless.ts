import { isObject, setAt, textOf, type Json, type JsonObject, type Site } from '../json-sites.ts';
import type { Mutation } from './mutation.ts';

const FOREIGN: Json = { system: 'http://example.org/foreign', code: 'foreign' };
const isPart = (site: Site): boolean => isObject(site.value) && !('resourceType' in site.value);
const within = (site: Site, change: (part: JsonObject) => void): void => {
  if (isObject(site.value)) change(site.value);
};

/** What should offend nobody; the judge says whether it does. */
export const HARMLESS: readonly Mutation[] = [
  {
    name: 'element-id',
    weight: 2,
    fits: isPart,
    apply: (site) => within(site, (part) => (part['id'] = 'here')),
  },
  {
    name: 'unknown-extension',
    weight: 3,
    fits: isPart,
    apply: (site) =>
      within(site, (part) => {
        const listed = Array.isArray(part['extension']) ? part['extension'] : [];
        if (!('url' in part)) part['extension'] = [...listed, { url: 'http://example.org/unknown', valueString: 'x' }];
      }),
  },
  {
    name: 'other-display',
    weight: 2,
    fits: (site) => site.name === 'display',
    apply: (site) => setAt(site, 'Other words'),
  },
  {
    name: 'further-coding',
    weight: 4,
    fits: (site) => site.name === 'coding' && Array.isArray(site.value),
    apply: (site, { random }) => {
      if (!Array.isArray(site.value)) return;
      if (random.chance(0.5)) site.value.push(structuredClone(FOREIGN));
      else site.value.unshift(structuredClone(FOREIGN));
    },
  },
  {
    name: 'concept-by-text',
    weight: 3,
    fits: (site) => isObject(site.value) && 'coding' in site.value,
    apply: (site) => setAt(site, { text: 'words only' }),
  },
  {
    name: 'further-identifier',
    weight: 2,
    fits: (site) => site.name === 'identifier' && Array.isArray(site.value),
    apply: (site) => {
      if (Array.isArray(site.value)) site.value.push({ system: 'http://example.org/ids', value: '7' });
    },
  },
  {
    name: 'other-number',
    weight: 2,
    fits: (site) => typeof site.value === 'number',
    apply: (site) => setAt(site, Number(site.value) + 1),
  },
  {
    name: 'other-day',
    weight: 1,
    fits: (site) => typeof site.value === 'string' && /^\d{4}-\d{2}-\d{2}/.test(site.value),
    apply: (site) => setAt(site, `2023-05-06${textOf(site.value).slice(10)}`),
  },
  {
    name: 'language',
    weight: 1,
    fits: (site) => site.name === 'id',
    apply: (_site, { resource }) => (resource['language'] = 'en'),
  },
  {
    name: 'reordered-keys',
    weight: 1,
    fits: isPart,
    apply: (site) =>
      within(site, (part) => setAt(site, Object.fromEntries(Object.entries(structuredClone(part)).reverse()))),
  },
];
