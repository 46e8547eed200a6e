import { actorOf } from '../../audit/index.ts';
import type { ExportJob, ExportReads, ExportWrites } from '../../export/index.ts';
import { fail, fault, ok, type Clock } from '../../kernel/index.ts';
import type { Operate } from '../../store/index.ts';
import { beforeOf, iso, pageOf } from '../cursor.ts';
import { defineRoute, type AdminRoute } from '../define-route.ts';

const EXPORT_ID = /^exp_[0-9a-z]{1,60}$/;

const shown = (job: ExportJob) => ({
  id: job.id,
  clientId: job.client,
  level: job.level,
  group: job.group,
  types: job.types === null ? null : [...job.types],
  since: job.since === null ? null : iso(job.since),
  state: job.state,
  patients: { total: job.total, done: job.done, failed: job.failed },
  resources: job.resources,
  bytes: job.bytes,
  error: job.fault,
  requestId: job.requestId,
  startedAt: iso(job.startedAt),
  endedAt: job.endedAt === null ? null : iso(job.endedAt),
  expiresAt: job.expiresAt === null ? null : iso(job.expiresAt),
});

/** Bulk exports of apps, as an operator sees and ends them. */
export function makeExportRoutes(deps: {
  readonly tenant: string;
  readonly exports: Operate<ExportWrites, ExportReads>;
  readonly clock: Clock;
  /** Told that there is something to clear away. */
  readonly onEnd: () => void;
}): AdminRoute[] {
  const { tenant, exports, clock } = deps;
  return [
    defineRoute('exports.list', async ({ query }) => {
      const before = beforeOf('x', query.cursor);
      if (!before.ok) return before;
      const found = await exports.read('exports.list', {
        tenant,
        client: query.client_id ?? null,
        state: query.state ?? null,
        before: before.value,
        limit: query.limit + 1,
      });
      if (!found.ok) return found;
      const { rows, next } = pageOf('x', found.value, query.limit);
      return ok({ exports: rows.map(shown), next });
    }),

    defineRoute('exports.get', async ({ params: { id } }) => {
      const found = EXPORT_ID.test(id) ? await exports.read('exports.get', { tenant, id }) : ok(null);
      if (!found.ok) return found;
      return found.value === null ? fail(fault('export.not-found')) : ok(shown(found.value));
    }),

    defineRoute('exports.end', async ({ params: { id } }, { actor }) => {
      if (!EXPORT_ID.test(id)) return fail(fault('export.not-found'));
      const { requestId, ...who } = actor;
      const at = clock.now();
      const ended = await exports.write('exports.end', {
        tenant,
        id,
        of: null,
        at,
        audit: {
          at,
          type: 'admin',
          tenant,
          requestId,
          action: 'D',
          outcome: '0',
          ...actorOf(who),
          why: 'export',
          to: id,
        },
      });
      if (!ended.ok) return ended;
      if (ended.value === null) return fail(fault('export.not-found'));
      if (ended.value === 'over') return fail(fault('export.state'));
      deps.onEnd();
      return ok(shown(ended.value));
    }),
  ];
}
