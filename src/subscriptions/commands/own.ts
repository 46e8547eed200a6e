import { append } from '../../audit/index.ts';
import { noteSubscription } from '../../events/index.ts';
import {
  FOR_UPDATE,
  get,
  insert,
  lock,
  patientIndex,
  rowsOf,
  run,
  send,
  words,
  type CommandContext,
  type Program,
  type Vault,
} from '../../store/index.ts';
import {
  SUBSCRIPTION_ROWS_MAX,
  SUBSCRIPTIONS_MAX,
  type Owner,
  type SubscriptionWrites,
  type WantedSubscription,
} from '../commands.ts';
import { openSettings, ownerIndex, sealSettings, SUBSCRIPTION, toListed, toSubscription, type Row } from '../rows.ts';
import type { Settings } from '../subscription.ts';

const COLUMNS = words(SUBSCRIPTION);
const PATIENTS = rowsOf('subscription_patient', { subscription_seq: 'bigint', patient_index: 'bytea' });

const indexesOf = (vault: Vault, patients: WantedSubscription['context']): Buffer[] => {
  const hex = patients.map(({ mrnSystem, mrn }) => patientIndex(vault, mrnSystem, mrn).toString('hex'));
  return [...new Set(hex)].map((one) => Buffer.from(one, 'hex'));
};

/** Two requests of one app at the same moment count each other. `off`: those that are kept though they are off. */
function* countOf(tenant: string, clientId: string): Program<{ readonly on: number; readonly off: number }> {
  yield* lock`SELECT pg_advisory_xact_lock(hashtext(${`subscription ${tenant} ${clientId}`}))`;
  const count = yield* get`
    SELECT count(*) AS n, coalesce(sum(CASE WHEN state = 'off' THEN 1 ELSE 0 END), 0) AS n_off
    FROM subscription WHERE tenant = ${tenant} AND client_id = ${clientId}`;
  const off = Number(count?.['n_off']);
  return { on: Number(count?.['n']) - off, off };
}

type Add = SubscriptionWrites['subscription.add'];

export function* add(context: CommandContext, wanted: Add['args']): Program<Add['out']> {
  const { vault } = context;
  const { tenant, id, owner, at } = wanted;
  const { on, off } = yield* countOf(tenant, owner.clientId);
  if (on >= SUBSCRIPTIONS_MAX || on + off >= SUBSCRIPTION_ROWS_MAX) return 'too-many';
  const atMs = at.getTime();
  const contextPatients = indexesOf(vault, wanted.context).map((index) => index.toString('hex'));
  const settings: Settings = { ...wanted.settings, contextPatients };
  const row = yield* get`
    INSERT INTO subscription (tenant, id, client_id, owner_index, topic, filters, patients, content, state,
      settings_sealed, made_at, changed_at, end_at, next_at)
    VALUES (${tenant}, ${id}, ${owner.clientId}, ${ownerIndex(vault, owner)}, ${wanted.kind},
      ${JSON.stringify(wanted.filters)}, ${wanted.patients === null ? 'any' : 'named'}, ${wanted.content}, 'requested',
      ${sealSettings(vault, id, settings)}, ${atMs}, ${atMs}, ${wanted.endAt}, ${atMs})
    RETURNING ${COLUMNS}`;
  if (row === undefined) throw new Error('an inserted row is returned');
  noteSubscription(context, tenant);
  const seq = Number(row['seq']);
  yield* insert(
    PATIENTS,
    indexesOf(vault, wanted.patients ?? []).map((index) => ({ subscription_seq: seq, patient_index: index })),
  );
  return toSubscription(vault, row);
}

function* ownRow({ vault }: CommandContext, tenant: string, id: string, owner: Owner): Program<Row | undefined> {
  return yield* get`
    SELECT ${COLUMNS} FROM subscription
    WHERE tenant = ${tenant} AND id = ${id} AND owner_index = ${ownerIndex(vault, owner)} ${FOR_UPDATE}`;
}

type Change = SubscriptionWrites['subscription.change'];

