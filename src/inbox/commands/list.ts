import { deliveriesOfRequest } from '../../audit/index.ts';
import {
  all,
  allOf,
  among,
  fragment,
  get,
  only,
  part,
  userIndex,
  words,
  type CommandContext,
  type Fragment,
  type Part,
  type Program,
  type Vault,
} from '../../store/index.ts';
import type { Counted, DeliveryFilter, InboxReads, ListPage, ListPlace } from '../commands.ts';
import { LISTED, toListed, type Row } from '../rows.ts';
import { STUCK } from '../state.ts';
import { FAULT_OF_D, IS_STUCK } from './stuck.ts';

/*
 * The list of deliveries. Each filter has an index. Where several are given, no index has them all: the rows of one
 * are walked, and each is looked for in the indexes of the others, which stand closer together than the deliveries do.
 * The walk has an end (LOOK), so that a page takes as long among a million deliveries as among a thousand; a page that
 * came to it holds what was found so far, and the next goes on.
 */

/** Room for rows that come into a walk after its end was looked for. */
const MEANWHILE = 500;
interface Look {
  readonly toEnd: Part;
  readonly limit: Part;
}
/** So many rows are looked at for a page, or for a count, where filters meet. */
const LOOKED_AT = 1_200;
/** Words of the statement: PostgreSQL would plan for any number of rows where it is a value. */
const LOOK: Look = {
  toEnd: words(`LIMIT 1 OFFSET ${LOOKED_AT - 1}`),
  limit: words(`LIMIT ${LOOKED_AT + MEANWHILE}`),
};
const COUNT_MAX = 10_000;

const LISTED_COLUMNS = words(LISTED);
const BY_PLACE = words('d.seq DESC');
const BY_TIME = words('d.received_at DESC, d.seq DESC');
const NOTHING = fragment``;
/** Before a column: SQLite walks the table in its order, and no index that it would have to sort. */
const IN_ORDER = part('+', '');

interface Filter {
  /** The rows that the index of the filter leads to, each with a `d.seq`: what follows FROM. */
  readonly rows: Fragment;
  /** By place, newest first, so that the engine walks along that index. */
  readonly order: Part;
  /** True of a row `n` of a walk whose delivery passes. */
  readonly test: Fragment;
}

/** Asked so, PostgreSQL looks each row up, and does not gather all that pass. */
const isAmong = (rows: Fragment): Fragment =>
  fragment`(SELECT d.seq FROM ${rows} AND d.seq = n.seq LIMIT 1) IS NOT NULL`;
const inOrder = (order: Part, rows: Fragment): Filter => ({ rows, order, test: isAmong(rows) });

/** By a column that has one value, and by place: see `only`. */
const by = (column: string): Part => part('d.seq DESC', `${column} DESC, d.seq DESC`);
/** Of what no index has in order: PostgreSQL sorts what it found, and walks no other index instead. */
const SORTED = part('d.seq DESC', '(d.seq + 0) DESC');

/** The index, which SQLite is told: it would look the delivery up, since it is asked for by its place. */
const ALONG = {
  state: { index: part('INDEXED BY delivery_by_state', ''), order: by('d.state') },
  user: { index: part('INDEXED BY delivery_by_user', ''), order: by('d.user_index') },
  users: { index: part('INDEXED BY delivery_by_user', ''), order: SORTED },
  reason: { index: part('INDEXED BY delivery_by_reason', ''), order: by('d.reason') },
  fault: { index: part('INDEXED BY delivery_by_fault', ''), order: by('d.fault_code') },
  structure: { index: part('INDEXED BY delivery_by_structure', ''), order: by('d.data_structure') },
  stuck: { index: part('INDEXED BY delivery_stuck', ''), order: by(`coalesce(d.fault_code, '')`) },
  request: { index: part('', ''), order: SORTED },
} as const;

/** `d.seq > 0`: the indexes of the list are for statements that say so. */
function onDelivery(tenant: string, along: keyof typeof ALONG, condition: Fragment): Filter {
  const { index, order } = ALONG[along];
  return inOrder(order, fragment`delivery d ${index} WHERE d.tenant = ${tenant} AND d.seq > 0 AND ${condition}`);
}

