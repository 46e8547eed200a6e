/**
 * For maintainers: derives the table of search parameters of `src/r4` from a Bundle of R4's SearchParameter resources.
 *
 *   node tools/derive-search.ts <search-parameters.json>
 *
 * One line per resource type; a parameter is `kind paths targets`. A path is what the parameter reads, without the
 * type's name:
 *   subject>Patient   only references to that type
 *   value:Quantity    only that type of a choice
 *   ?                 an expression that is more than a path, so that nothing here can match by it
 * Targets are the types that a reference may lead to; `*` for any.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

interface SearchParameter {
  readonly code: string;
  readonly type: string;
  readonly base: readonly string[];
  readonly expression?: string;
  readonly target?: readonly string[];
}

const file = process.argv[2];
if (file === undefined) throw new Error('Name the file that holds the SearchParameter resources.');
const { entry } = JSON.parse(readFileSync(file, 'utf8')) as { entry: { resource: SearchParameter }[] };

/** A parameter that leads to more types than this leads to any of them. */
const ANY_FROM = 100;

const PLAIN = /^[a-z]\w*(?:\.[a-z]\w*)*$/;

function readPath(expression: string, type: string): string | null {
  const bare = expression.trim().replace(/^\((.*)\)$/, '$1');
  if (!bare.startsWith(`${type}.`)) return null;
  const path = bare
    .slice(type.length + 1)
    .replace(/\.where\(resolve\(\) is (\w+)\)$/, '>$1')
    .replace(
      /(?:\.ofType\((\w+)\)|\.as\((\w+)\)| as (\w+))$/,
      (_, a?: string, b?: string, c?: string) => `:${a ?? b ?? c ?? ''}`,
    );
  return PLAIN.test(path.replace(/[>:]\w+$/, '')) ? path : '?';
}

const types: Record<string, Record<string, string>> = {};
for (const { resource } of entry) {
  for (const base of resource.base) {
    const paths = (resource.expression ?? '').split(' | ').flatMap((one) => readPath(one, base) ?? []);
    const all = [...(resource.target ?? [])].sort();
    const targets = resource.type === 'reference' ? ` ${all.length > ANY_FROM ? '*' : all.join(',')}` : '';
    (types[base] ??= {})[resource.code] =
      `${resource.type} ${[...new Set(paths)].join('|') || '?'}${targets}`.trimEnd();
  }
}

const sorted = (row: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(row).sort(([a], [b]) => (a < b ? -1 : 1)));
const lines = Object.keys(types)
  .sort()
  .map((type) => `${JSON.stringify(type)}:${JSON.stringify(sorted(types[type] ?? {}))}`);
writeFileSync(
  join(import.meta.dirname, '..', 'src', 'r4', 'definitions', 'search-parameters.json'),
  `{\n${lines.join(',\n')}\n}\n`,
);
console.log(`search-parameters.json: ${lines.length} rows`);
