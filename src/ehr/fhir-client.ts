import { Client, type FhirResource, type RequestOptions } from 'fhir-kit-client';
import type { Result } from '../kernel/index.ts';
import type { Answered, EhrRequest, Pairs } from './exchange.ts';
import type { Ehr } from './open-ehr.ts';

/** On whose behalf the EHR is asked. The library has no words for these; they join the request below it. */
export type AskedBy = Pick<EhrRequest, 'requestId' | 'traceId' | 'span' | 'signal' | 'deadlineMs'>;

export type Handling = 'strict' | 'lenient';

const FORM = 'application/x-www-form-urlencoded';

const pairsOf = (encoded: string): Pairs => [...new URLSearchParams(encoded)];

/** What fhir-kit-client wants to send, in our own words. */
function toRequest(
  method: string,
  url: string,
  { headers = {} }: RequestOptions,
  body: unknown,
): Omit<EhrRequest, 'requestId'> {
  const [path = '', query] = url.replace(/^\//, '').split('?');
  const prefer = headers['prefer'] as EhrRequest['prefer'];
  return {
    method: method as EhrRequest['method'],
    path,
    ...(query === undefined ? {} : { query: pairsOf(query) }),
    ...(prefer === undefined ? {} : { prefer }),
    ...(headers['content-type'] === FORM
      ? { form: pairsOf(String(body)) }
      : body === undefined
        ? {}
        : { body: JSON.stringify(body) }),
  };
}

/**
 * The library forms the request; `ehr.ask` carries it, with our address guard, credentials, limits, trace and lossless
 * JSON. The library's own transport would call fetch, parse with loss, throw what a server said and print it with
 * DEBUG, so that its one method is replaced. It hands on whatever its transport answers: here, a Result.
 */
function through(
  ehr: Ehr,
  by: AskedBy,
  interact: (client: Client) => Promise<FhirResource>,
): Promise<Result<Answered>> {
  const client = new Client({ baseUrl: ehr.guard.base });
  client.httpClient.request = (method, url, options = {}, body) =>
    ehr.ask({ ...toRequest(method, url, options, body), ...by }) as Promise<unknown> as Promise<FhirResource>;
  return interact(client) as Promise<unknown> as Promise<Result<Answered>>;
}

export const readCapabilityStatement = (ehr: Ehr, by: AskedBy): Promise<Result<Answered>> =>
  through(ehr, by, (client) => client.capabilityStatement());

export const readResource = (ehr: Ehr, resourceType: string, id: string, by: AskedBy): Promise<Result<Answered>> =>
  through(ehr, by, (client) => client.read({ resourceType, id }));

/** By POST no search value stands in an address, where access logs would keep it. */
export function searchType(
  ehr: Ehr,
  resourceType: string,
  params: Pairs,
  how: { readonly by: 'post' | 'get'; readonly handling?: Handling },
  by: AskedBy,
): Promise<Result<Answered>> {
  const searchParams = Object.fromEntries(
    [...Map.groupBy(params, ([name]) => name)].map(([name, pairs]) => [name, pairs.map(([, value]) => value)]),
  );
  const headers: Record<string, string> = how.handling === undefined ? {} : { prefer: `handling=${how.handling}` };
  return through(ehr, by, (client) =>
    client.search({ resourceType, searchParams, options: { postSearch: how.by === 'post', headers } }),
  );
}

/** For a transaction without data: what carries some goes out as the bytes that were planned. */
export const askInTransaction = (ehr: Ehr, entry: readonly object[], by: AskedBy): Promise<Result<Answered>> =>
  through(ehr, by, (client) =>
    client.transaction({
      body: { resourceType: 'Bundle', type: 'transaction', entry },
      options: { headers: { prefer: 'return=minimal' } },
    }),
  );
