import { headerOf, type Answered, type Asked } from './ask.ts';
import type { Heard } from './hostile-ehr.ts';
import { HOST_MARKER, markersOf, type Owner } from './world.ts';

/*
 * One judge for every attack. It knows markers, not rules: an answer may repeat what the asker said, and nothing else
 * of a patient who is not the asker's or of the EHR's address, in whatever way it is written.
 */
export type Expected =
  /** 200 with something of the asker's own: shows that the attacks beside it are not refused for a trivial reason. */
  | 'own'
  /** Something of one's own, or a refusal, or 502: never a stranger. */
  | 'own-at-most'
  /** 404, as if it did not exist. */
  | 'hidden'
  /** A refusal, or a search that finds nothing. */
  | 'nothing'
  /** Any refusal. */
  | 'refused'
  | 'forbidden'
  | 'unauthenticated'
  /** The EHR is at fault, and the answer says no more than that; or the asker's own all the same. */
  | 'upstream'
  /** Whatever it is, but an answer. */
  | 'harmless';

export interface Judged {
  readonly asked: Asked;
  readonly answer: Answered;
  readonly expected: Expected;
  /** Whose data must not be in the answer. */
  readonly strangers: readonly Owner[];
  /** Other texts that must not be in the answer. */
  readonly forbidden?: readonly string[];
  /** The only types that may be in the answer, where the scope says so. */
  readonly allowedTypes?: readonly string[];
  /** Where the EHR stands; its address is no business of an app. */
  readonly ehrPorts?: readonly number[];
}

/** Every way to write a text that we look for; decoded until nothing changes, three layers at most. */
export function readings(text: string): string {
  const all = new Set<string>([text]);
  let layer = [text];
  for (let depth = 0; depth < 3; depth += 1) {
    const next: string[] = [];
    for (const one of layer)
      for (const read of [percentDecoded(one), jsonDecoded(one), entityDecoded(one), ...base64Decoded(one)])
        if (!all.has(read)) {
          all.add(read);
          next.push(read);
        }
    layer = next;
  }
  return [...all].join('\n').toLowerCase();
}

const percentDecoded = (text: string): string =>
  text.replace(/(?:%[0-9a-f]{2})+/gi, (run) => Buffer.from(run.replaceAll('%', ''), 'hex').toString('utf8'));
