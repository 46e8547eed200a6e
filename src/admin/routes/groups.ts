import {
  groupOfList,
  type ExportReads,
  type ExportWrites,
  type KnownGroup,
  type PatientGroups,
} from '../../export/index.ts';
import { fail, fault, ok, type Clock, type FaultCode, type NewId, type Result } from '../../kernel/index.ts';
import type { Operate } from '../../store/index.ts';
import { beforeOf, fromCursor, iso, pageOf, toCursor } from '../cursor.ts';
import { defineRoute, type AdminContext, type AdminRoute } from '../define-route.ts';

const shown = ({ id, name, kind, linked, list }: KnownGroup) => ({
  id,
  name,
  kind,
  linked,
  members: list?.members ?? null,
  madeBy: list?.actor ?? null,
  changedAt: list === null ? null : iso(list.changedAt),
});

const REFUSED = {
  'not-found': 'group.not-found',
  'name-taken': 'group.name-taken',
  'too-many': 'group.too-many',
} as const satisfies Record<string, FaultCode>;

/** A FHIR id: those of our own have an underscore. */
const LIST_ID = /^grp-[0-9a-z]{1,60}$/;

/** Groups of patients that apps can export, and the lists of MRNs that operators keep. */
export function makeGroupRoutes(deps: {
  readonly tenant: string;
  readonly mrnSystem: string;
  readonly exports: Operate<ExportWrites, ExportReads>;
  readonly groups: PatientGroups;
  readonly newId: NewId;
  readonly clock: Clock;
}): AdminRoute[] {
  const { tenant, mrnSystem, exports, groups, clock } = deps;
  const who = ({ actor }: AdminContext, id: string) => ({ tenant, id, at: clock.now(), ...actor });
  const numbers = (mrns: readonly string[]) => [...new Set(mrns)].map((mrn) => ({ mrnSystem, mrn }));

  async function find(id: string): Promise<Result<KnownGroup>> {
    const found = await groups.find(id);
    if (!found.ok) return found;
    return found.value === null ? fail(fault('group.not-found')) : ok(found.value);
  }

  return [
    defineRoute('groups.list', async ({ query }) => {
      const before = beforeOf('g', query.cursor);
      if (!before.ok) return before;
      const standard = before.value === null ? await groups.standard() : ok([]);
      if (!standard.ok) return standard;
      const found = await exports.read('groups.list', { tenant, before: before.value, limit: query.limit + 1 });
      if (!found.ok) return found;
      const { rows, next } = pageOf('g', found.value, query.limit);
      return ok({
        standard: standard.value.map(shown),
        groups: rows.map((list) => shown(groupOfList(list))),
        next,
      });
    }),

    defineRoute('groups.get', async ({ params: { id } }) => {
      const found = await find(id);
      return found.ok ? ok(shown(found.value)) : found;
    }),

    defineRoute('groups.members', async ({ params: { id }, query }, { record }) => {
      const after = query.cursor === undefined ? 0 : fromCursor('m', query.cursor);
      if (after === null) return fail(fault('admin.parameter', { at: 'cursor' }));
      const found = await find(id);
      if (!found.ok) return found;
      const { list } = found.value;
      if (list === null) return fail(fault('group.not-found'));
      const of = { tenant, group: list.seq, which: 'all', after, limit: query.limit + 1 } as const;
      const read = await exports.read('groups.members', of);
      if (!read.ok) return read;
      const rows = read.value.slice(0, query.limit);
      const patients = rows.map(({ mrn }) => ({ system: mrnSystem, mrn }));
      const recorded = await record({ action: 'R', outcome: '0', count: rows.length, patients });
      if (!recorded.ok) return recorded;
      const last = rows.at(-1);
      return ok({
        members: rows.map(({ mrn, isLinked }) => ({ mrn, isLinked })),
        next: read.value.length > query.limit && last !== undefined ? toCursor('m', last.seq) : null,
      });
    }),

    defineRoute('groups.add', async ({ body: { name, mrns } }, context) => {
      const id = deps.newId('grp').replace('_', '-');
      const added = await exports.write('groups.add', { ...who(context, id), name, members: numbers(mrns) });
      if (!added.ok) return added;
      if (typeof added.value === 'string') return fail(fault(REFUSED[added.value]));
      return ok(shown(groupOfList(added.value)));
    }),

    defineRoute('groups.change', async ({ params: { id }, body }, context) => {
      if (!LIST_ID.test(id)) return fail(fault('group.not-found'));
      const [add, remove] = [numbers(body.add ?? []), numbers(body.remove ?? [])];
      const args = { ...who(context, id), name: body.name ?? null, add, remove };
      const changed = await exports.write('groups.change', args);
      if (!changed.ok) return changed;
      if (typeof changed.value === 'string') return fail(fault(REFUSED[changed.value]));
      return ok(shown(groupOfList(changed.value)));
    }),

    defineRoute('groups.remove', async ({ params: { id } }, context) => {
      if (!LIST_ID.test(id)) return fail(fault('group.not-found'));
      const removed = await exports.write('groups.remove', who(context, id));
      if (!removed.ok) return removed;
      return removed.value === 'removed' ? ok({ id, state: 'removed' }) : fail(fault('group.not-found'));
    }),
  ];
}
