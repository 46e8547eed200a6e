import type { IncomingMessage } from 'node:http';
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
  type NewId,
  type Result,
} from '../../kernel/index.ts';
import type { LinkOutcome, Links } from '../../lanes/index.ts';
import {
  isUserId,
  ROWS_MAX,
  type Charted,
  type IdentityReads,
  type IdentityWrites,
  type LinkFilter,
  type LinkStatus,
  type ShownLink,
  type SourceUser,
} from '../../identity/index.ts';
import type { Operate } from '../../store/index.ts';
import { PAGE } from '../contract/fields.ts';
import { beforeOf, iso, pageOf } from '../cursor.ts';
import { defineRoute, type AdminContext, type AdminRoute } from '../define-route.ts';
import { makeImportLinks } from '../import-links.ts';

const IMPORT_BYTES_MAX = 10 * 1024 * 1024;
/** The shortest row that names somebody who is nobody else. */
const ROW_BYTES_MIN = 8;
/** What a file costs, by its size alone. A caller that declares no length may send up to the limit. */
function importCost({ headers }: Pick<IncomingMessage, 'headers'>): number {
  const bytes = Math.min(Number(headers['content-length'] ?? IMPORT_BYTES_MAX), IMPORT_BYTES_MAX);
  const rows = Math.min(bytes / ROW_BYTES_MIN, ROWS_MAX);
  return Math.ceil(bytes * MEMORY.cost.table + rows * MEMORY.cost.row);
}

const shown = ({ seq: _seq, madeAt, changedAt, ...rest }: ShownLink) => ({
  ...rest,
  madeAt: iso(madeAt),
  changedAt: iso(changedAt),
});

const withheldLink = (link: ShownLink) => ({
  ...shown(link),
  userId: null,
  mrn: null,
  evidence: null,
  isWithheld: true,
});

const toOutcome = (done: LinkOutcome) => ({ ...done, status: done.status as LinkStatus });

