import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** By type, the search parameters that it does not know. */
export type Lacks = Readonly<Record<string, readonly string[]>>;

interface Statement {
  readonly rest: readonly {
    readonly resource: readonly { readonly type: string; searchParam?: readonly { readonly name: string }[] }[];
  }[];
}

/** An EHR that knows fewer search parameters than the one behind it: it says so, and ignores them. */
export async function startNarrowEhr(lacks: Lacks) {
  let behind = '';
  const asked: string[] = [];
  const isLacked = (type: string, key: string): boolean => lacks[type]?.includes(key.split(':')[0] ?? '') === true;

  const server = createServer((req, res) => {
    void (async () => {
      const chunks: Buffer[] = [];
      for await (const chunk of req) chunks.push(chunk as Buffer);
      const [path = '', query = ''] = (req.url ?? '').split('?');
      const [type = '', id] = path.split('/').slice(2);
      const isForm = req.headers['content-type']?.startsWith('application/x-www-form-urlencoded') === true;
      const isSearch = isForm || id === undefined;
      const text = isForm ? Buffer.concat(chunks).toString() : query;
      asked.push(`${path}?${decodeURIComponent(text)}`);
      const narrowed = isSearch ? [...new URLSearchParams(text)].filter(([key]) => !isLacked(type, key)) : [];
      const kept = isSearch ? new URLSearchParams(narrowed).toString() : text;
      const answer = await fetch(`${new URL(behind).origin}${path}${isForm || kept === '' ? '' : `?${kept}`}`, {
        method: req.method ?? 'GET',
        headers: { accept: 'application/fhir+json', 'content-type': req.headers['content-type'] ?? 'text/plain' },
        ...(req.method === 'POST' ? { body: isForm ? kept : Buffer.concat(chunks) } : {}),
      });
      const body = (await answer.text()).replaceAll(new URL(behind).origin, `http://${req.headers.host ?? ''}`);
      res.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? 'application/fhir+json' });
      res.end(path.endsWith('/metadata') ? narrowStatement(body) : body);
    })().catch(() => res.destroy());
  });

  function narrowStatement(body: string): string {
    const statement = JSON.parse(body) as Statement;
    for (const one of statement.rest.flatMap(({ resource }) => resource))
      one.searchParam = (one.searchParam ?? []).filter(({ name }) => !isLacked(one.type, name));
    return JSON.stringify(statement);
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    asked,
    /** Puts it before an EHR; its address is then this. */
    before(url: string): string {
      behind = url;
      return `${origin}${new URL(url).pathname}`;
    },
    origin,
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
