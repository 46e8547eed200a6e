import {
  fail,
  fault,
  MEMORY,
  ok,
  readBody,
  ROOM_WAIT_MS,
  withRoom,
  type Budget,
  type Clock,
  type Result,
} from '../../kernel/index.ts';
import { explain, type ComparedVersions, type Explanation } from '../../forward/index.ts';
import type { HistoryReads, HistoryWrites, Noted } from '../../history/index.ts';
import { checkData, type ChosenDialect, type LoadedTranslationContext, type Reloaded } from '../../judge/index.ts';
import type { DeliverReads, DeliverWrites, Unmapped } from '../../lanes/index.ts';
import { listRows, makeProposeRows, type ListedRow } from '../../mappings/index.ts';
import type { Operate } from '../../store/index.ts';
import { beforeOf, iso, pageOf, toCursor } from '../cursor.ts';
import { defineRoute, type AdminRoute } from '../define-route.ts';
import type { Patient } from '../record-act.ts';
import { deliveryIdOf } from './show-delivery.ts';

/** A payload that is tried is read in the thread that serves everybody. */
const TRIED_BYTES_MAX = 1024 * 1024;

const shownLoad = ({ firstAt, lastAt, count, actor, outcome, version, size, changes, problems }: Noted) => ({
  firstAt: iso(firstAt),
  lastAt: iso(lastAt),
  count,
  by: actor,
  outcome,
  digest: version === '' ? null : version,
  rows: size,
  changes,
  problems,
});

/** A place in a list of rows: the data that it was made of, and how far it has come. */
const PLACES = 1_000_000;
const generationOf = (version: string): number => Number.parseInt(version.slice(0, 7), 16) * PLACES;

const holds = (row: ListedRow, text: string): boolean =>
  [row.row, row.target, row.display ?? '', row.says, row.source, row.reviewer].some((one) =>
    one.toLowerCase().includes(text),
  );

