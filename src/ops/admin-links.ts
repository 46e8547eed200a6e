import type { IncomingMessage } from 'node:http';
import {
  fail,
  fault,
  jsonAnswer,
  MEMORY,
  ok,
  readBody,
  ROOM_WAIT_MS,
  withRoom,
  type Ask,
  type Budget,
  type Clock,
  type NewId,
  type Result,
  type Route,
} from '../kernel/index.ts';
import type { Links, LinkOutcome } from '../lanes/index.ts';
import {
  CHARTED,
  isClientUuid,
  isEvidence,
  isMrn,
  isUserId,
  LINK_STATUSES,
  ROWS_MAX,
  type Charted,
  type IdentityReads,
  type IdentityWrites,
  type LinkStatus,
  type ShownLink,
  type SourceUser,
} from '../identity/index.ts';
import type { Operate } from '../store/index.ts';
import { adminRoute as admin, iso, PAGE, pageOf, queryOf, REASON, toCursor } from './admin-query.ts';
import { makeImportLinks } from './import-links.ts';
import { readObject, type Field, type Fields } from './read-json.ts';
import type { RecordAct } from './record-act.ts';

const BODY_BYTES_MAX = 16 * 1024;
const IMPORT_BYTES_MAX = 10 * 1024 * 1024;

/** The shortest row that names somebody who is nobody else. */
const ROW_BYTES_MIN = 8;
/** What a file costs, by its size alone: who does not say how much is coming may send all that is allowed. */
function importCost({ headers }: IncomingMessage): number {
  const bytes = Math.min(Number(headers['content-length'] ?? IMPORT_BYTES_MAX), IMPORT_BYTES_MAX);
  const rows = Math.min(bytes / ROW_BYTES_MIN, ROWS_MAX);
  return Math.ceil(bytes * MEMORY.cost.table + rows * MEMORY.cost.row);
}

const isCharted = (text: string): text is Charted => (CHARTED as readonly string[]).includes(text);
const isStatus = (text: string): text is LinkStatus => (LINK_STATUSES as readonly string[]).includes(text);

const shown = ({ seq: _seq, madeAt, changedAt, ...rest }: ShownLink) => ({
  ...rest,
  madeAt: iso(madeAt),
  changedAt: iso(changedAt),
});

interface PutBody {
  readonly mrn: string;
  readonly status?: 'proposed' | 'confirmed';
  readonly evidence?: string | null;
  readonly client_uuid?: string | null;
}
const isTextOrNull =
  (isGood: (text: string) => boolean) =>
  (value: unknown): boolean =>
    value === null || (typeof value === 'string' && isGood(value));
const PUT = {
  mrn: { isRequired: true, isGood: (value: unknown) => typeof value === 'string' && isMrn(value) },
  status: { isGood: (value: unknown) => value === 'proposed' || value === 'confirmed' },
  evidence: { isGood: isTextOrNull(isEvidence) },
  client_uuid: { isGood: isTextOrNull(isClientUuid) },
} satisfies Fields & Record<keyof PutBody, Field>;

