import { fail, fault, isObject, ok, type Result } from '../kernel/index.ts';
import { EXTENSION } from './guide.ts';
import { parseFilters, type ParsedFilters } from './parse-filter.ts';
import { CONTENTS, type Content } from './subscription.ts';
import { TOPICS, topicOf, type Topic } from './topics.ts';

/** What an app asks for. What the guide lets a server adjust is adjusted. */
export interface ParsedSubscription extends ParsedFilters {
  readonly topic: Topic;
  readonly criteria: readonly string[];
  readonly reason: string;
  readonly content: Content;
  readonly payload: string;
  readonly endpoint: URL;
  /** Null: not named. */
  readonly headers: readonly string[] | null;
  readonly heartbeatMs: number | null;
  readonly timeoutMs: number;
  readonly countMax: number;
  readonly endAt: number | null;
  readonly state: 'requested' | 'off';
}

const KEYS = ['resourceType', 'id', 'meta', 'text', 'language', 'status', 'contact', 'end', 'reason', 'criteria'];
const KNOWN = new Set([...KEYS, '_criteria', 'channel', 'error']);
const CHANNEL = new Set(['extension', 'type', 'endpoint', 'payload', '_payload', 'header']);
const PAYLOADS = ['application/fhir+json', 'application/json'];
const BOUNDS = {
  heartbeatS: { least: 10, most: 86_400 },
  timeoutS: { least: 1, most: 30, otherwise: 10 },
  count: { least: 1, most: 100, otherwise: 20 },
  criteria: 10,
  /** Of all filters together: they are compared with everything that happens. */
  criteriaBytes: 4_000,
  headers: 10,
  url: 1_000,
} as const;