const [BY_OPERATOR, BY_CODE, BY_WORD] = [by('d.operator'), by('d.code'), by('d.word_index')];
const onAssignment = (tenant: string, operator: string): Filter =>
  inOrder(
    BY_OPERATOR,
    fragment`delivery_assignment d WHERE d.tenant = ${tenant} AND d.operator ${only('text', operator)}`,
  );

const onFinding = (tenant: string, code: string): Filter =>
  inOrder(BY_CODE, fragment`delivery_finding d WHERE d.tenant = ${tenant} AND d.code ${only('text', code)}`);

const onWord = (tenant: string, word: string): Filter =>
  inOrder(
    BY_WORD,
    fragment`delivery_word d WHERE d.tenant = ${tenant} AND d.word_index ${only('bytea', Buffer.from(word, 'hex'))}`,
  );

function usersOf(vault: Vault, { tenant, user, users }: DeliveryFilter): readonly Filter[] {
  const ofOne = (index: Buffer): Filter => onDelivery(tenant, 'user', fragment`d.user_index ${only('bytea', index)}`);
  const asked = user === null ? [] : [ofOne(userIndex(vault, user.client, user.user))];
  if (users === null) return asked;
  const [first, ...others] = users;
  const patient =
    first !== undefined && others.length === 0
      ? ofOne(Buffer.from(first, 'hex'))
      : onDelivery(tenant, 'users', fragment`d.user_index ${among('bytea', users)}`);
  return [...asked, patient];
}

/** True of nearly every delivery, so that no index leads there: it is tested on whatever the others lead to. */
const testsOf = ({ assigned }: DeliveryFilter): readonly Fragment[] =>
  assigned?.kind === 'nobody' ? [fragment`NOT EXISTS (SELECT 1 FROM delivery_assignment a WHERE a.seq = n.seq)`] : [];

/** Why it is where it is. What waits for a person has an index for state, reason and fault together. */
function whyOf({ tenant, state, reason, faultCode }: DeliveryFilter): readonly Filter[] {
  if (STUCK.some((one) => one === state) && reason !== null && faultCode !== null) {
    const isOne = fragment`d.state = ${state} AND d.reason = ${reason} AND ${FAULT_OF_D} ${only('text', faultCode)}`;
    return [onDelivery(tenant, 'stuck', fragment`${IS_STUCK} AND ${isOne}`)];
  }
  return [
    ...(faultCode === null ? [] : [onDelivery(tenant, 'fault', fragment`d.fault_code ${only('text', faultCode)}`)]),
    ...(reason === null ? [] : [onDelivery(tenant, 'reason', fragment`d.reason ${only('text', reason)}`)]),
    ...(state === null ? [] : [onDelivery(tenant, 'state', fragment`d.state ${only('text', state)}`)]),
  ];
}

/** Those that lead to few rows come first. */
function filtersOf(vault: Vault, f: DeliveryFilter): readonly Filter[] {
  const { tenant } = f;
  return [
    ...(f.requestId === null
      ? []
      : [
          onDelivery(
            tenant,
            'request',
            fragment`d.request_id = ${f.requestId} AND d.id IN ${deliveriesOfRequest(tenant, f.requestId)}`,
          ),
        ]),
    ...usersOf(vault, f),
    ...(f.assigned?.kind === 'operator' ? [onAssignment(tenant, f.assigned.id)] : []),
    ...(f.word === null ? [] : [onWord(tenant, f.word)]),
    ...(f.finding === null ? [] : [onFinding(tenant, f.finding)]),
    ...whyOf(f),
    ...(f.dataStructure === null
      ? []
      : [onDelivery(tenant, 'structure', fragment`d.data_structure ${only('text', f.dataStructure)}`)]),
  ];
}

