import type { AuditCounts, AuditReads, AuditWrites } from '../../audit/index.ts';
import { fail, fault, ok, readInstant, type Clock, type NewId, type Result } from '../../kernel/index.ts';
import { SEARCHES_MAX, type OperatorReads, type OperatorWrites } from '../../operators/index.ts';
import type { Operate } from '../../store/index.ts';
import type { ActorNames } from '../actor-names.ts';
import { COUNTS } from '../contract/audit-counts.ts';
import { iso } from '../cursor.ts';
import { defineRoute, type AdminContext, type AdminRoute } from '../define-route.ts';
import { actorOfCaller } from '../record-act.ts';

const HOUR_MS = 3_600_000;
const WIDTH = { hour: HOUR_MS, day: 24 * HOUR_MS } as const;
/** How many points there are where nobody says from when. */
const STANDARD = { hour: 24, day: 30 } as const;

interface Span {
  readonly fromMs: number;
  readonly toMs: number;
  readonly widthMs: number;
}

function spanOf(
  { interval, from, to }: { readonly interval: 'hour' | 'day'; readonly from?: string; readonly to?: string },
  nowMs: number,
): Result<Span> {
  const widthMs = WIDTH[interval];
  const toMs = to === undefined ? nowMs : readInstant(to);
  const wanted = from === undefined ? (toMs ?? 0) - STANDARD[interval] * widthMs : readInstant(from);
  if (toMs === null) return fail(fault('admin.parameter', { at: 'to' }));
  if (wanted === null || wanted >= toMs) return fail(fault('admin.parameter', { at: 'from' }));
  const fromMs = Math.floor(wanted / widthMs) * widthMs;
  if (toMs - fromMs > COUNTS.points * widthMs) return fail(fault('admin.parameter', { at: 'from' }));
  return ok({ fromMs, toMs, widthMs });
}

/** Dense rows, those with the most first. */
export function toCounts(
  { counts, counted, isExact }: AuditCounts,
  { fromMs, toMs, widthMs }: Span,
  names: ReadonlyMap<string, string> = new Map(),
) {
  const points = Math.ceil((toMs - fromMs) / widthMs);
  const byName = new Map<string, number[]>();
  for (const { name: stored, point, count } of counts) {
    const name = names.get(stored) ?? stored;
    const row = byName.get(name) ?? Array<number>(points).fill(0);
    row[point] = (row[point] ?? 0) + count;
    byName.set(name, row);
  }
  const sum = (row: readonly number[]): number => row.reduce((total, one) => total + one, 0);
  const all = [...byName]
    .map(([name, row]) => ({ name, total: sum(row), counts: row }))
    .sort((a, b) => b.total - a.total || (a.name < b.name ? -1 : 1));
  const rest = all.slice(COUNTS.names);
  return {
    from: iso(fromMs),
    to: iso(toMs),
    intervalSeconds: widthMs / 1_000,
    names: all.slice(0, COUNTS.names),
    others: { names: rest.length, total: sum(rest.map(({ total }) => total)) },
    counted: { count: counted, isExact },
  };
}

/** How often, and the questions that somebody keeps. */
export function makeAuditCountRoutes(deps: {
  readonly tenant: string;
  readonly audit: Operate<AuditWrites, AuditReads>;
  readonly operators: Operate<OperatorWrites, OperatorReads>;
  readonly actorNames: Pick<ActorNames, 'all'>;
  readonly newId: NewId;
  readonly clock: Clock;
}): AdminRoute[] {
  const { tenant, audit, operators, clock } = deps;
  const draft = ({ caller, requestId }: AdminContext, action: 'C' | 'D', why: string) => ({
    at: clock.now(),
    type: 'admin' as const,
    tenant,
    requestId,
    action,
    outcome: '0' as const,
    why,
    ...actorOfCaller(caller),
  });
  return [
    defineRoute('audit.counts', async ({ query: { by, interval, from, to } }, { record }) => {
      const times = { ...(from === undefined ? {} : { from }), ...(to === undefined ? {} : { to }) };
      const span = spanOf({ interval, ...times }, clock.now().getTime());
      if (!span.ok) return span;
      const found = await audit.read('audit.counts', { tenant, by, ...span.value, most: COUNTS.records });
      if (!found.ok) return found;
      const names = by === 'actor' ? await deps.actorNames.all() : ok(new Map<string, string>());
      if (!names.ok) return names;
      const written = await record({ action: 'R', outcome: '0', count: found.value.counted });
      return written.ok ? ok(toCounts(found.value, span.value, names.value)) : written;
    }),
    defineRoute('audit.searches', async (_input, { caller, record }) => {
      const found = await operators.read('operator.searches', { tenant, operatorId: caller.id });
      if (!found.ok) return found;
      const written = await record({ action: 'R', outcome: '0', count: found.value.length });
      if (!written.ok) return written;
      return ok({ searches: found.value.map(({ savedAtMs, ...rest }) => ({ ...rest, savedAt: iso(savedAtMs) })) });
    }),
    defineRoute('audit.saveSearch', async ({ body: { name, search } }, context) => {
      const id = deps.newId('asr');
      const done = await operators.write('operator.save-search', {
        search: { id, name, search: search as Readonly<Record<string, string>> },
        operatorId: context.caller.id,
        most: SEARCHES_MAX,
        audit: draft(context, 'C', 'audit.save-search'),
      });
      if (!done.ok) return done;
      return done.value === 'saved' ? ok({ id }) : fail(fault('search.too-many'));
    }),
    defineRoute('audit.removeSearch', async ({ params: { id } }, context) => {
      const operatorId = context.caller.id;
      const done = await operators.write('operator.remove-search', {
        id,
        operatorId,
        audit: draft(context, 'D', 'audit.remove-search'),
      });
      if (!done.ok) return done;
      return done.value === 'removed' ? ok({ id, state: 'removed' as const }) : fail(fault('search.not-found'));
    }),
  ];
}