/** What the mapping data make of deliveries: explained, missed, tried, checked, loaded anew. */
export function makeMappingRoutes(deps: {
  readonly tenant: string;
  readonly mrnSystem: string;
  readonly deliver: Operate<DeliverWrites, DeliverReads>;
  readonly history: Operate<HistoryWrites, HistoryReads>;
  readonly explain: (id: string) => Promise<Result<Explanation>>;
  readonly compare: (id: string) => Promise<Result<ComparedVersions>>;
  /** Whose a delivery is. */
  readonly patientsOf: (id: string) => Promise<Result<readonly Patient[]>>;
  readonly reload: (by: string) => Promise<Result<Reloaded, string>>;
  readonly current: () => LoadedTranslationContext;
  readonly dialect: () => ChosenDialect;
  readonly budget: Budget;
  readonly clock: Clock;
}): AdminRoute[] {
  const { tenant, mrnSystem, deliver, history } = deps;
  let known: ReturnType<typeof readRows> | null = null;

  function readRows({ data, translationContext }: LoadedTranslationContext) {
    const rows = listRows(data.files);
    const generation = generationOf(translationContext.setting.mappings.version);
    return { files: data.files, rows, propose: makeProposeRows(rows), generation };
  }
  /** Of the data in force; read once for each load. */
  function rowsNow(): ReturnType<typeof readRows> {
    const current = deps.current();
    if (known?.files !== current.data.files) known = readRows(current);
    return known;
  }

  const shownUnmapped = ({ seq: _seq, firstAt, lastAt, ...rest }: Unmapped) => ({
    ...rest,
    firstAt: iso(firstAt),
    lastAt: iso(lastAt),
    proposals: rowsNow().propose(rest.kind, rest.what),
  });

  const tryPayload = (body: Uint8Array, mrn: string | null): Promise<Result<Explanation>> =>
    explain(
      body,
      { id: 'dlv_tried', receivedAt: deps.clock.now() },
      {
        translationContext: deps.current().translationContext,
        dialectBecause: deps.dialect().because,
        standing: null,
        link: () => Promise.resolve(ok(mrn === null ? null : { mrnSystem, mrn })),
        written: () => Promise.resolve(ok([])),
        seen: () => Promise.resolve(ok([])),
      },
    );

  return [
    defineRoute('deliveries.explain', async ({ params }, { record }) => {
      const id = deliveryIdOf(params.id);
      const explained = await deps.explain(id);
      if (!explained.ok) return explained;
      const patients = await deps.patientsOf(id);
      if (!patients.ok) return patients;
      const recorded = await record({ action: 'R', outcome: '0', deliveryId: id, patients: patients.value });
      return recorded.ok ? ok({ id, ...explained.value }) : recorded;
    }),

    defineRoute('deliveries.changes', async ({ params }, { record }) => {
      const id = deliveryIdOf(params.id);
      const patients = await deps.patientsOf(id);
      if (!patients.ok) return patients;
      const compared = await deps.compare(id);
      if (!compared.ok) return compared;
      const recorded = await record({ action: 'R', outcome: '0', deliveryId: id, patients: patients.value });
      if (!recorded.ok) return recorded;
      const { before, ...changes } = compared.value;
      return ok({ id, before: before === null ? null : { ...before, receivedAt: iso(before.receivedAt) }, ...changes });
    }),

    defineRoute('mappings.unmapped', async ({ query }, { record }) => {
      const before = beforeOf('u', query.cursor);
      if (!before.ok) return before;
      const found = await deliver.read('deliver.unmapped', { tenant, before: before.value, limit: query.limit + 1 });
      if (!found.ok) return found;
      const { rows, next } = pageOf('u', found.value, query.limit);
      const recorded = await record({ action: 'R', outcome: '0', count: rows.length });
      return recorded.ok ? ok({ unmapped: rows.map(shownUnmapped), next }) : recorded;
    }),

    defineRoute('mappings.reload', async (_input, { caller, record }) => {
      const reloaded = await deps.reload(caller.name);
      const recorded = await record({ action: 'U', outcome: reloaded.ok ? '0' : '8' });
      if (!recorded.ok) return recorded;
      if (reloaded.ok) return ok(reloaded.value);
      return fail(fault('mappings.unsound', { problems: reloaded.fault.split('\n').map((line) => line.trim()) }));
    }),

    defineRoute('mappings.rows', ({ query: { text, file, cursor, limit } }) => {
      const { rows, generation } = rowsNow();
      const from = beforeOf('m', cursor);
      if (!from.ok) return from;
      const start = from.value === null ? 0 : from.value - generation;
      // Of other data: what stood there is somewhere else by now.
      if (start < 0 || start > rows.length) return fail(fault('admin.parameter', { at: 'cursor' }));
      const wanted = text?.toLowerCase();
      const found = rows.flatMap((row, place) =>
        (file === undefined || row.file === file) && (wanted === undefined || holds(row, wanted))
          ? [{ row, place }]
          : [],
      );
      const page = found.filter(({ place }) => place >= start).slice(0, limit + 1);
      const next = page.length > limit ? toCursor('m', generation + (page[limit]?.place ?? 0)) : null;
      return ok({ total: found.length, rows: page.slice(0, limit).map(({ row }) => row), next });
    }),

    defineRoute('mappings.try', async ({ query: { mrn = null } }, { request, record }) => {
      const bytes = Math.min(Number(request.headers['content-length'] ?? TRIED_BYTES_MAX), TRIED_BYTES_MAX);
      const tried = await withRoom(deps.budget, bytes * MEMORY.cost.document, ROOM_WAIT_MS, async () => {
        const body = await readBody(request, TRIED_BYTES_MAX);
        return body.ok ? tryPayload(body.value, mrn) : body;
      });
      if (tried === null) return fail(fault('admin.no-room'));
      if (!tried.ok) return tried;
      const patients = mrn === null ? [] : [{ system: mrnSystem, mrn }];
      const recorded = await record({ action: 'E', outcome: '0', patients });
      if (!recorded.ok) return recorded;
      const { delivery: _delivery, ...shown } = tried.value;
      const isFree = shown.trouble === null || (mrn === null && shown.trouble === 'unlinked');
      return ok({ ...shown, wouldGo: isFree && shown.issues.length === 0 });
    }),

    defineRoute('mappings.check', async () => {
      const problems = await checkData(deps.current().settings);
      return ok({ isSound: problems.length === 0, problems });
    }),

    defineRoute('mappings.loads', async ({ query }) => {
      const before = beforeOf('h', query.cursor);
      if (!before.ok) return before;
      const asked = { tenant, list: 'load', before: before.value, limit: query.limit + 1 } as const;
      const found = await history.read('history.list', asked);
      if (!found.ok) return found;
      const { rows, next } = pageOf('h', found.value, query.limit);
      return ok({ loads: rows.map(shownLoad), next });
    }),
  ];
}
