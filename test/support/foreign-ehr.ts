import { randomBytes } from 'node:crypto';
import { openEhr, readLocation, type Ehr, type Pairs } from '../../src/ehr/index.ts';
import { systemClock } from '../../src/kernel/index.ts';
import { configOf, newId } from './gateway.ts';
import type { Json } from './payloads/index.ts';

/*
 * A FHIR server that is not ours, named by EHR_TEST_URL, and asked past the gateway: with the credentials that `serve`
 * takes, by the same settings.
 */

type Environment = Readonly<Record<string, string | undefined>>;
export type Kept = Json & { readonly resourceType: string; readonly id: string };

const PAGES_MAX = 200;

/** What `serve` must be told beside its address. */
const isOfEhr = (key: string): boolean => /^CHARTGATE_(EHR_\w+|DIALECT)$/.test(key) && key !== 'CHARTGATE_EHR_URL';

export interface ForeignEhr {
  readonly url: string;
  /** For a gateway that shall write there. */
  readonly settings: Readonly<Record<string, string>>;
}

/** The server that the environment names; null where it names none. */
export function foreignEhr(env: Environment = process.env): ForeignEhr | null {
  const url = env['EHR_TEST_URL']?.replace(/\/+$/, '') ?? '';
  if (url === '') return null;
  const settings: Record<string, string> = {};
  for (const [key, value] of Object.entries(env)) if (value !== undefined && isOfEhr(key)) settings[key] = value;
  return { url, settings };
}

/** What a person at that EHR, or a program of theirs, can do there. Whatever is refused is thrown. */
export interface Direct {
  /** Every match, over all pages. */
  search(type: string, params: Pairs): Promise<Kept[]>;
  /** The same, page by page and as it came. */
  pages(type: string, params: Pairs): Promise<string[]>;
  /** Null where it is not there, or no longer. */
  read(type: string, id: string): Promise<Kept | null>;
  /** Every version, the oldest first; where the server tells no history, the one that stands. */
  versions(type: string, id: string): Promise<Kept[]>;
  create(resource: Json): Promise<Kept>;
  update(resource: Kept): Promise<Kept>;
  close(): Promise<void>;
}

const bodyOf = (bytes: Uint8Array): Json => JSON.parse(Buffer.from(bytes).toString('utf8')) as Json;
const list = (value: unknown): readonly Json[] => (Array.isArray(value) ? (value as Json[]) : []);
const resourcesOf = (bundle: Json, type: string): Kept[] =>
  list(bundle['entry']).flatMap(({ resource }) =>
    (resource as Kept | undefined)?.resourceType === type ? [resource as Kept] : [],
  );

export function openDirect({ url, settings }: ForeignEhr): Direct {
  const { ehr: target } = configOf('sqlite:unused', { ...settings, CHARTGATE_EHR_URL: url });
  const ehr: Ehr = openEhr({ target, clock: systemClock, chance: (bytes) => randomBytes(bytes), newId });

  async function ask(request: Omit<Parameters<Ehr['ask']>[0], 'requestId'>) {
    const { exchange, verdict } = await ehr.send({ ...request, requestId: newId('req') });
    if (verdict.kind === 'ok' && exchange?.kind === 'answered') return exchange;
    const said =
      exchange?.kind === 'answered'
        ? `${exchange.status} ${Buffer.from(exchange.bytes).toString('utf8')}`
        : verdict.kind;
    throw new Error(`${request.method} ${request.path}: ${said}`);
  }
  async function pages(path: string, query: Pairs): Promise<string[]> {
    const found: string[] = [];
    let next: { readonly path: string; readonly query: Pairs } | null = { path, query };
    while (next !== null) {
      if (found.length === PAGES_MAX) throw new Error(`${path}: more than ${PAGES_MAX} pages`);
      const { bytes } = await ask({ method: 'GET', ...next });
      found.push(Buffer.from(bytes).toString('utf8'));
      const link = list(bodyOf(bytes)['link']).find(({ relation }) => relation === 'next')?.['url'];
      const own = typeof link === 'string' ? ehr.guard.own(link) : null;
      if (own?.ok === false) throw new Error(`${path}: the next page is at another address`);
      next = own === null ? null : own.value;
    }
    return found;
  }
  const everyMatch = async (path: string, query: Pairs, type: string): Promise<Kept[]> =>
    (await pages(path, [...query, ['_count', '100']])).flatMap((page) => resourcesOf(JSON.parse(page) as Json, type));
  async function read(type: string, id: string): Promise<Kept | null> {
    const sent = await ehr.send({ method: 'GET', path: `${type}/${id}`, requestId: newId('req') });
    if (sent.exchange?.kind === 'answered' && [404, 410].includes(sent.exchange.status)) return null;
    if (sent.verdict.kind !== 'ok' || sent.exchange?.kind !== 'answered')
      throw new Error(`${type}/${id} cannot be read`);
    return bodyOf(sent.exchange.bytes) as Kept;
  }
  async function write(method: 'POST' | 'PUT', path: string, resource: Json): Promise<Kept> {
    const answer = await ask({ method, path, body: JSON.stringify(resource), prefer: 'return=representation' });
    if (answer.body.kind === 'json') return bodyOf(answer.bytes) as Kept;
    const at = readLocation(ehr.guard, answer.headers.location ?? path);
    const written = at === null ? null : await read(at.type, at.id);
    if (written === null) throw new Error(`${method} ${path}: where it was written is not known`);
    return written;
  }

  return {
    search: (type, params) => everyMatch(type, params, type),
    pages,
    read,
    async versions(type, id) {
      const known = await everyMatch(`${type}/${id}/_history`, [], type).catch(() => null);
      if (known !== null) return known.reverse();
      const now = await read(type, id);
      return now === null ? [] : [now];
    },
    create: (resource) => write('POST', String(resource['resourceType']), resource),
    update: (resource) => write('PUT', `${resource.resourceType}/${resource.id}`, resource),
    close: () => ehr.close(),
  };
}
