import { deliveriesOfRequest } from '../../audit/index.ts';
import {
  all,
  allOf,
  among,
  fragment,
  get,
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

/*
 * The list of deliveries. Each filter has an index. Where several are given, no index has them all: the rows of one
 * are walked and the other filters are tested on each. The walk has an end (LOOK), so that a page takes as long among
 * a million deliveries as among a thousand; a page that came to it holds what was found so far, and the next goes on.
 */

/** Room for rows that come into a walk after its end was looked for. */
const MEANWHILE = 500;
interface Look {
  readonly toEnd: Part;
  readonly limit: Part;
}
/** Words of the statement: PostgreSQL would plan for any number of rows where it is a value. */
const lookAt = (rows: number): Look => ({
  toEnd: words(`LIMIT 1 OFFSET ${rows - 1}`),
  limit: words(`LIMIT ${rows + MEANWHILE}`),
});
/** How many rows are looked at for a page and for a count. */
const LOOK = { page: lookAt(5_000), count: lookAt(12_000) } as const;
const COUNT_MAX = 10_000;

const LISTED_COLUMNS = words(LISTED);
const BY_PLACE = words('d.seq DESC');
const BY_TIME = words('d.received_at DESC, d.seq DESC');
const NOTHING = fragment``;
/** Before a column: SQLite walks the table in its order, and no index that it would have to sort. */
const IN_ORDER = part('+', '');

interface Filter {
  /** True of a row `d` of `delivery`. */
  readonly condition: Fragment;
  /** The rows that the index of the filter leads to, each with a `d.seq`: what follows FROM. */
  readonly rows: Fragment;
}

/** `d.seq > 0`: the indexes of the list are for statements that say so. */
const onDelivery = (tenant: string, condition: Fragment): Filter => ({
  condition,
  rows: fragment`delivery d WHERE d.tenant = ${tenant} AND d.seq > 0 AND ${condition}`,
});

const onAssignment = (tenant: string, operator: string): Filter => ({
  condition: fragment`EXISTS (SELECT 1 FROM delivery_assignment a WHERE a.seq = d.seq AND a.operator = ${operator})`,
  rows: fragment`delivery_assignment d WHERE d.tenant = ${tenant} AND d.operator = ${operator}`,
});

const onFinding = (tenant: string, code: string): Filter => ({
  condition: fragment`EXISTS (SELECT 1 FROM delivery_finding f WHERE f.seq = d.seq AND f.code = ${code})`,
  rows: fragment`delivery_finding d WHERE d.tenant = ${tenant} AND d.code = ${code}`,
});

function usersOf(vault: Vault, { user, users }: DeliveryFilter): Fragment[] {
  const asked = user === null ? [] : [fragment`d.user_index = ${userIndex(vault, user.client, user.user)}`];
  if (users === null) return asked;
  const [only, ...others] = users;
  const patient =
    only !== undefined && others.length === 0
      ? fragment`d.user_index = ${Buffer.from(only, 'hex')}`
      : fragment`d.user_index ${among('bytea', users)}`;
  return [...asked, patient];
}

/** True of nearly every delivery, so that no index leads there: it is tested on whatever the others lead to. */
const testsOf = ({ assigned }: DeliveryFilter): readonly Fragment[] =>
  assigned?.kind === 'nobody' ? [fragment`NOT EXISTS (SELECT 1 FROM delivery_assignment a WHERE a.seq = d.seq)`] : [];

/** Those that lead to few rows come first. */
function filtersOf(vault: Vault, f: DeliveryFilter): readonly Filter[] {
  const { tenant } = f;
  const has = (condition: Fragment): Filter => onDelivery(tenant, condition);
  return [
    ...(f.requestId === null
      ? []
      : [has(fragment`d.request_id = ${f.requestId} AND d.id IN ${deliveriesOfRequest(tenant, f.requestId)}`)]),
    ...usersOf(vault, f).map(has),
    ...(f.assigned?.kind === 'operator' ? [onAssignment(tenant, f.assigned.id)] : []),
    ...(f.finding === null ? [] : [onFinding(tenant, f.finding)]),
    ...(f.faultCode === null ? [] : [has(fragment`d.fault_code = ${f.faultCode}`)]),
    ...(f.reason === null ? [] : [has(fragment`d.reason = ${f.reason}`)]),
    ...(f.state === null ? [] : [has(fragment`d.state = ${f.state}`)]),
    ...(f.dataStructure === null ? [] : [has(fragment`d.data_structure = ${f.dataStructure}`)]),
  ];
}

function timesOf({ tenant, receivedFrom, receivedTo }: DeliveryFilter): Filter | null {
  if (receivedFrom === null && receivedTo === null) return null;
  return onDelivery(
    tenant,
    allOfThese([
      ...(receivedFrom === null ? [] : [fragment`d.received_at >= ${receivedFrom}`]),
      ...(receivedTo === null ? [] : [fragment`d.received_at < ${receivedTo}`]),
    ]),
  );
}

const allOfThese = (fragments: readonly Fragment[]): Fragment => fragment`${allOf(fragments)}`;

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
  readonly tests: readonly Fragment[];
  /** Null where all rows are walked. */
  readonly end: ListPlace | null;
}

