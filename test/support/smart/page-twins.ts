import { EventEmitter } from 'node:events';
import type { IncomingMessage } from 'node:http';
import type { Grant } from '../../../src/auth/index.ts';
import { makeAddressGuard } from '../../../src/ehr/guard-address.ts';
import { classifyExchange, EHR_LIMITS, type Answered, type Ehr, type EhrRequest } from '../../../src/ehr/index.ts';
import { readAnswer } from '../../../src/ehr/read-answer.ts';
import { fail, fault, makeBudget, ok, secret, type Answer, type RequestId } from '../../../src/kernel/index.ts';
import { parseLossless } from '../../../src/r4/index.ts';
import { makeSmart, type SmartDeps } from '../../../src/smart/index.ts';
import { testClock } from '../clock.ts';
import { collectLog } from '../collect-log.ts';
import { NO_PERSONS } from './no-persons.ts';

export const EHR = 'https://ehr.example.org/fhir';
export const OWN = 'https://gateway.example.org';
const HEADERS = { 'content-type': 'application/fhir+json' };
const NOT_TAKEN = {};
const REQUEST_ID = 'req_twins' as RequestId;

/** A request of an app, and what its token allows. */
export interface Asked {
  readonly target: string;
  readonly grant: Grant;
}

/** What can be seen of an answer from outside: what the app got, what the audit and the log say. */
interface Seen {
  readonly answer: unknown;
  readonly headers: readonly (readonly [string, string])[];
  readonly records: readonly unknown[];
  readonly lines: readonly unknown[];
}

/** `offered`: the page could have been passed by its request, and was not beyond doubt. */
export type Compared =
  | { readonly kind: 'not-offered' | 'offered' }
  | { readonly kind: 'passed' }
  | { readonly kind: 'different'; readonly fast: unknown; readonly slow: unknown };

type Way = 'fast' | 'slow';

const bytesOf = ({ body, encoding }: Answer): Buffer =>
  typeof body === 'string' ? Buffer.from(body, encoding ?? 'utf8') : Buffer.from(body);

/** The text that the slow way would have printed of the same JSON; what cannot be read stays as it is. */
function meaningOf(answer: Answer): unknown {
  const bytes = bytesOf(answer);
  const read = parseLossless(bytes);
  return read.ok ? JSON.stringify(read.value) : { unreadable: bytes.toString('utf8') };
}

/** Status, headers and meaning: how the bytes were handed to the server is nothing that a caller sees. */
const asSent = (answer: Answer): object => ({
  status: answer.status,
  headers: answer.headers,
  body: meaningOf(answer),
});

/** The read API in front of an EHR that answers everything by the same bytes; the slow one takes no bytes. */
function makeTwin(way: Way) {
  let bytes: Uint8Array = new Uint8Array();
  let found: 'not-offered' | 'offered' | 'passed' = 'not-offered';
  let records: unknown[] = [];
  const clock = testClock();
  /** Of a copy: what is taken is given back. */
  const read = (take?: EhrRequest['take']): Answered =>
    readAnswer({ status: 200, headers: HEADERS, bytes: Buffer.from(bytes) }, EHR_LIMITS.answerBytesMax, take);

  /** What is not passed goes the slow way, and need not be compared with itself. */
  function readFast(take: EhrRequest['take']): Answered | null {
    if (take === undefined) return null;
    found = 'offered';
    const given = read((page) => take(page) ?? NOT_TAKEN);
    if (given.body.kind !== 'taken' || given.body.value === NOT_TAKEN) return null;
    found = 'passed';
    return given;
  }

  const ehr: Ehr = {
    guard: makeAddressGuard(EHR),
    send: () => Promise.reject(new Error('the read API asks')),
    ask(request) {
      const exchange = way === 'fast' ? readFast(request.take) : read();
      if (exchange === null) return Promise.resolve(fail(fault('ehr.rejected')));
      const verdict = classifyExchange(exchange, request, clock.now());
      return Promise.resolve(verdict.kind === 'ok' ? ok(exchange) : fail(verdict.fault));
    },
    publicJwks: { keys: [] },
    close: () => Promise.resolve(),
  };
  const store = {
    write: (_name: string, args: unknown) => {
      records.push(args);
      return Promise.resolve(ok(null));
    },
  };
  const smart = makeSmart({
    budget: makeBudget(1e12),
    tenant: 'default',
    publicUrl: OWN,
    version: 'test',
    mrnSystem: 'urn:example:mrn',
    patients: 'all',
    types: [],
    keys: { data: [secret(Buffer.alloc(32, 1).toString('base64'))], pseudonym: secret('p'.repeat(32)) },
    audit: store as unknown as SmartDeps['audit'],
    identity: store as unknown as SmartDeps['identity'],
    persons: NO_PERSONS,
    ehr,
    isPaused: () => false,
    isDelivering: () => false,
    backgroundRequests: 4,
    capability: () => null,
    searchBy: () => 'post',
    loadedProfiles: () => ({ profiles: null }),
    clock,
    chance: (length) => Buffer.alloc(length, 7),
  });
  let grant: Grant | null = null;
  const route = smart
    .serve({
      verifyToken: () => Promise.resolve(grant === null ? fail(fault('read.no-patient')) : ok(grant)),
      isOrigin: () => Promise.resolve(false),
      oauthUris: () => Promise.resolve(null),
    })
    .find(({ path, method }) => path === '/fhir/:type' && method === 'get');
  if (route === undefined) throw new Error('there is no search');
  const { handle } = route;
  const socket = Object.assign(new EventEmitter(), { destroyed: false, remoteAddress: '127.0.0.1' });

  return async (page: Uint8Array, asked: Asked): Promise<{ readonly found: typeof found; readonly seen: Seen }> => {
    bytes = page;
    ({ grant } = asked);
    found = 'not-offered';
    records = [];
    const log = collectLog();
    const headers: [string, string][] = [];
    const answer = await handle({
      request: { url: asked.target, method: 'GET', headers: {}, socket } as unknown as IncomingMessage,
      params: {},
      requestId: REQUEST_ID,
      log,
      setHeader: (name, value) => void headers.push([name, value]),
      remoteAddress: () => '127.0.0.1',
    });
    const shown = answer.ok ? asSent(answer.value) : { fault: answer.fault.code };
    return { found, seen: { answer: shown, headers, records, lines: log.lines } };
  };
}

/** Asks both ways about the same page. */
export function makeTwins(): (page: Uint8Array, asked: Asked) => Promise<Compared> {
  const fast = makeTwin('fast');
  const slow = makeTwin('slow');
  return async (page, asked) => {
    const { found, seen } = await fast(page, asked);
    if (found !== 'passed') return { kind: found };
    const { seen: other } = await slow(page, asked);
    return JSON.stringify(seen) === JSON.stringify(other)
      ? { kind: 'passed' }
      : { kind: 'different', fast: seen, slow: other };
  };
}
