import { loadDefinitions, readDefinition } from './load-definitions.ts';
import type { Element } from './read-structures.ts';

type Json = Readonly<Record<string, unknown>>;

interface Row {
  readonly elements: ReadonlyMap<string, Element>;
  /** Null: all of it is in the summary. */
  readonly kept: ReadonlySet<string> | null;
}

let table: Readonly<Record<string, string>> | undefined;
const rows = new Map<string, Row>();

/** `tools/derive-summary.ts` writes the table. */
function rowOf(name: string): Row {
  const known = rows.get(name);
  if (known !== undefined) return known;
  table ??= JSON.parse(readDefinition('summaries.json')) as Record<string, string>;
  const names = table[name];
  const elements = loadDefinitions().structures.get(name)?.elements ?? [];
  const row = {
    elements: new Map(elements.map((element) => [element.name, element])),
    kept: names === undefined ? null : new Set(names.split(' ')),
  };
  rows.set(name, row);
  return row;
}

const isEmpty = (value: unknown): boolean =>
  Array.isArray(value)
    ? value.length === 0
    : typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype
      ? Object.keys(value).length === 0
      : value === undefined;

function summarizeValue(value: unknown, { type }: Element): unknown {
  if (type.kind !== 'structure') return value;
  const one = (item: unknown): unknown =>
    typeof item === 'object' && item !== null && !Array.isArray(item) ? summarizeAs(item as Json, type.name) : item;
  return Array.isArray(value) ? value.map(one).filter((item) => !isEmpty(item)) : one(value);
}

function summarizeAs(value: Json, name: string): Json {
  const { elements, kept } = rowOf(name);
  const left: [string, unknown][] = [];
  for (const [key, of] of Object.entries(value)) {
    // `_birthDate` goes with `birthDate`.
    const element = elements.get(key.replace(/^_/, ''));
    if (element === undefined) {
      if (kept === null || key === 'resourceType') left.push([key, of]);
      continue;
    }
    if (kept !== null && !kept.has(element.choice === null ? element.name : `${element.choice}[x]`)) continue;
    const summary = key.startsWith('_') ? of : summarizeValue(of, element);
    if (!isEmpty(summary)) left.push([key, summary]);
  }
  return Object.fromEntries(left);
}

/** What of a resource R4 counts among its summary, mandatory elements included, down to the parts of its parts. */
export const summarize = (resource: Json & { readonly resourceType: string }): Json =>
  summarizeAs(resource, resource.resourceType);
