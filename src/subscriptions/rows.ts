import type { EventItem, EventKind } from '../events/index.ts';
import type { SealedTable, Vault } from '../store/index.ts';
import type { ListedSubscription, Owner, SubscriptionReads } from './commands.ts';
import type { Filters } from './match.ts';
import {
  SUBSCRIPTION_STATES,
  type Content,
  type NumberedEvent,
  type Settings,
  type Subscription,
  type SubscriptionState,
} from './subscription.ts';

/** A row of either engine. */
export type Row = Readonly<Record<string, unknown>>;

export const subscriptionSealed: readonly SealedTable[] = [
  { table: 'subscription', columns: ['settings_sealed'], key: ['seq'], place: ['id'] },
  {
    table: 'subscription_event',
    columns: ['items_sealed'],
    key: ['subscription_seq', 'last_number'],
    place: ['subscription_seq', 'last_number'],
  },
];

export const SUBSCRIPTION = `seq, id, client_id, topic, filters, patients, content, state, because, settings_sealed,
  made_at, changed_at, end_at, last_number, sent_number, sent_at, failures, failing_since, next_at, lease_epoch`;

const number = (value: unknown): number | null => (value === null ? null : Number(value));
const text = (value: unknown): string | null => (typeof value === 'string' ? value : null);

export const ownerIndex = (vault: Vault, { issuer, clientId, subject }: Owner): Buffer =>
  vault.index('subscription_owner', JSON.stringify([issuer, clientId, subject]));

const settingsPlace = (id: string): string => `subscription.settings_sealed/${id}`;
export const sealSettings = (vault: Vault, id: string, settings: Settings): Buffer =>
  vault.seal(Buffer.from(JSON.stringify(settings)), settingsPlace(id));
export const openSettings = (vault: Vault, row: Row): Settings =>
  JSON.parse(vault.open(row['settings_sealed'] as Uint8Array, settingsPlace(String(row['id']))).toString()) as Settings;

/** They are asked for at every step. A place may be given anew, and be of another store: what is written counts. */
const parsed = new Map<number, { readonly written: string; readonly filters: Filters }>();
const PARSED_MAX = 10_000;
export function filtersOf(row: Row): Filters {
  const [seq, written] = [Number(row['seq']), String(row['filters'])];
  const known = parsed.get(seq);
  if (known?.written === written) return known.filters;
  const filters = JSON.parse(written) as Filters;
  const [oldest] = parsed.size >= PARSED_MAX ? parsed.keys() : [];
  if (oldest !== undefined) parsed.delete(oldest);
  parsed.set(seq, { written, filters });
  return filters;
}

export const toSubscription = (vault: Vault, row: Row): Subscription => ({
  seq: Number(row['seq']),
  id: String(row['id']),
  clientId: String(row['client_id']),
  kind: row['topic'] as EventKind,
  filters: filtersOf(row),
  patients: row['patients'] as Subscription['patients'],
  content: row['content'] as Content,
  state: row['state'] as SubscriptionState,
  because: text(row['because']),
  settings: openSettings(vault, row),
  madeAt: Number(row['made_at']),
  changedAt: Number(row['changed_at']),
  endAt: number(row['end_at']),
  lastNumber: Number(row['last_number']),
  sentNumber: Number(row['sent_number']),
  sentAt: number(row['sent_at']),
  failures: Number(row['failures']),
  failingSince: number(row['failing_since']),
});

/** A path may hold a secret of the app's. */
export const toListed = (vault: Vault, row: Row): ListedSubscription => {
  const { settings, filters: _filters, changedAt: _changedAt, ...rest } = toSubscription(vault, row);
  return { ...rest, origin: new URL(settings.endpoint).origin, nextAt: Number(row['next_at']) };
};

/** Of what is off nothing is sent, so that nothing fails. */
export function toStateCounts(rows: readonly Row[]): SubscriptionReads['subscription.count']['out'] {
  const countOf = (state: SubscriptionState): number => Number(rows.find((row) => row['state'] === state)?.['n'] ?? 0);
  const byState = Object.fromEntries(SUBSCRIPTION_STATES.map((state) => [state, countOf(state)]));
  const failing = rows.filter((row) => row['state'] !== 'off').reduce((sum, row) => sum + Number(row['n_failing']), 0);
  return { byState: byState as Record<SubscriptionState, number>, failing };
}

const itemsPlace = (seq: number, lastNumber: number): string => `subscription_event.items_sealed/${seq}/${lastNumber}`;
export const sealNumbered = (vault: Vault, seq: number, lastNumber: number, items: readonly EventItem[]): Buffer =>
  vault.seal(Buffer.from(JSON.stringify(items)), itemsPlace(seq, lastNumber));

/** A row stands for as many events as it has numbers. */
export function toNumbered(vault: Vault, row: Row): NumberedEvent[] {
  const [seq, first, last] = [row['subscription_seq'], row['first_number'], row['last_number']].map(Number) as [
    number,
    number,
    number,
  ];
  const sealed = row['items_sealed'];
  const items =
    sealed instanceof Uint8Array
      ? (JSON.parse(vault.open(sealed, itemsPlace(seq, last)).toString()) as EventItem[])
      : [];
  const patient = Buffer.from(row['patient_index'] as Uint8Array).toString('hex');
  return Array.from({ length: last - first + 1 }, (_, i) => ({
    number: first + i,
    atMs: Number(row['at']),
    patient,
    item: items[i] ?? null,
  }));
}
