import { afterEach, beforeEach } from '@jest/globals';
import { systemClock, type Clock } from '../../../src/kernel/index.ts';
import { startEhr, type DemoEhr, type Write } from '../../index.ts';

export type Fhir = {
  resourceType: string;
  id?: string;
  meta?: { versionId?: string; lastUpdated?: string; tag?: { system?: string; code?: string }[] } & Record<
    string,
    unknown
  >;
  type?: unknown;
  total?: number;
  link?: { relation: string; url: string }[];
  entry?: Entry[];
  issue?: { severity: string; code: string }[];
} & Record<string, unknown>;

export type Entry = {
  fullUrl?: string;
  resource?: Fhir;
  search?: { mode?: string };
  request?: Record<string, string>;
  response?: { status?: string; location?: string; etag?: string; lastModified?: string; outcome?: Fhir };
};

export type Reply = { readonly status: number; readonly headers: Headers; readonly text: string; readonly body: Fhir };

export type Ask = (
  method: string,
  path: string,
  sent?: {
    readonly body?: unknown;
    readonly headers?: Readonly<Record<string, string>>;
    readonly signal?: AbortSignal;
  },
) => Promise<Reply>;

const NO_BODY: Fhir = { resourceType: '(no JSON body)' };

function parseBody(text: string): Fhir {
  try {
    return JSON.parse(text) as Fhir;
  } catch {
    return NO_BODY;
  }
}

/**
 * Sends one request. A path that begins with `/` or `http` is taken from the host, all others from the FHIR base. A
 * string body is sent as it stands.
 */
export function askAt(base: string): Ask {
  return async (method, path, sent = {}) => {
    const url =
      path.startsWith('/') || path.startsWith('http')
        ? new URL(path, base).href
        : path === ''
          ? base
          : `${base}/${path}`;
    const body =
      sent.body === undefined ? {} : { body: typeof sent.body === 'string' ? sent.body : JSON.stringify(sent.body) };
    const type = sent.body === undefined ? {} : { 'content-type': 'application/fhir+json' };
    const signal = sent.signal === undefined ? {} : { signal: sent.signal };
    const answer = await fetch(url, {
      method,
      headers: { ...type, ...sent.headers },
      redirect: 'manual',
      ...body,
      ...signal,
    });
    const text = await answer.text();
    return { status: answer.status, headers: answer.headers, text, body: parseBody(text) };
  };
}

export const startTestEhr = (file?: string, clock: Clock = systemClock): Promise<DemoEhr> =>
  startEhr({ host: '127.0.0.1', port: 0, clock, ...(file === undefined ? {} : { file }) });

/** An empty server of its own for every test of the file. */
export function freshEhr(clock: Clock = systemClock): { ehr(): DemoEhr; ask: Ask } {
  let running: DemoEhr | undefined;
  const ehr = (): DemoEhr => {
    if (running === undefined) throw new Error('no server runs outside a test');
    return running;
  };
  beforeEach(async () => {
    running = await startTestEhr(undefined, clock);
  });
  afterEach(() => ehr().stop());
  return { ehr, ask: (...args) => askAt(ehr().url)(...args) };
}

export const MRN = 'urn:example:mrn';
export const LOINC = 'http://loinc.org';

export const aPatient = (value: string, more: Record<string, unknown> = {}): Fhir => ({
  resourceType: 'Patient',
  identifier: [{ system: MRN, value }],
  ...more,
});

export const anObservation = (value: string, more: Record<string, unknown> = {}): Fhir => ({
  resourceType: 'Observation',
  identifier: [{ system: MRN, value }],
  status: 'final',
  code: { coding: [{ system: LOINC, code: '8867-4' }] },
  ...more,
});

/** The one thing that must be there. */
export function must<T>(value: T | null | undefined): T {
  if (value === null || value === undefined) throw new Error('a value that the contract promises is not there');
  return value;
}

export const idOf = (reply: Reply): string => must(reply.body.id);

export const entriesOf = (bundle: Fhir): Entry[] => bundle.entry ?? [];

export const idsOf = (bundle: Fhir, mode = 'match'): string[] =>
  entriesOf(bundle)
    .filter((entry) => entry.search?.mode === mode)
    .map((entry) => must(entry.resource?.id));

export const linkOf = (bundle: Fhir, relation: string): string | undefined =>
  bundle.link?.find((l) => l.relation === relation)?.url;

export const statusesOf = (bundle: Fhir): string[] =>
  entriesOf(bundle).map((entry) => must(entry.response?.status).slice(0, 3));

/** A write without what differs from run to run. */
export const writeOf = (write: Write | undefined): string => {
  const { kind, type, id, versionId } = must(write);
  return `${kind} ${type}/${id} ${versionId}`;
};

export const kindsOf = (writes: readonly Write[]): string[] => writes.map((write) => `${write.kind} ${write.type}`);

export const anEntry = (
  method: string,
  url: string,
  more: Entry & { readonly when?: Record<string, string> } = {},
): Entry => {
  const { when, ...rest } = more;
  return { ...rest, request: { method, url, ...when } };
};

export const aBundle = (type: 'transaction' | 'batch', entry: readonly Entry[]): Fhir => ({
  resourceType: 'Bundle',
  type,
  entry: [...entry],
});

export const aUrn = (n: number): string => `urn:uuid:00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;

/** The ids as a set, for answers whose order nobody asked for. */
export const sorted = (ids: readonly string[]): string[] => [...ids].sort();

export const query = (...pairs: readonly (readonly [string, string])[]): string =>
  new URLSearchParams(pairs.map(([name, value]): [string, string] => [name, value])).toString();
