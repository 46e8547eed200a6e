import type { IncomingMessage } from 'node:http';
import { refuse, type Handle, type Reply } from './reply.ts';

export interface Row {
  readonly method: 'GET' | 'POST' | 'PUT';
  /** `{name}` takes one segment, also an empty one: that a name is missing is for the handler to say. */
  readonly path: string;
  readonly handle: Handle;
}

interface Matcher {
  readonly row: Row;
  readonly pattern: RegExp;
  readonly names: readonly string[];
}

const escape = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

function compile(row: Row): Matcher {
  const names = [...row.path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
  const source = row.path
    .split(/\{\w+\}/)
    .map(escape)
    .join('([^/]*)');
  return { row, pattern: new RegExp(`^${source}$`), names };
}

/** Answers by the table; what is not in it is 404, or 405 where the address takes another method. */
export function makeRouter(rows: readonly Row[]): (request: IncomingMessage, base: string) => Reply | Promise<Reply> {
  const matchers = rows.map(compile);
  return (request, base) => {
    const method = request.method ?? 'GET';
    const target = request.url ?? '/';
    if (!target.startsWith('/') || !URL.canParse(base + target))
      return refuse({ url: new URL(base), method }, 400, 'the address cannot be read');
    const url = new URL(base + target);
    const fitting = matchers.filter(({ pattern }) => pattern.test(url.pathname));
    const found = fitting.find(({ row }) => row.method === (method === 'HEAD' ? 'GET' : method));
    if (found === undefined)
      return fitting.length === 0
        ? refuse({ url, method }, 404, 'not found')
        : refuse({ url, method }, 405, 'method not allowed', {
            Allow: [...new Set(fitting.map(({ row }) => row.method))].join(', '),
          });
    let values: string[];
    try {
      values = (found.pattern.exec(url.pathname) ?? []).slice(1).map(decodeURIComponent);
    } catch {
      return refuse({ url, method }, 400, 'the address cannot be read');
    }
    const params = Object.fromEntries(found.names.map((name, i) => [name, values[i] ?? '']));
    return found.row.handle({ request, method, url, params });
  };
}