const placeOf = (row: Row): ListPlace => ({ seq: Number(row['seq']), receivedAt: Number(row['received_at'] ?? 0) });

/** The place of the last row that is looked at; null where there are not so many. */
function* endOfWalk(rows: Fragment, look: Look): Program<ListPlace | null> {
  const row = yield* get`SELECT d.seq FROM ${rows} ORDER BY ${BY_PLACE} ${look.toEnd}`;
  return row === undefined ? null : placeOf(row);
}

const othersOf = (filters: readonly Filter[], filter: Filter): readonly Fragment[] =>
  filters.filter((one) => one !== filter).map(({ condition }) => condition);

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
    const end = tests.length === 0 ? null : yield* endOfWalk(rows, look);
    if (end === null) return { rows, order: BY_PLACE, tests, end };
    first ??= { rows, order: BY_PLACE, tests: [fragment`d.seq >= ${end.seq}`, ...tests], end };
  }
  if (first === null) throw new Error('a walk has a filter');
  return first;
}

/** Along a filter that leads to few enough rows; where none does, along the time. */
function* walkByTime(
  filters: readonly Filter[],
  always: readonly Fragment[],
  times: Filter,
  before: ListPlace | null,
  look: Look,
): Program<Walk> {
  const untilThen = fragment`${times.condition}${byTime(before)}`;
  for (const filter of filters) {
    if ((yield* endOfWalk(filter.rows, look)) !== null) continue;
    const tests = [untilThen, ...othersOf(filters, filter), ...always];
    return { rows: filter.rows, order: BY_PLACE, tests, end: null };
  }
  const rows = fragment`${times.rows}${byTime(before)}`;
  const tests = [...filters.map(({ condition }) => condition), ...always];
  const last =
    tests.length === 0
      ? undefined
      : yield* get`SELECT d.seq, d.received_at FROM ${rows} ORDER BY ${BY_TIME} ${look.toEnd}`;
  if (last === undefined) return { rows, order: BY_TIME, tests, end: null };
  const end = placeOf(last);
  const untilTheEnd = fragment`(d.received_at, d.seq) >= (${end.receivedAt}, ${end.seq})`;
  return { rows, order: BY_TIME, tests: [untilTheEnd, ...tests], end };
}

function* walkOf(vault: Vault, f: DeliveryFilter, before: ListPlace | null, look: Look): Program<Walk> {
  const filters = filtersOf(vault, f);
  const always = testsOf(f);
  const times = timesOf(f);
  if (times !== null) return yield* walkByTime(filters, always, times, before, look);
  if (filters.length > 0) return yield* walkByPlace(filters, always, before, look);
  const rows = fragment`delivery d WHERE ${IN_ORDER}d.tenant = ${f.tenant}${byPlace(before)}`;
  const end = always.length === 0 ? null : yield* endOfWalk(rows, look);
  const untilTheEnd = end === null ? [] : [fragment`d.seq >= ${end.seq}`];
  return { rows, order: BY_PLACE, tests: [...untilTheEnd, ...always], end };
}

/**
 * `… n` and, row by row, its delivery `d`. PostgreSQL would rather read the whole table than look thousands of rows up;
 * a part with an offset is not rearranged.
 */
const LOOKED_UP = part(
  'CROSS JOIN delivery d WHERE d.seq = n.seq AND',
  'CROSS JOIN LATERAL (SELECT * FROM delivery o WHERE o.seq = n.seq OFFSET 0) d WHERE',
);

/** The limit keeps the engines from walking along another index, and ends the walk. */
const passing = ({ rows, order, tests }: Walk, look: Look): Fragment =>
  tests.length === 0
    ? rows
    : fragment`(SELECT d.seq FROM ${rows} ORDER BY ${order} ${look.limit}) n ${LOOKED_UP} ${allOf(tests)}`;

/** The places of one more than the page holds, to know whether there is a next. */
function* placesOf(walk: Walk, f: DeliveryFilter, limit: number): Program<readonly ListPlace[]> {
  const rows = passing(walk, LOOK.page);
  const found =
    timesOf(f) === null
      ? yield* all`SELECT d.seq FROM ${rows} ORDER BY ${BY_PLACE} LIMIT ${limit + 1}`
      : yield* all`SELECT d.seq, d.received_at FROM ${rows} ORDER BY ${BY_TIME} LIMIT ${limit + 1}`;
  return found.map(placeOf);
}

export function* list(
  { vault }: Pick<CommandContext, 'vault'>,
  { before, limit, ...f }: InboxReads['inbox.list']['args'],
): Program<ListPage> {
  if (f.users?.length === 0) return { deliveries: [], next: null };
  const walk = yield* walkOf(vault, f, before, LOOK.page);
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
  const walk = yield* walkOf(vault, f, null, LOOK.count);
  const row = yield* get`
    SELECT count(*) AS n FROM (SELECT 1 AS one FROM ${passing(walk, LOOK.count)} LIMIT ${COUNT_MAX + 1}) counted`;
  const n = Number(row?.['n']);
  return { count: Math.min(n, COUNT_MAX), isExact: n <= COUNT_MAX && walk.end === null };
}