const HEADER = /^([!#$%&'*+.^_`|~0-9A-Za-z-]{1,64}): ?([\x20-\x7e]{1,4000})$/;
/** Those that say how a request is framed or signed are ours to set. */
const OURS =
  /^(host|content-.*|connection|keep-alive|transfer-encoding|te|trailer|upgrade|expect|proxy-.*|webhook-.*)$/i;
const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/;

type Json = Readonly<Record<string, unknown>>;

const no = (at: string, detail: string) =>
  fail(fault('subscription.unsupported', { at: `Subscription.${at}`, detail }));
const text = (value: unknown, most: number): string | null =>
  typeof value === 'string' && value.trim() !== '' && value.length <= most ? value : null;

/** The values of the extensions of an element; null where one is not known here, or is not of its type. */
function extensionsOf(element: unknown, known: Readonly<Record<string, string>>): Map<string, unknown[]> | null {
  const found = new Map<string, unknown[]>();
  const list = isObject(element) ? element['extension'] : undefined;
  if (list === undefined) return found;
  if (!Array.isArray(list)) return null;
  for (const one of list as unknown[]) {
    const { url, ...rest } = isObject(one) ? one : {};
    const key = typeof url === 'string' ? known[url] : undefined;
    if (typeof url !== 'string' || key === undefined || Object.keys(rest).join() !== key) return null;
    found.set(url, [...(found.get(url) ?? []), rest[key]]);
  }
  return found;
}

function wholeNumber(values: readonly unknown[] | undefined): number | null | 'wrong' {
  if (values === undefined) return null;
  const [value, ...more] = values;
  return more.length === 0 && typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : 'wrong';
}
const within = (value: number, { least, most }: { least: number; most: number }): number =>
  Math.min(most, Math.max(least, value));

type Channel = Pick<
  ParsedSubscription,
  'content' | 'payload' | 'endpoint' | 'headers' | 'heartbeatMs' | 'timeoutMs' | 'countMax'
>;

function parseHeaders(given: unknown): readonly string[] | null | 'wrong' {
  if (given === undefined) return null;
  if (!Array.isArray(given) || given.length > BOUNDS.headers) return 'wrong';
  const isGood = (one: unknown): one is string => {
    const [, name] = typeof one === 'string' ? (HEADER.exec(one) ?? []) : [];
    return name !== undefined && !OURS.test(name);
  };
  return given.every(isGood) ? given : 'wrong';
}

function parseChannel(channel: unknown): Result<Channel> {
  if (!isObject(channel)) return no('channel', 'a channel of the type rest-hook');
  const odd = Object.keys(channel).find((key) => !CHANNEL.has(key));
  if (odd !== undefined) return no(`channel`, `of a channel alone ${[...CHANNEL].join(', ')}`);
  if (channel['type'] !== 'rest-hook') return no('channel.type', 'rest-hook');
  const payload = channel['payload'] ?? PAYLOADS[0];
  if (typeof payload !== 'string' || !PAYLOADS.includes(payload)) return no('channel.payload', PAYLOADS.join(' or '));
  const contents = extensionsOf(channel['_payload'], { [EXTENSION.content]: 'valueCode' })?.get(EXTENSION.content);
  const [content, ...others] = contents ?? [];
  if (others.length > 0 || !CONTENTS.includes(content as Content))
    return no('channel.payload', `one extension ${EXTENSION.content} with one of ${CONTENTS.join(', ')}`);
  const address = text(channel['endpoint'], BOUNDS.url);
  const endpoint = address === null ? null : URL.parse(address);
  if (
    endpoint === null ||
    !/^https?:$/.test(endpoint.protocol) ||
    endpoint.username + endpoint.password + endpoint.hash !== ''
  )
    return fail(fault('subscription.endpoint', { at: 'Subscription.channel.endpoint' }));
  const headers = parseHeaders(channel['header']);
  if (headers === 'wrong')
    return no('channel.header', 'up to ten of "Name: value", none of which frames or signs a request');
  const more = extensionsOf(channel, {
    [EXTENSION.heartbeat]: 'valueUnsignedInt',
    [EXTENSION.timeout]: 'valueUnsignedInt',
    [EXTENSION.maxCount]: 'valuePositiveInt',
    // Ours, which whoever sends back what it was answered sends along; it changes nothing.
    [EXTENSION.secret]: 'valueString',
  });
  const [heartbeat, timeout, count] = [EXTENSION.heartbeat, EXTENSION.timeout, EXTENSION.maxCount].map((url) =>
    wholeNumber(more?.get(url)),
  );
  if (more === null || [heartbeat, timeout, count].includes('wrong'))
    return no('channel.extension', 'backport-heartbeat-period, backport-timeout and backport-max-count, once each');
  const asNumber = (value: unknown): number | null => (typeof value === 'number' ? value : null);
  const beat = asNumber(heartbeat);
  return ok({
    content: content as Content,
    payload,
    endpoint,
    headers,
    heartbeatMs: beat === null || beat === 0 ? null : within(beat, BOUNDS.heartbeatS) * 1_000,
    timeoutMs: within(asNumber(timeout) ?? BOUNDS.timeoutS.otherwise, BOUNDS.timeoutS) * 1_000,
    countMax: within(asNumber(count) ?? BOUNDS.count.otherwise, BOUNDS.count),
  });
}

function parseEnd(end: unknown, now: Date): Result<number | null> {
  if (end === undefined) return ok(null);
  const at = typeof end === 'string' && INSTANT.test(end) ? Date.parse(end) : NaN;
  return at > now.getTime() ? ok(at) : no('end', 'an instant that is still to come, or none');
}

/** A Subscription of R4 by the backport profile, or the first thing of it that is not done here. */
export function parseSubscription(resource: unknown, ownBase: string, now: Date): Result<ParsedSubscription> {
  if (!isObject(resource) || resource['resourceType'] !== 'Subscription')
    return fail(fault('subscription.unsupported', { at: 'Subscription', detail: 'a Subscription of R4' }));
  const given: Json = resource;
  const odd = Object.keys(given).find((key) => !KNOWN.has(key));
  if (odd !== undefined)
    return fail(fault('subscription.unsupported', { at: 'Subscription', detail: [...KNOWN].join(', ') }));
  const { status } = given;
  if (status !== 'requested' && status !== 'active' && status !== 'off') return no('status', 'requested, or off');
  const reason = text(given['reason'], 500);
  if (reason === null) return no('reason', 'a sentence of up to 500 characters');
  const topic = typeof given['criteria'] === 'string' ? topicOf(given['criteria']) : null;
  if (topic === null) return no('criteria', `a topic: ${TOPICS.map(({ canonical }) => canonical).join(', ')}`);
  const criteria = extensionsOf(given['_criteria'], { [EXTENSION.filter]: 'valueString' });
  const written = criteria?.get(EXTENSION.filter) ?? [];
  const isText = (one: unknown): one is string => text(one, 2_000) !== null;
  const filterWords = `filters of ${topic.type} by ${topic.filters.join(', ')}, of up to ${BOUNDS.criteriaBytes} bytes`;
  if (
    criteria === null ||
    written.length > BOUNDS.criteria ||
    !written.every(isText) ||
    Buffer.byteLength(written.join('')) > BOUNDS.criteriaBytes
  )
    return no('criteria.extension', filterWords);
  const filters = parseFilters(written, topic, ownBase);
  if (!filters.ok) return no(`criteria.extension[${filters.fault}]`, filterWords);
  const channel = parseChannel(given['channel']);
  if (!channel.ok) return channel;
  const endAt = parseEnd(given['end'], now);
  if (!endAt.ok) return endAt;
  return ok({
    topic,
    criteria: written,
    ...filters.value,
    reason,
    ...channel.value,
    endAt: endAt.value,
    state: status === 'off' ? 'off' : 'requested',
  });
}
