import { at, isObject, removeAt, setAt, type Json } from '../json-sites.ts';
import type { Mutation } from './mutation.ts';

const otherEntry = (list: Json[], key: number, other: number): void => {
  const [one, two] = [list[key], list[other]];
  if (one === undefined || two === undefined) return;
  list[key] = two;
  list[other] = one;
};

/** Lists, and above all those that a profile slices. */
export const SLICE_MUTATIONS: readonly Mutation[] = [
  {
    name: 'drop-item',
    weight: 6,
    fits: (site, { rules }) => typeof site.key === 'number' && rules.at(site.path).some(({ slice }) => slice !== null),
    apply: removeAt,
  },
  {
    name: 'drop-any-item',
    weight: 3,
    fits: (site) => Array.isArray(site.holder) && site.holder.length > 1,
    apply: removeAt,
  },
  {
    name: 'repeat-item',
    weight: 6,
    fits: (site) => typeof site.key === 'number',
    apply: (site) => {
      if (Array.isArray(site.holder)) site.holder.push(structuredClone(site.value));
    },
  },
  {
    name: 'foreign-item',
    weight: 3,
    fits: (site, { rules }) => Array.isArray(site.value) && rules.at(site.path).some(({ isSliced }) => isSliced),
    apply: (site) => {
      if (!Array.isArray(site.value)) return;
      const [first] = site.value;
      if (isObject(first) && 'coding' in first)
        site.value.push({ coding: [{ system: 'http://example.org/foreign', code: 'foreign' }] });
      else if (isObject(first) && 'url' in first)
        site.value.push({ url: 'http://example.org/foreign', valueString: 'foreign' });
      else if (isObject(first) && 'system' in first)
        site.value.push({ ...structuredClone(first), system: 'http://example.org/foreign' });
      else if (isObject(first) && at(first, 'code') !== undefined)
        site.value.push({ ...structuredClone(first), code: { text: 'foreign' } });
    },
  },
  {
    name: 'reorder',
    weight: 3,
    fits: (site) => Array.isArray(site.holder) && site.holder.length > 1,
    apply: (site, { random }) => {
      if (Array.isArray(site.holder)) otherEntry(site.holder, Number(site.key), random.below(site.holder.length));
    },
  },
  {
    name: 'move-part',
    weight: 2,
    fits: (site, { rules }) =>
      typeof site.key === 'number' && isObject(site.value) && rules.at(site.path).some(({ slice }) => slice !== null),
    apply: (site, { random }) => {
      if (!isObject(site.value)) return;
      const name = random.pick(Object.keys(site.value));
      if (name !== undefined)
        setAt(site, Object.fromEntries(Object.entries(site.value).filter(([key]) => key !== name)));
    },
  },
];