export function makeLinkRoutes(deps: {
  readonly tenant: string;
  readonly clientUuid: string | null;
  readonly mrnSystem: string;
  readonly identity: Operate<IdentityWrites, IdentityReads>;
  readonly links: Links;
  readonly budget: Budget;
  /** What becomes of what was charted, where the caller does not say. */
  readonly onRevoke: Charted;
  readonly record: RecordAct;
  readonly newId: NewId;
  readonly clock: Clock;
}): Route[] {
  const { tenant, identity, links, mrnSystem, record } = deps;
  const who = ({ requestId }: Ask) => ({ tenant, at: deps.clock.now(), requestId, actor: 'operator' });
  const importLinks = makeImportLinks(deps);

  /** The user whom the path names, of the client that the caller names or of our own. */
  function userOf({ params }: Ask, client: string | null): Result<SourceUser> {
    const user = params['user_id'] ?? '';
    if (!isUserId(user)) return fail(fault('link.not-found'));
    const of = client ?? deps.clientUuid;
    if (of !== null && !isClientUuid(of)) return fail(fault('admin.parameter', { at: 'client_uuid' }));
    return of === null ? fail(fault('link.client', { at: 'client_uuid' })) : ok({ client: of, user });
  }
  /** Whoever is shown, and whoever was asked for though nobody was found. */
  const patientsOf = (shownLinks: readonly ShownLink[], asked: string | null) =>
    [...new Set([...shownLinks.map((link) => link.mrn), ...(asked === null ? [] : [asked])])].map((mrn) => ({
      system: mrnSystem,
      mrn,
    }));
  const answer = ({ change, id, status, ...counts }: LinkOutcome & { readonly isForeignClient?: boolean }) =>
    ok(jsonAnswer(200, { id, status, change, ...counts }));

  return [
    admin('get', '/admin/api/links', async (ask) => {
      const query = queryOf(ask, ['status', 'user_id', 'client_uuid', 'mrn', 'cursor', 'limit']);
      if (!query.ok) return query;
      const get = (name: string): string | null => query.value.get(name) ?? null;
      const [status, user, mrn] = [get('status'), get('user_id'), get('mrn')];
      const wanted = pageOf(query.value, 'l');
      const client = get('client_uuid') ?? deps.clientUuid;
      if (status !== null && !isStatus(status)) return fail(fault('admin.parameter', { at: 'status' }));
      if (!wanted.ok) return wanted;
      const { before, limit } = wanted.value;
      if (user !== null && !isUserId(user)) return fail(fault('admin.parameter', { at: 'user_id' }));
      if (client !== null && !isClientUuid(client)) return fail(fault('admin.parameter', { at: 'client_uuid' }));
      if (mrn !== null && !isMrn(mrn)) return fail(fault('admin.parameter', { at: 'mrn' }));
      if (user !== null && client === null) return fail(fault('link.client', { at: 'client_uuid' }));
      if (get('client_uuid') !== null && user === null) return fail(fault('admin.parameter', { at: 'user_id' }));
      const page = await identity.read('identity.list', {
        tenant,
        status,
        user: user === null || client === null ? null : { client, user },
        patient: mrn === null ? null : { mrnSystem, mrn },
        before,
        limit: limit + 1,
      });
      if (!page.ok) return page;
      const list = page.value.slice(0, limit);
      const last = list.at(-1);
      const next = page.value.length > limit && last !== undefined ? toCursor('l', last.seq) : null;
      const recorded = await record(ask, {
        action: 'R',
        outcome: '0',
        why: 'links',
        count: list.length,
        patients: patientsOf(list, mrn),
      });
      return recorded.ok ? ok(jsonAnswer(200, { links: list.map(shown), next })) : recorded;
    }),

    admin('get', '/admin/api/links/:user_id', async (ask) => {
      const query = queryOf(ask, ['client_uuid']);
      if (!query.ok) return query;
      const user = userOf(ask, query.value.get('client_uuid') ?? null);
      if (!user.ok) return user;
      const filter = { tenant, status: null, user: user.value, patient: null, before: null, limit: PAGE.most };
      const [found, unsettled] = await Promise.all([
        identity.read('identity.list', filter),
        identity.read('identity.is-unsettled', { tenant, user: user.value }),
      ]);
      if (!found.ok) return found;
      if (!unsettled.ok) return unsettled;
      if (found.value.length === 0) return fail(fault('link.not-found'));
      const { id: linkId } = found.value[0] ?? { id: '' };
      const recorded = await record(ask, {
        action: 'R',
        outcome: '0',
        why: 'link',
        linkId,
        patients: patientsOf(found.value, null),
      });
      return recorded.ok
        ? ok(jsonAnswer(200, { isSettled: !unsettled.value, links: found.value.map(shown) }))
        : recorded;
    }),

    admin('put', '/admin/api/links/:user_id', async (ask) => {
      const body = await readObject(ask.request, BODY_BYTES_MAX, PUT);
      if (!body.ok) return body;
      const {
        mrn,
        status = 'confirmed',
        evidence = null,
        client_uuid: client = null,
      } = body.value as unknown as PutBody;
      const user = userOf(ask, client);
      if (!user.ok) return user;
      const done = await links.put(who(ask), {
        id: deps.newId('lnk'),
        ...user.value,
        mrnSystem,
        mrn,
        status,
        evidence,
      });
      if (!done.ok) return done;
      const isForeign = deps.clientUuid !== null && user.value.client !== deps.clientUuid;
      return answer({ ...done.value, isForeignClient: isForeign });
    }),

    // Looked at before a link is revoked: what would leave the chart, or stay in it.
    admin('get', '/admin/api/links/:user_id/charted', async (ask) => {
      const query = queryOf(ask, ['client_uuid']);
      if (!query.ok) return query;
      const user = userOf(ask, query.value.get('client_uuid') ?? null);
      if (!user.ok) return user;
      const found = await links.charting(user.value);
      if (!found.ok) return found;
      const { linkId, resources, waiting } = found.value;
      if (linkId === null) return fail(fault('link.not-found'));
      const total = resources.reduce((sum, { count }) => sum + count, 0);
      const recorded = await record(ask, { action: 'R', outcome: '0', why: 'charted', linkId, count: total });
      return recorded.ok ? ok(jsonAnswer(200, { onRevoke: deps.onRevoke, total, waiting, resources })) : recorded;
    }),

    admin('delete', '/admin/api/links/:user_id', async (ask) => {
      const query = queryOf(ask, ['client_uuid', 'reason', 'charted']);
      if (!query.ok) return query;
      const user = userOf(ask, query.value.get('client_uuid') ?? null);
      if (!user.ok) return user;
      const why = query.value.get('reason') ?? 'revoked';
      if (!REASON.test(why)) return fail(fault('admin.parameter', { at: 'reason' }));
      const charted = query.value.get('charted') ?? deps.onRevoke;
      if (!isCharted(charted)) return fail(fault('admin.parameter', { at: 'charted' }));
      const done = await links.revoke(who(ask), user.value, why, charted);
      if (!done.ok) return done;
      if (typeof done.value !== 'string') return answer(done.value);
      return fail(fault(done.value === 'not-found' ? 'link.not-found' : 'link.unsettled'));
    }),

    admin('post', '/admin/api/links/import', async (ask) => {
      const query = queryOf(ask, ['dry_run']);
      if (!query.ok) return query;
      const dry = query.value.get('dry_run') ?? 'false';
      if (dry !== 'true' && dry !== 'false') return fail(fault('admin.parameter', { at: 'dry_run' }));
      const imported = await withRoom(deps.budget, importCost(ask.request), ROOM_WAIT_MS, async () => {
        const body = await readBody(ask.request, IMPORT_BYTES_MAX);
        return body.ok ? importLinks(who(ask), body.value, dry === 'true' ? 'foresee' : 'apply') : body;
      });
      if (imported === null) return fail(fault('admin.no-room'));
      return imported.ok ? ok(jsonAnswer(200, imported.value)) : imported;
    }),
  ];
}
