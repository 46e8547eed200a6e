import { describe, expect, test } from '@jest/globals';
import express, { type NextFunction, type Request, type Response } from 'express';
import fc from 'fast-check';
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { CONTRACTS } from '../../../src/admin/index.ts';
import { makeRouteTable, type RouteTable } from '../../../src/http/route-table.ts';
import { jsonAnswer, ok, type Route } from '../../../src/kernel/index.ts';

type Line = readonly [method: Route['method'], path: string];

const routeOf = ([method, path]: Line): Route => ({
  method,
  path,
  access: 'open',
  handle: () => ok(jsonAnswer(200, {})),
});

/** What a table says of a request, in words: two routes of one method and path are the same. */
type Said = readonly (string | Readonly<Record<string, string>>)[];

function sayFound(find: RouteTable, method: string, target: string): Said {
  const found = find(method, target);
  if (found.kind === 'route') return ['route', found.route.method, found.route.path, found.params];
  return found.kind === 'method' ? ['method', found.path, found.allow] : [found.kind];
}

const generalityOf = (path: string): number => (path.includes('*') ? 100 : 0) + path.split(':').length;

/** The same table in Express, each path once more for the methods that it does not take. */
function expressOf(lines: readonly Line[]): (method: string, target: string) => Said {
  const app = express();
  app.set('case sensitive routing', true);
  app.set('strict routing', true);
  let said: Said = ['nothing'];
  const textsOf = (params: Request['params']): Record<string, string> =>
    Object.fromEntries(Object.entries(params).filter((one): one is [string, string] => typeof one[1] === 'string'));
  for (const [method, path] of lines)
    app[method](path, (req: Request) => void (said = ['route', method, path, textsOf(req.params)]));
  const byPath = Map.groupBy(lines, ([, path]) => path);
  for (const [path, of] of [...byPath].sort(([a], [b]) => generalityOf(a) - generalityOf(b))) {
    const methods = of.flatMap(([method]) => (method === 'get' ? ['GET', 'HEAD'] : [method.toUpperCase()]));
    app.all(path, () => void (said = ['method', path, [...new Set(methods)].sort().join(', ')]));
  }
  app.use(() => void (said = ['none']));
  app.use((thrown: unknown, _req: Request, _res: Response, _next: NextFunction) => {
    if (!(thrown instanceof URIError)) throw thrown;
    said = ['malformed'];
  });
  return (method, target) => {
    const req = Object.assign(new IncomingMessage(new Socket()), { method, url: target });
    said = ['nothing'];
    void app(req as Request, new ServerResponse(req) as Response);
    return said;
  };
}

const OURS: readonly Line[] = [
  ['get', '/'],
  ['get', '/healthz'],
  ['get', '/docs'],
  ['get', '/docs/style.css'],
  ['post', '/webhooks/:secret/data'],
  ['post', '/webhooks/:secret/notifications'],
  ...Object.values(CONTRACTS).map(({ method, path }): Line => [method, path]),
  ['get', '/ehr/jwks.json'],
  ['get', '/.well-known/jwks.json'],
  ['get', '/fhir/.well-known/smart-configuration'],
  ['get', '/fhir/metadata'],
  ['options', '/fhir/{*path}'],
  ['get', '/fhir/Patient/:id/$everything'],
  ['get', '/fhir/AuditEvent'],
  ['post', '/fhir/AuditEvent/_search'],
  ['get', '/fhir/AuditEvent/:id'],
  ['get', '/fhir/:type'],
  ['post', '/fhir/:type/_search'],
  ['get', '/fhir/:type/:id'],
  ['get', '/fhir/:type/:id/_history'],
  ['get', '/fhir/:type/:id/_history/:version'],
  ['get', '/fhir/{*path}'],
];

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];
const ODD = [
  '',
  '.',
  '..',
  '%',
  '%2',
  '%2F',
  '%2e%2E',
  '%00',
  '%C3%A9',
  '%E0%A4%A',
  '%ff',
  'a%20b',
  'a+b',
  '%25',
  ';x=1',
];
const ODDER = [
  ':id',
  '*',
  '{*path}',
  '(x)',
  '$everything',
  '_search',
  'Data',
  'DATA',
  'a|b',
  'é',
  '"',
  '~',
  '__proto__',
];