const jsonDecoded = (text: string): string =>
  text
    .replace(/\\u([0-9a-f]{4})/gi, (_, hex: string) => String.fromCharCode(parseInt(hex, 16)))
    .replace(/\\([/"\\])/g, '$1');
const entityDecoded = (text: string): string =>
  text
    .replace(/&#x([0-9a-f]{1,6});/gi, (_, hex: string) => String.fromCodePoint(Math.min(parseInt(hex, 16), 0x10ffff)))
    .replace(/&#(\d{1,7});/g, (_, digits: string) => String.fromCodePoint(Math.min(Number(digits), 0x10ffff)))
    .replaceAll('&amp;', '&');
const base64Decoded = (text: string): string[] =>
  (text.match(/[A-Za-z0-9+/_-]{12,}={0,2}/g) ?? [])
    // At each of four starts: what stands before a text may have run into it.
    .flatMap((run) => [0, 1, 2, 3].map((skip) => Buffer.from(run.slice(skip), 'base64').toString('latin1')))
    .filter((read) => /[\x20-\x7e]{6,}/.test(read));

const wholeOf = (answer: Answered): string =>
  [...answer.headers.filter(([name]) => name !== 'date').map((pair) => pair.join(': ')), answer.body].join('\n');
export const saidBy = (asked: Asked): string =>
  [asked.path, asked.body ?? '', ...(asked.headers ?? []).filter(([name]) => !/authorization/i.test(name)).flat()].join(
    '\n',
  );

/** Reading is the dear part, and every judge reads the same answer. */
const readAlready = new WeakMap<Answered, string>();
function readingsOf(answer: Answered): string {
  const known = readAlready.get(answer) ?? readings(wholeOf(answer));
  readAlready.set(answer, known);
  return known;
}

/** The words of an answer that hold a marker and that the asker did not say. */
export function strangeWords(answer: Answered, asked: Asked, markers: readonly string[]): string[] {
  const lowered = markers.map((marker) => marker.toLowerCase());
  const read = readingsOf(answer);
  if (!lowered.some((marker) => read.includes(marker))) return [];
  const said = readings(saidBy(asked));
  // What is behind a percent sign was decoded beside it; here its digits would run into the word that follows.
  const words = new Set(read.replace(/%[0-9a-f]{2}/g, ' ').match(/[\w.:-]+/g));
  const strange = new Set<string>();
  for (const word of words)
    for (const marker of lowered) {
      if (!word.includes(marker)) continue;
      const around = new RegExp(`[\\w-]*${marker.replaceAll('.', '\\.')}[\\w-]*`).exec(word)?.[0] ?? word;
      if (!said.includes(around)) strange.add(around);
    }
  return [...strange];
}

const addressMarkers = (ports: readonly number[]): string[] => [HOST_MARKER, ...ports.map((port) => `:${port}`)];

const REFUSALS = new Set([400, 403, 404, 405, 406, 410, 412, 413, 414, 415, 422, 431, 501]);
/** Said by the HTTP parser or the guard before it, in their own form. */
const BEFORE_ROUTES = new Set([400, 414, 431]);

interface BundleLike {
  readonly resourceType?: string;
  readonly total?: number;
  readonly entry?: readonly {
    readonly resource?: { readonly resourceType?: string };
    readonly search?: { readonly mode?: string };
  }[];
}

export function parsed(answer: Answered): BundleLike | null {
  try {
    return JSON.parse(answer.body) as BundleLike;
  } catch {
    return null;
  }
}

const isEmptySearch = (answer: Answered): boolean => {
  const body = parsed(answer);
  const matchesOf = (body?.entry ?? []).filter(({ resource }) => resource?.resourceType !== 'OperationOutcome');
  return answer.status === 200 && body?.resourceType === 'Bundle' && matchesOf.length === 0 && (body.total ?? 0) === 0;
};

/** Holds a resource; a search that found nothing does not. */
const isOwn = (answer: Answered): boolean => {
  const body = parsed(answer);
  if (answer.status !== 200 || body === null || body.resourceType === 'OperationOutcome') return false;
  return body.resourceType !== 'Bundle' || (body.entry ?? []).length > 0 || (body.total ?? 0) > 0;
};

const MEETS: Readonly<Record<Expected, (answer: Answered) => boolean>> = {
  own: isOwn,
  'own-at-most': (answer) =>
    answer.status === 200 || answer.status === 304 || answer.status === 502 || REFUSALS.has(answer.status),
  hidden: ({ status }) => status === 404,
  nothing: (answer) => REFUSALS.has(answer.status) || isEmptySearch(answer),
  refused: ({ status }) => REFUSALS.has(status) || status === 401,
  forbidden: ({ status }) => status === 403,
  unauthenticated: ({ status }) => status === 401,
  upstream: (answer) => [502, 503, 504].includes(answer.status) || answer.status === 404 || isOwn(answer),
  harmless: ({ status }) => status >= 200 && status < 600 && status !== 500,
};

/** Everything that is wrong with an answer; empty when it is sound. */
export function judge(judged: Judged): string[] {
  const { asked, answer, expected } = judged;
  const { status } = answer;
  const wrong: string[] = [];
  if (!MEETS[expected](answer)) wrong.push(`status ${status} (${shortBody(answer)}) is not ${expected}`);
  if (status === 500) wrong.push('an internal error');
  if (status >= 300 && status < 400 && status !== 304)
    wrong.push(`a redirect to ${headerOf(answer, 'location') ?? 'nowhere'}`);
  const markers = judged.strangers.flatMap(markersOf);
  for (const word of strangeWords(answer, asked, markers)) wrong.push(`a stranger's ${word}`);
  for (const word of strangeWords(answer, asked, addressMarkers(judged.ehrPorts ?? [])))
    wrong.push(`the EHR's address ${word}`);
  for (const word of strangeWords(answer, { path: '' }, judged.forbidden ?? [])) wrong.push(`out of scope: ${word}`);
  const { allowedTypes } = judged;
  for (const type of typesIn(parsed(answer)))
    if (allowedTypes !== undefined && !allowedTypes.includes(type)) wrong.push(`out of scope: a ${type}`);
  if (headerOf(answer, 'set-cookie') !== undefined) wrong.push('a cookie');
  if (headerOf(answer, 'x-powered-by') !== undefined) wrong.push('the name of the software');
  wrong.push(...wrongForm(asked, answer));
  return wrong;
}

const CARRIERS = new Set(['Bundle', 'OperationOutcome', 'Parameters']);
const typesIn = (body: BundleLike | null): string[] =>
  [body?.resourceType, ...(body?.entry ?? []).map(({ resource }) => resource?.resourceType)].filter(
    (type): type is string => type !== undefined && !CARRIERS.has(type),
  );

/**
 * R4 wants an OperationOutcome with every failure, RFC 6750 a challenge with every 401; HEAD and the parser are
 * excused.
 */
function wrongForm(asked: Asked, answer: Answered): string[] {
  const wrong: string[] = [];
  if (answer.status < 400 || asked.method === 'HEAD') return wrong;
  const isBeforeRoutes = BEFORE_ROUTES.has(answer.status) && headerOf(answer, 'x-request-id') === undefined;
  if (isBeforeRoutes) return wrong;
  if (headerOf(answer, 'x-request-id') === undefined) wrong.push('no request id');
  if (answer.status === 401 && !/^bearer/i.test(headerOf(answer, 'www-authenticate') ?? ''))
    wrong.push('401 without a challenge');
  if (asked.path.startsWith('/fhir/') && parsed(answer)?.resourceType !== 'OperationOutcome')
    wrong.push('a refusal without an OperationOutcome');
  return wrong;
}

const shortBody = (answer: Answered): string => {
  const body = parsed(answer);
  if (body === null) return answer.body === '' ? 'empty' : 'no JSON';
  return `${body.resourceType ?? 'no resource'}${body.entry === undefined ? '' : ` of ${body.entry.length}`}`;
};

const PER_REQUEST = new Set([
  'x-request-id',
  'x-correlation-id',
  'date',
  'content-length',
  'connection',
  'keep-alive',
  'etag',
]);

/**
 * What is left of an answer without what differs from request to request, and without the names that were asked for.
 */
export function plain(answer: Answered, names: readonly string[]): unknown {
  const requestId = headerOf(answer, 'x-request-id') ?? '\0';
  const masked = (text: string): string => {
    let out = text.replaceAll(requestId, 'REQUEST');
    for (const name of names) out = out.replaceAll(name, 'NAME');
    return out;
  };
  const body = parsed(answer) as Record<string, unknown> | null;
  if (body?.['resourceType'] === 'Bundle')
    for (const name of ['id', 'meta', 'timestamp']) Reflect.deleteProperty(body, name);
  // A Bundle may hold a name of its own; of nothing else may the length tell something.
  const length = body?.['resourceType'] === 'Bundle' ? undefined : headerOf(answer, 'content-length');
  return {
    status: answer.status,
    length,
    // An ETag of nothing would be an oracle; one of a Bundle is made of its id.
    hasEtag: headerOf(answer, 'etag') !== undefined,
    headers: answer.headers
      .filter(([name]) => !PER_REQUEST.has(name))
      .map((pair) => masked(pair.join(': ')))
      .sort(),
    body: masked(body === null ? answer.body : JSON.stringify(body)),
  };
}

const SEARCH = /\/_search(\?|$)/;
const OURS_TO_SEND = new Set(['GET', 'HEAD']);

/** What the EHR heard must be reads alone, of plain addresses, with nothing of the app's own credential. */
export function judgeHeard(heard: readonly Heard[], secrets: readonly string[]): string[] {
  return heard.flatMap(({ method, url, headers, body }) => {
    const wrong: string[] = [];
    const path = url.split('?')[0] ?? '';
    if (!OURS_TO_SEND.has(method) && !(method === 'POST' && SEARCH.test(url))) wrong.push(`${method} was sent`);
    if (!path.startsWith(`/${HOST_MARKER}/r4`)) wrong.push('outside the base');
    if (/%2f|%5c|%00|%25|\/\.\.?(\/|$)|\/\/|[;\\]/i.test(path)) wrong.push('a path that is not plain');
    if (/[?&]_method=/i.test(`${url}&${body}`)) wrong.push('_method was passed on');
    for (const name of Object.keys(headers))
      if (/^(x-http-method|x-method-override|x-http-method-override|cookie|x-forwarded-|x-attack)/i.test(name))
        wrong.push(`header ${name} was passed on`);
    const whole = JSON.stringify([url, headers, body]);
    if (secrets.some((secret) => whole.includes(secret))) wrong.push("the app's token was passed on");
    return wrong.map((one) => `${method} ${path}: ${one}`);
  });
}