/** Whoever sends to it just now finds its lease gone; what it sent is sent once more. */
export function* change(context: CommandContext, c: Change['args']): Program<Change['out']> {
  const { vault } = context;
  const { on } = yield* countOf(c.tenant, c.owner.clientId);
  const row = yield* ownRow(context, c.tenant, c.id, c.owner);
  if (row === undefined) return null;
  if (row['state'] === 'off' && row['because'] === 'by-operator') return 'ended';
  if (Number(row['changed_at']) !== c.foundAt) return 'stale';
  if (row['state'] === 'off' && c.state !== 'off' && on >= SUBSCRIPTIONS_MAX) return 'too-many';
  const { contextPatients, secrets } = openSettings(vault, row);
  const atMs = c.at.getTime();
  const because = c.state === 'off' ? 'by-app' : null;
  const after = yield* get`
    UPDATE subscription SET state = ${c.state}, because = ${because}, content = ${c.content}, end_at = ${c.endAt},
      settings_sealed = ${sealSettings(vault, c.id, { ...c.settings, contextPatients, secrets })},
      failures = 0, failing_since = NULL, next_at = ${atMs}, changed_at = ${atMs},
      lease_owner = NULL, lease_until = 0, lease_epoch = lease_epoch + 1
    WHERE seq = ${Number(row['seq'])} RETURNING ${COLUMNS}`;
  return after === undefined ? null : toSubscription(vault, after);
}

type Rotate = SubscriptionWrites['subscription.rotate'];
const SECRETS_MAX = 3;

export function* rotate(context: CommandContext, r: Rotate['args']): Program<Rotate['out']> {
  const { vault } = context;
  const row = yield* ownRow(context, r.tenant, r.id, r.owner);
  if (row === undefined) return null;
  const settings = openSettings(vault, row);
  const [atMs, untilMs] = [r.at.getTime(), r.beforeUntil.getTime()];
  const before = settings.secrets
    .filter((one) => one.untilMs === null || one.untilMs > atMs)
    .map((one) => ({ ...one, untilMs: Math.min(one.untilMs ?? untilMs, untilMs) }));
  const secrets = [{ value: r.secret, untilMs: null }, ...before].slice(0, SECRETS_MAX);
  const after = yield* get`
    UPDATE subscription SET settings_sealed = ${sealSettings(vault, r.id, { ...settings, secrets })}
    WHERE seq = ${Number(row['seq'])} RETURNING ${COLUMNS}`;
  return after === undefined ? null : toSubscription(vault, after);
}

type Remove = SubscriptionWrites['subscription.remove'];

export function* remove(context: CommandContext, { tenant, id, owner }: Remove['args']): Program<Remove['out']> {
  const row = yield* ownRow(context, tenant, id, owner);
  if (row === undefined) return 'not-found';
  const seq = Number(row['seq']);
  yield* send`DELETE FROM subscription_event WHERE subscription_seq = ${seq}`;
  yield* send`DELETE FROM subscription_patient WHERE subscription_seq = ${seq}`;
  yield* run`DELETE FROM subscription WHERE seq = ${seq}`;
  return 'removed';
}

type End = SubscriptionWrites['subscription.end'];

/** One that is off stays as it is: why it ended is not written over, and nothing was done that could be recorded. */
export function* end(context: CommandContext, { id, audit }: End['args']): Program<End['out']> {
  const before = yield* get`
    SELECT ${COLUMNS} FROM subscription WHERE tenant = ${audit.tenant} AND id = ${id} ${FOR_UPDATE}`;
  if (before === undefined) return null;
  if (before['state'] === 'off') return toListed(context.vault, before);
  const row = yield* get`
    UPDATE subscription SET state = 'off', because = 'by-operator', changed_at = ${audit.at.getTime()},
      lease_owner = NULL, lease_until = 0, lease_epoch = lease_epoch + 1
    WHERE tenant = ${audit.tenant} AND id = ${id} RETURNING ${COLUMNS}`;
  if (row === undefined) return null;
  const listed = toListed(context.vault, row);
  yield* append(context, [{ ...audit, client: listed.clientId }]);
  return listed;
}