/** True of a delivery `d` that was received in the time that is asked for; null where none is. */
function timesOf({ receivedFrom, receivedTo }: DeliveryFilter): Fragment | null {
  if (receivedFrom === null && receivedTo === null) return null;
  const bounds = [
    ...(receivedFrom === null ? [] : [fragment`d.received_at >= ${receivedFrom}`]),
    ...(receivedTo === null ? [] : [fragment`d.received_at < ${receivedTo}`]),
  ];
  return fragment`${allOf(bounds)}`;
}

const byPlace = (before: ListPlace | null): Fragment =>
  before === null ? NOTHING : fragment` AND d.seq < ${before.seq}`;
/** The row value alone does not narrow the index on every engine. */
const byTime = (before: ListPlace | null): Fragment =>
  before === null
    ? NOTHING
    : fragment` AND d.received_at <= ${before.receivedAt}
        AND (d.received_at, d.seq) < (${before.receivedAt}, ${before.seq})`;

/** Which rows are walked in which order, what is tested on each, and where the walk ends before its rows do. */
interface Walk {
  readonly rows: Fragment;
  readonly order: Part;
  /** By which the list is ordered: where it is by place, the rows of a walk have no time. */
  readonly along: 'place' | 'time';
  readonly tests: readonly Fragment[];
  /** Null where all rows are walked. */
  readonly end: ListPlace | null;
}

const placeOf = (row: Row): ListPlace => ({ seq: Number(row['seq']), receivedAt: Number(row['received_at'] ?? 0) });

/** The place of the last row that is looked at; null where there are not so many. */
function* endOfWalk(rows: Fragment, order: Part, look: Look): Program<ListPlace | null> {
  const row = yield* get`SELECT d.seq FROM ${rows} ORDER BY ${order} ${look.toEnd}`;
  return row === undefined ? null : placeOf(row);
}

const othersOf = (filters: readonly Filter[], filter: Filter): readonly Fragment[] =>
  filters.filter((one) => one !== filter).map(({ test }) => test);

/** Along the first filter that leads to few enough rows; where none does, along the first, to the end of the walk. */
function* walkByPlace(
  filters: readonly Filter[],
  always: readonly Fragment[],
  before: ListPlace | null,
  look: Look,
): Program<Walk> {
  let first: Walk | null = null;
  for (const filter of filters) {
    const rows = fragment`${filter.rows}${byPlace(before)}`;
    const tests = [...othersOf(filters, filter), ...always];
    const { order } = filter;
    const end = tests.length === 0 ? null : yield* endOfWalk(rows, order, look);
    if (end === null) return { rows, order, along: 'place', tests, end };
    first ??= { rows, order, along: 'place', tests: [fragment`n.seq >= ${end.seq}`, ...tests], end };
  }
  if (first === null) throw new Error('a walk has a filter');
  return first;
}

/** Along a filter that leads to few enough rows; where none does, along the time. */
function* walkByTime(
  f: DeliveryFilter,
  filters: readonly Filter[],
  always: readonly Fragment[],
  times: Fragment,
  before: ListPlace | null,
  look: Look,
): Program<Walk> {
  const untilThen = fragment`${times}${byTime(before)}`;
  for (const filter of filters) {
    if ((yield* endOfWalk(filter.rows, filter.order, look)) !== null) continue;
    const inTime = isAmong(fragment`delivery d WHERE ${untilThen}`);
    const tests = [inTime, ...othersOf(filters, filter), ...always];
    return { rows: filter.rows, order: filter.order, along: 'place', tests, end: null };
  }
  const rows = fragment`delivery d WHERE d.tenant = ${f.tenant} AND d.seq > 0 AND ${untilThen}`;
  const tests = [...filters.map(({ test }) => test), ...always];
  const last =
    tests.length === 0
      ? undefined
      : yield* get`SELECT d.seq, d.received_at FROM ${rows} ORDER BY ${BY_TIME} ${look.toEnd}`;
  if (last === undefined) return { rows, order: BY_TIME, along: 'time', tests, end: null };
  const end = placeOf(last);
  const untilTheEnd = fragment`(n.received_at, n.seq) >= (${end.receivedAt}, ${end.seq})`;
  return { rows, order: BY_TIME, along: 'time', tests: [untilTheEnd, ...tests], end };
}