const oddPart = fc.oneof(
  fc.constantFrom(...ODD, ...ODDER),
  fc.string({ unit: fc.constantFrom('a', 'A', '0', '%', '2', 'f', 'F', '.', '-', '_', '$') }),
);
const tail = fc.constantFrom('', '', '', '/', '//', '?', '?a=/b', '?a=%', '??', '#a', '#/b?c', '?a#b');

/** Targets near the paths of a table: its words, its words in another case, odd ones between, fewer or more. */
function targetsNear(lines: readonly Line[]): fc.Arbitrary<string> {
  const words = [...new Set(lines.flatMap(([, path]) => path.split('/')))];
  const part = fc.oneof(
    fc.constantFrom(...words),
    fc.constantFrom(...words.map((word) => word.toUpperCase())),
    oddPart,
  );
  const anything = fc.array(part, { minLength: 1, maxLength: 7 }).map((parts) => `/${parts.join('/')}`);
  const filled = fc
    .tuple(fc.constantFrom(...lines), fc.array(oddPart, { minLength: 4, maxLength: 4 }))
    .map(([[, path], fill]) =>
      path
        .replace('{*path}', fill.join('/'))
        .split('/')
        .map((word, i) => (word.startsWith(':') ? (fill[i % 4] ?? '') : word))
        .join('/'),
    );
  return fc.tuple(fc.oneof(anything, filled), tail).map(([path, end]) => path + end);
}

const method = fc.constantFrom(...METHODS);

describe('a request is found the route that Express finds it', () => {
  test('in the table of the gateway', () => {
    const find = makeRouteTable(OURS.map(routeOf));
    const express = expressOf(OURS);
    const kinds = new Map<unknown, number>();
    fc.assert(
      fc.property(method, targetsNear(OURS), (asked, target) => {
        const said = sayFound(find, asked, target);
        kinds.set(said[0], (kinds.get(said[0]) ?? 0) + 1);
        expect(said).toEqual(express(asked, target));
      }),
      { numRuns: 8_000 },
    );
    for (const kind of ['route', 'method', 'malformed', 'none']) expect(kinds.get(kind) ?? 0).toBeGreaterThan(100);
  });

  test('in any table', () => {
    const word = fc.constantFrom('a', 'b', 'A', 'a.b', '$do', '_x');
    const parts = fc.array(fc.oneof(word, fc.constantFrom(':p', ':q_1', ':r')), { maxLength: 3 });
    const path = fc
      .tuple(word, parts, fc.constantFrom('', '', '', '/{*path}'))
      .map(([first, rest, end]) => `/${[first, ...rest].join('/')}${end}`)
      .filter((one) => new Set(one.match(/:\w+/g)).size === (one.match(/:\w+/g) ?? []).length);
    const line = fc.tuple(fc.constantFrom('get', 'post', 'put', 'delete', 'options'), path) as fc.Arbitrary<Line>;
    const asked = fc
      .array(line, { minLength: 1, maxLength: 8 })
      .chain((lines) =>
        fc.tuple(fc.constant(lines), fc.array(fc.tuple(method, targetsNear(lines)), { maxLength: 20 })),
      );
    fc.assert(
      fc.property(asked, ([lines, requests]) => {
        const find = makeRouteTable(lines.map(routeOf));
        const express = expressOf(lines);
        for (const [one, target] of requests) expect(sayFound(find, one, target)).toEqual(express(one, target));
      }),
      { numRuns: 500 },
    );
  });
});

test.each(['x', '/:id', '/{*path}', '/a/:', '/a/b?', '/a/*b', '/a/(b)', '/a/:b.json', '/a/{b}'])(
  '%s is no path of a route',
  (path) => {
    expect(() => makeRouteTable([routeOf(['get', path])])).toThrow('is no path of a route');
  },
);
