import type { Route } from '../kernel/index.ts';

export type Found =
  | { readonly kind: 'route'; readonly route: Route; readonly params: Readonly<Record<string, string>> }
  /** The path is there, and does not take this method. */
  | { readonly kind: 'method'; readonly path: string; readonly allow: string }
  /** A part that a route names cannot be decoded. */
  | { readonly kind: 'malformed'; readonly cause: unknown }
  | { readonly kind: 'none' };

export type RouteTable = (method: string, target: string) => Found;

/** A path, part by part between its slashes: a word, or the name of a parameter. */
interface Pattern {
  readonly path: string;
  readonly words: readonly (string | null)[];
  readonly names: readonly (string | null)[];
  /** Whether anything may follow, which no parameter tells. */
  readonly isOpen: boolean;
}

/** What begins with the same word, in the order of the table; and the paths among it, the plainest first. */
interface Shelf {
  readonly routes: { readonly pattern: Pattern; readonly method: string; readonly route: Route }[];
  readonly paths: { readonly pattern: Pattern; readonly allow: string }[];
}

const ANYTHING = '/{*path}';
const PARAMETER = /^:[A-Za-z_]\w*$/;
const WORD = /^[\w.$-]*$/;
const NONE: Found = { kind: 'none' };

function parsePath(path: string): Pattern {
  const isOpen = path.endsWith(ANYTHING);
  const parts = (isOpen ? path.slice(0, -ANYTHING.length) : path).split('/');
  const isSound = parts.every((part, i) => WORD.test(part) || (i > 1 && PARAMETER.test(part)));
  if (!isSound || parts.length < 2 || parts[0] !== '') throw new Error(`${path} is no path of a route`);
  return {
    path,
    words: parts.map((part) => (part.startsWith(':') ? null : part)),
    names: parts.map((part) => (part.startsWith(':') ? part.slice(1) : null)),
    isOpen,
  };
}

function fits({ words, isOpen }: Pattern, parts: readonly string[]): boolean {
  if (isOpen ? parts.length <= words.length : parts.length !== words.length) return false;
  for (let i = 1; i < words.length; i += 1) {
    const word = words[i];
    if (word === null ? parts[i] === '' : parts[i] !== word) return false;
  }
  return true;
}

const decode = (part: string): string => (part.includes('%') ? decodeURIComponent(part) : part);

/** Throws a URIError for what cannot be decoded, also behind what the path names. */
function readParams({ names, isOpen }: Pattern, parts: readonly string[]): Record<string, string> {
  const params: Record<string, string> = {};
  for (let i = 2; i < names.length; i += 1) {
    const name = names[i] ?? null;
    if (name !== null) params[name] = decode(parts[i] ?? '');
  }
  if (isOpen) for (let i = names.length; i < parts.length; i += 1) decode(parts[i] ?? '');
  return params;
}

/** How many requests a path fits: a parameter fits more than a word, and an open end more than any parameter. */
const generalityOf = ({ names, isOpen }: Pattern): number =>
  (isOpen ? 100 : 0) + names.filter((name) => name !== null).length;

function allowOf(methods: readonly string[]): string {
  const all = methods.includes('GET') ? [...methods, 'HEAD'] : methods;
  return [...new Set(all)].sort().join(', ');
}

function makeShelf(routes: readonly Route[]): Shelf {
  const read = routes.map((route) => ({
    pattern: parsePath(route.path),
    method: route.method.toUpperCase(),
    route,
  }));
  const paths = [...Map.groupBy(read, ({ route }) => route.path).values()].flatMap((of) =>
    of.slice(0, 1).map(({ pattern }) => ({ pattern, allow: allowOf(of.map(({ method }) => method)) })),
  );
  return { routes: read, paths: paths.sort((a, b) => generalityOf(a.pattern) - generalityOf(b.pattern)) };
}

/** Whether in the path or behind it: a fragment is nothing that a server is asked. */
function pathOf(target: string): string {
  const end = target.search(/[?#]/);
  return end < 0 ? target : target.slice(0, end);
}

/**
 * Finds the route of a request as Express would, case and slash at the end included: the first of the table whose path
 * and method fit, HEAD by what GET has. Where only the method does not fit, the path that is written out answers for
 * itself, not the one whose parameter it would fit. Throws for a path of the table that is none.
 */
export function makeRouteTable(routes: readonly Route[]): RouteTable {
  const shelves = new Map(
    [...Map.groupBy(routes, ({ path }) => path.split('/')[1] ?? '')].map(([word, of]) => [word, makeShelf(of)]),
  );
  return (method, target) => {
    const parts = pathOf(target).split('/');
    const shelf = shelves.get(parts[1] ?? '');
    if (shelf === undefined) return NONE;
    const wanted = method === 'HEAD' ? 'GET' : method;
    try {
      for (const { pattern, method: taken, route } of shelf.routes) {
        if (!fits(pattern, parts)) continue;
        const params = readParams(pattern, parts);
        if (taken === wanted) return { kind: 'route', route, params };
      }
    } catch (cause) {
      return { kind: 'malformed', cause };
    }
    const there = shelf.paths.find(({ pattern }) => fits(pattern, parts));
    return there === undefined ? NONE : { kind: 'method', path: there.pattern.path, allow: there.allow };
  };
}