function* walkOf(vault: Vault, f: DeliveryFilter, before: ListPlace | null, look: Look): Program<Walk> {
  const filters = filtersOf(vault, f);
  const always = testsOf(f);
  const times = timesOf(f);
  if (times !== null) return yield* walkByTime(f, filters, always, times, before, look);
  if (filters.length > 0) return yield* walkByPlace(filters, always, before, look);
  const rows = fragment`delivery d WHERE ${IN_ORDER}d.tenant = ${f.tenant}${byPlace(before)}`;
  const end = always.length === 0 ? null : yield* endOfWalk(rows, BY_PLACE, look);
  const untilTheEnd = end === null ? [] : [fragment`n.seq >= ${end.seq}`];
  return { rows, order: BY_PLACE, along: 'place', tests: [...untilTheEnd, ...always], end };
}

/** Where each row of a walk stands. */
const STANDS = { place: words('d.seq'), time: words('d.seq, d.received_at') } as const;
const RECEIVED_AT = {
  place: words('(SELECT o.received_at FROM delivery o WHERE o.seq = n.seq)'),
  time: words('n.received_at'),
} as const;

/** `… n`, the rows that pass. The limit keeps the engines from walking along another index, and ends the walk. */
const passing = ({ rows, order, along, tests }: Walk, look: Look): Fragment =>
  fragment`(SELECT ${STANDS[along]} FROM ${rows} ORDER BY ${order} ${look.limit}) n WHERE ${allOf(tests)}`;

/** The places of one more than the page holds, to know whether there is a next. */
function* placesOf(walk: Walk, f: DeliveryFilter, limit: number): Program<readonly ListPlace[]> {
  const found =
    walk.tests.length === 0
      ? yield* all`SELECT ${STANDS[walk.along]} FROM ${walk.rows} ORDER BY ${walk.order} LIMIT ${limit + 1}`
      : timesOf(f) === null
        ? yield* all`SELECT n.seq FROM ${passing(walk, LOOK)} ORDER BY n.seq DESC LIMIT ${limit + 1}`
        : yield* all`
            SELECT n.seq, ${RECEIVED_AT[walk.along]} AS received_at FROM ${passing(walk, LOOK)}
            ORDER BY received_at DESC, n.seq DESC LIMIT ${limit + 1}`;
  return found.map(placeOf);
}

export function* list(
  { vault }: Pick<CommandContext, 'vault'>,
  { before, limit, ...f }: InboxReads['inbox.list']['args'],
): Program<ListPage> {
  if (f.users?.length === 0) return { deliveries: [], next: null };
  const walk = yield* walkOf(vault, f, before, LOOK);
  const found = yield* placesOf(walk, f, limit);
  const places = found.slice(0, limit);
  const seqs = places.map(({ seq }) => seq);
  const rows = yield* all`SELECT ${LISTED_COLUMNS} FROM delivery d WHERE d.seq ${among('bigint', seqs)}`;
  const bySeq = new Map(rows.map((row) => [Number(row['seq']), row]));
  const deliveries = seqs.flatMap((seq) => {
    const row = bySeq.get(seq);
    return row === undefined ? [] : [toListed(row, vault)];
  });
  return { deliveries, next: found.length > limit ? (places.at(-1) ?? null) : walk.end };
}

export function* count({ vault }: Pick<CommandContext, 'vault'>, f: DeliveryFilter): Program<Counted> {
  if (f.users?.length === 0) return { count: 0, isExact: true };
  const walk = yield* walkOf(vault, f, null, LOOK);
  const rows = walk.tests.length === 0 ? walk.rows : passing(walk, LOOK);
  const row = yield* get`SELECT count(*) AS n FROM (SELECT 1 AS one FROM ${rows} LIMIT ${COUNT_MAX + 1}) counted`;
  const n = Number(row?.['n']);
  return { count: Math.min(n, COUNT_MAX), isExact: n <= COUNT_MAX && walk.end === null };
}
