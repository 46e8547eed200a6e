import { readDefinition } from '../definitions/load-definitions.ts';

/** Where a parameter looks. `reference`: only references to that type count; `choice`: only that type of a choice. */
export interface SearchPath {
  readonly steps: readonly string[];
  readonly reference: string | null;
  readonly choice: string | null;
}

export interface SearchParam {
  readonly kind: string;
  readonly paths: readonly SearchPath[];
  /** False where R4's expression is more than paths, so that `paths` do not say all. */
  readonly isPlain: boolean;
  /** The types that a reference may lead to. */
  readonly targets: readonly string[] | 'any';
}

type Params = ReadonlyMap<string, SearchParam>;
type Table = Readonly<Record<string, Readonly<Record<string, string>>>>;

const PATH = /^([\w.]+)(?:>(\w+))?(?::(\w+))?$/;

function readPath(text: string): SearchPath | null {
  const [, steps, reference = null, choice = null] = PATH.exec(text) ?? [];
  return steps === undefined ? null : { steps: steps.split('.'), reference, choice };
}

/** The notation of `tools/derive-search.ts`: `reference subject>Patient Patient`. */
export function readParam(row: string): SearchParam {
  const [kind = '', paths = '?', targets = ''] = row.split(' ');
  const read = paths.split('|').map(readPath);
  return {
    kind,
    paths: read.filter((path) => path !== null),
    isPlain: read.every((path) => path !== null),
    targets: targets === '*' ? 'any' : targets === '' ? [] : targets.split(','),
  };
}

let table: Table | undefined;
const known = new Map<string, Params>();

/** What every type can be searched by; of R4's own list, those that mean the same at every server. */
const OF_EVERY_TYPE = ['_id', '_lastUpdated', '_profile', '_security', '_source', '_tag'];

/** The search parameters of a resource type, as R4 defines them. Empty for what is no type. */
export function searchParamsOf(type: string): Params {
  const found = known.get(type);
  if (found !== undefined) return found;
  table ??= JSON.parse(readDefinition('search-parameters.json')) as Table;
  const { Resource: all = {} } = table;
  const own = Object.hasOwn(table, type) ? table[type] : undefined;
  const params: Params =
    own === undefined
      ? new Map()
      : new Map([
          ...OF_EVERY_TYPE.flatMap((name): [string, SearchParam][] => {
            const row = all[name];
            return row === undefined ? [] : [[name, readParam(row)]];
          }),
          ...Object.entries(own).map(([name, row]): [string, SearchParam] => [name, readParam(row)]),
        ]);
  known.set(type, params);
  return params;
}