export function makeLinkRoutes(deps: {
  readonly tenant: string;
  readonly clientUuid: string | null;
  readonly mrnSystem: string;
  readonly identity: Operate<IdentityWrites, IdentityReads>;
  readonly links: Links;
  readonly budget: Budget;
  /** What becomes of what was charted, where the caller does not say. */
  readonly onRevoke: Charted;
  readonly newId: NewId;
  readonly clock: Clock;
}): AdminRoute[] {
  const { tenant, identity, links, mrnSystem } = deps;
  const who = ({ actor }: AdminContext) => ({ tenant, at: deps.clock.now(), ...actor });
  const importLinks = makeImportLinks(deps);

  /** The user whom the path names, of the client that the caller names or of our own. */
  function userOf(user: string, client: string | null | undefined): Result<SourceUser> {
    if (!isUserId(user)) return fail(fault('link.not-found'));
    const of = client ?? deps.clientUuid;
    return of === null ? fail(fault('link.client', { at: 'client_uuid' })) : ok({ client: of, user });
  }
  const linksOf = (user: SourceUser): LinkFilter => ({
    tenant,
    status: null,
    user,
    patient: null,
    before: null,
    limit: PAGE.most,
  });
  /** Whoever is shown, and whoever was asked for though nobody was found. */
  const patientsOf = (shownLinks: readonly ShownLink[], asked: string | null) =>
    [...new Set([...shownLinks.map((link) => link.mrn), ...(asked === null ? [] : [asked])])].map((mrn) => ({
      system: mrnSystem,
      mrn,
    }));

  return [
    defineRoute('links.list', async ({ query }, { record, withheld }) => {
      const { status = null, user_id: user = null, mrn = null, limit } = query;
      const before = beforeOf('l', query.cursor);
      if (!before.ok) return before;
      const client = query.client_uuid ?? deps.clientUuid;
      if (user !== null && client === null) return fail(fault('link.client', { at: 'client_uuid' }));
      if (query.client_uuid !== undefined && user === null) return fail(fault('admin.parameter', { at: 'user_id' }));
      const found = await identity.read('identity.list', {
        tenant,
        status,
        user: user === null || client === null ? null : { client, user },
        patient: mrn === null ? null : { mrnSystem, mrn },
        before: before.value,
        limit: limit + 1,
      });
      if (!found.ok) return found;
      const { rows, next } = pageOf('l', found.value, limit);
      // Whoever asks for somebody by name is asked why; in a list of many, who is restricted is not named.
      const hidden = mrn === null && user === null ? await withheld(patientsOf(rows, null)) : ok([]);
      if (!hidden.ok) return hidden;
      const hiddenMrns = new Set(hidden.value.map((one) => one.mrn));
      const patients = patientsOf(rows, mrn).filter((one) => !hiddenMrns.has(one.mrn));
      const recorded = await record({ action: 'R', outcome: '0', count: rows.length, patients });
      if (!recorded.ok) return recorded;
      const links = rows.map((row) =>
        hiddenMrns.has(row.mrn) ? withheldLink(row) : { ...shown(row), isWithheld: false },
      );
      return ok({ links, next });
    }),

    defineRoute('links.get', async ({ params, query }, { record }) => {
      const user = userOf(params.user_id, query.client_uuid);
      if (!user.ok) return user;
      const [found, unsettled] = await Promise.all([
        identity.read('identity.list', linksOf(user.value)),
        identity.read('identity.is-unsettled', { tenant, user: user.value }),
      ]);
      if (!found.ok) return found;
      if (!unsettled.ok) return unsettled;
      const [newest] = found.value;
      if (newest === undefined) return fail(fault('link.not-found'));
      const patients = patientsOf(found.value, null);
      const recorded = await record({ action: 'R', outcome: '0', linkId: newest.id, patients });
      return recorded.ok ? ok({ isSettled: !unsettled.value, links: found.value.map(shown) }) : recorded;
    }),

    defineRoute('links.put', async ({ params, body }, context) => {
      const { mrn, status = 'confirmed', evidence = null } = body;
      const user = userOf(params.user_id, body.client_uuid);
      if (!user.ok) return user;
      const wanted = { id: deps.newId('lnk'), ...user.value, mrnSystem, mrn, status, evidence };
      const done = await links.put(who(context), wanted);
      if (!done.ok) return done;
      const isForeignClient = deps.clientUuid !== null && user.value.client !== deps.clientUuid;
      return ok({ ...toOutcome(done.value), isForeignClient });
    }),

    // Looked at before a link is revoked: what would leave the chart, or stay in it.
    defineRoute('links.charted', async ({ params, query }, { record }) => {
      const user = userOf(params.user_id, query.client_uuid);
      if (!user.ok) return user;
      const found = await links.charting(user.value);
      if (!found.ok) return found;
      const { linkId, resources, waiting } = found.value;
      if (linkId === null) return fail(fault('link.not-found'));
      const total = resources.reduce((sum, { count }) => sum + count, 0);
      const mine = await identity.read('identity.list', linksOf(user.value));
      if (!mine.ok) return mine;
      const patients = patientsOf(mine.value, null);
      const recorded = await record({ action: 'R', outcome: '0', linkId, count: total, patients });
      return recorded.ok ? ok({ onRevoke: deps.onRevoke, total, waiting, resources }) : recorded;
    }),

    defineRoute('links.revoke', async ({ params, query }, context) => {
      const user = userOf(params.user_id, query.client_uuid);
      if (!user.ok) return user;
      const { reason = 'revoked', charted = deps.onRevoke } = query;
      const done = await links.revoke(who(context), user.value, reason, charted);
      if (!done.ok) return done;
      if (typeof done.value !== 'string') return ok(toOutcome(done.value));
      return fail(fault(done.value === 'not-found' ? 'link.not-found' : 'link.unsettled'));
    }),

    defineRoute('links.import', async ({ query }, context) => {
      const imported = await withRoom(deps.budget, importCost(context.request), ROOM_WAIT_MS, async () => {
        const body = await readBody(context.request, IMPORT_BYTES_MAX);
        return body.ok ? importLinks(who(context), body.value, query.dry_run ? 'foresee' : 'apply') : body;
      });
      return imported ?? fail(fault('admin.no-room'));
    }),
  ];
}
