import { at, isObject, removeAt, setAt, type JsonObject, type Site } from '../json-sites.ts';
import type { Mutation } from './mutation.ts';

const isExtension = (site: Site): boolean =>
  typeof site.key === 'number' && /xtension$/.test(site.path) && typeof at(site.value, 'url') === 'string';
const valueName = (extension: JsonObject): string | undefined =>
  Object.keys(extension).find((name) => name.startsWith('value'));

export const EXTENSION_MUTATIONS: readonly Mutation[] = [
  { name: 'drop-extension', weight: 3, fits: isExtension, apply: removeAt },
  {
    name: 'repeat-extension',
    weight: 3,
    fits: isExtension,
    apply: (site) => {
      if (Array.isArray(site.holder)) site.holder.push(structuredClone(site.value));
    },
  },
  {
    name: 'other-extension-type',
    weight: 4,
    fits: (site) => isExtension(site) && isObject(site.value) && valueName(site.value) !== undefined,
    apply: (site, { random }) => {
      if (!isObject(site.value)) return;
      const name = valueName(site.value);
      if (name !== undefined) Reflect.deleteProperty(site.value, name);
      if (random.chance(0.5)) site.value['valueInteger'] = 7;
      else site.value['valueString'] = 'a text';
    },
  },
  {
    name: 'extension-without-value',
    weight: 2,
    fits: (site) => isExtension(site) && isObject(site.value) && valueName(site.value) !== undefined,
    apply: (site) => {
      if (isObject(site.value)) setAt(site, { url: site.value['url'] ?? 'http://example.org/none' });
    },
  },
  {
    name: 'other-extension-url',
    weight: 2,
    fits: isExtension,
    apply: (site, { random, around }) => {
      const url = random.pick(around.extensionUrls);
      if (isObject(site.value) && url !== undefined) site.value['url'] = url;
    },
  },
  {
    name: 'extension-elsewhere',
    weight: 4,
    fits: (site) => isObject(site.value) && !/xtension/.test(site.path) && !site.name.startsWith('_'),
    apply: (site, { random, around }) => {
      const url = random.pick(around.extensionUrls);
      if (!isObject(site.value) || url === undefined || 'resourceType' in site.value) return;
      const listed = Array.isArray(site.value['extension']) ? site.value['extension'] : [];
      site.value['extension'] = [...listed, { url, valueString: 'a text' }];
    },
  },
  {
    name: 'modifier-extension',
    weight: 1,
    fits: (site) => isExtension(site) && site.name === 'extension',
    apply: (site, { resource }) => {
      removeAt(site);
      resource['modifierExtension'] = [structuredClone(site.value)];
    },
  },
];
