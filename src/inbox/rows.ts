import { dropBytes } from '../kernel/index.ts';
import {
  forgetKey,
  openKey as openStoredKey,
  openUserKey,
  rememberKey,
  type CommandContext,
  type OpenedKey,
  type SealedTable,
  type Sealer,
  type Vault,
} from '../store/index.ts';
import type {
  DeliveryStep,
  DetailedDelivery,
  FlowCounts,
  InboxReads,
  LedgerCounts,
  ListedDelivery,
  Received,
} from './commands.ts';
import type { KnownDocument } from './decide-version.ts';
import { STATES, type State } from './state.ts';

/** A row of either engine. */
export type Row = Readonly<Record<string, unknown>>;

export const ACKNOWLEDGED = 'acknowledged';

/** By which a delivery named `d` is opened: its own key, and that of its user. */
export const KEYS = `d.user_index, d.body_key_sealed, (SELECT u.key_sealed FROM unclaimed_key u
WHERE u.seq = d.seq) AS unclaimed_key_sealed, (SELECT k.key_sealed FROM user_key k WHERE k.tenant = d.tenant
AND k.user_index = d.user_index) AS user_key_sealed`;
export const LISTED = `${KEYS}, seq, id, hook, received_at, state, reason, fault_code, state_at, data_structure,
document_version, body_bytes, findings_sealed, user_sealed`;

const text = (value: unknown): string | null => (typeof value === 'string' ? value : null);
const number = (value: unknown): number | null => (value === null || value === undefined ? null : Number(value));

const hex = (value: unknown): string | null =>
  value instanceof Uint8Array ? Buffer.from(value).toString('hex') : null;

export const toListed = (row: Row, vault: Vault): ListedDelivery => ({
  seq: Number(row['seq']),
  id: String(row['id']),
  hook: String(row['hook']),
  receivedAt: Number(row['received_at']),
  state: row['state'] as State,
  reason: text(row['reason']),
  faultCode: text(row['fault_code']),
  stateAt: Number(row['state_at']),
  dataStructure: text(row['data_structure']),
  documentVersion: number(row['document_version']),
  bodyBytes: Number(row['body_bytes']),
  findings: openFindings(vault, row),
  userId: openUser(vault, row),
  userIndex: hex(row['user_index']),
});

export const toProblemCount = (row: Row): FlowCounts['problems']['problems'][number] => ({
  state: row['state'] as 'parked' | 'quarantined',
  reason: text(row['reason']),
  count: Number(row['n']),
});

export const toStep = (row: Row): DeliveryStep => ({
  at: Number(row['at']),
  from: text(row['from_state']) as State | null,
  to: row['to_state'] as State,
  reason: text(row['reason']),
  faultCode: text(row['fault_code']),
  actor: String(row['actor']),
});

const arrivalOf = (row: Row, next: Row | undefined): DeliveryStep => ({
  at: Number(row['received_at']),
  from: null,
  to: (next === undefined ? row['state'] : next['from_state']) as State,
  reason: null,
  faultCode: null,
  actor: 'source',
});

export function toDetailed(
  row: Row,
  steps: readonly Row[],
  duplicateOf: Row | undefined,
  vault: Vault,
): DetailedDelivery {
  return {
    ...toListed(row, vault),
    requestId: String(row['request_id']),
    sender: String(row['sender']),
    duplicateOf: text(duplicateOf?.['id']),
    hasBody: Number(row['has_body']) === 1,
    // That it came is in the row itself; a step is kept for each change after that.
    steps: [arrivalOf(row, steps[0]), ...steps.map(toStep)],
  };
}

export const toKnown = (row: Row): KnownDocument => ({
  version: Number(row['version']),
  seq: Number(row['seq']),
  clinicalDigest: row['clinical_digest'] as Uint8Array | null,
});

/** The places of those that were in a lane. */
export const queuedAmong = (rows: readonly Row[]): number[] =>
  rows.filter((row) => row['state'] === 'queued').map((row) => Number(row['seq']));

export function toCounts(rows: readonly Row[]): LedgerCounts {
  const found = new Map(rows.map((row) => [String(row['state']), Number(row['count'])]));
  const byState = Object.fromEntries(STATES.map((state) => [state, found.get(state) ?? 0])) as Record<State, number>;
  return { acknowledged: found.get(ACKNOWLEDGED) ?? 0, byState };
}

/** Places name the row by its id: a value that was moved to another does not open. */
export const bodyPlace = (id: string): string => `delivery_body.sealed/${id}`;
/** Each for itself: one body that does not open must not keep the others from being looked at. */
export const toReceived = (row: Row, vault: Vault): Received => ({
  seq: Number(row['seq']),
  id: String(row['id']),
  hook: row['hook'] as Received['hook'],
  requestId: String(row['request_id']),
  ...(typeof row['trace_id'] === 'string' ? { traceId: row['trace_id'] } : {}),
  receivedAt: Number(row['received_at']),
  body: openBody(vault, row),
});

export const toBody = (row: Row, vault: Vault): NonNullable<InboxReads['inbox.body']['out']> => {
  const { seq: _seq, ...received } = toReceived(row, vault);
  return received;
};

/** The body of a row that has `sealed` and `KEYS`. */
export function openBody(vault: Vault, row: Row): Uint8Array | 'unopenable' {
  const sealed = row['sealed'] as Uint8Array;
  try {
    return sealerOf(vault, row).open(sealed, bodyPlace(String(row['id'])));
  } catch {
    return 'unopenable';
  } finally {
    dropBytes(sealed);
  }
}
const userPlace = (id: string): string => `delivery.user_sealed/${id}`;
export const sealUser = (sealer: Sealer, user: string, id: string): Buffer =>
  sealer.seal(Buffer.from(user), userPlace(id));
function openUser(vault: Vault, row: Row): string | null {
  const sealed = row['user_sealed'] as Uint8Array | null;
  if (sealed === null) return null;
  return sealerOf(vault, row)
    .open(sealed, userPlace(String(row['id'])))
    .toString();
}

/** A path may hold the name of a property that nobody knows, and so whatever somebody wrote there. */
const findingsPlace = (id: string): string => `delivery.findings_sealed/${id}`;
export const sealFindings = (sealer: Sealer, findings: readonly string[], id: string): Buffer | null =>
  findings.length === 0 ? null : sealer.seal(Buffer.from(JSON.stringify(findings)), findingsPlace(id));
/** What of findings may stand in clear: their codes are words of ours. */
export const findingCodes = (findings: readonly string[]): readonly string[] => [
  ...new Set(findings.map((finding) => finding.split(' ', 1)[0] ?? '')),
];
function openFindings(vault: Vault, row: Row): string[] {
  const sealed = row['findings_sealed'] as Uint8Array | null;
  if (sealed === null) return [];
  return JSON.parse(
    sealerOf(vault, row)
      .open(sealed, findingsPlace(String(row['id'])))
      .toString(),
  ) as string[];
}

/** What a person wrote may tell of a patient. */
const notePlace = (id: string, n: number): string => `delivery_note.text_sealed/${id}/${n}`;
/** Of a row that has `KEYS` and `id`. */
export const sealNote = (vault: Vault, row: Row, n: number, text: string): Buffer =>
  sealerOf(vault, row).seal(Buffer.from(text), notePlace(String(row['id']), n));
export const openNote = (vault: Vault, row: Row, n: number, sealed: Uint8Array): string =>
  sealerOf(vault, row)
    .open(sealed, notePlace(String(row['id']), n))
    .toString();

/** What is, or in a database from before may be, sealed by the data key here. */
export const inboxSealed: readonly SealedTable[] = [
  { table: 'delivery', columns: ['user_sealed', 'findings_sealed', 'body_key_sealed'], key: ['seq'], place: ['id'] },
  {
    table: 'unclaimed_key',
    columns: ['key_sealed'],
    key: ['seq'],
    place: ['d.id'],
    as: 'delivery.body_key_sealed',
    join: 'JOIN delivery d ON d.seq = t.seq',
  },
  {
    table: 'delivery_body',
    columns: ['sealed'],
    key: ['seq'],
    place: ['d.id'],
    join: 'JOIN delivery d ON d.seq = t.seq',
    rowsPerPage: 20,
    only: 'd.body_key_sealed IS NULL AND NOT EXISTS (SELECT 1 FROM unclaimed_key u WHERE u.seq = t.seq)',
  },
  {
    table: 'delivery_note',
    columns: ['text_sealed'],
    key: ['seq', 'n'],
    place: ['d.id', 'n'],
    join: 'JOIN delivery d ON d.seq = t.seq',
  },
];

/*
 * Each delivery has a key of its own, under which its body, its user and its findings are sealed. The key is sealed by
 * the data key, and apart, until the user is known, and by the user's key from then on. Deliveries of before keys were
 * made have none, and are sealed by the data key.
 */
const keyPlace = (id: string): string => `delivery.body_key_sealed/${id}`;

/** A new key, and how it is stored. It is opened again when its user is known, mostly a moment later. */
export function makeDeliveryKey(
  context: Pick<CommandContext, 'vault' | 'memory' | 'engine'>,
  id: string,
): { readonly sealer: Sealer; readonly sealed: Buffer } {
  const { vault } = context;
  const key = vault.makeKey();
  const sealer = vault.under(key);
  const sealed = vault.seal(key, keyPlace(id));
  rememberKey(context, sealed, keyPlace(id), { key, sealer });
  return { sealer, sealed };
}

const sealedKeyOf = (row: Row): Uint8Array | null =>
  (row['body_key_sealed'] ?? row['unclaimed_key_sealed']) as Uint8Array | null;

/** By what the key of a delivery is sealed. */
const sealerOfKey = (vault: Vault, row: Row, sealed: Uint8Array): Sealer =>
  vault.isOwn(sealed) ? vault : openUserKey(vault, row['user_index'] as Uint8Array, row['user_key_sealed']);

/** What opens the sealed columns and the body of a delivery. Throws where the user's key was destroyed. */
function sealerOf(vault: Vault, row: Row): Sealer {
  const sealed = sealedKeyOf(row);
  if (sealed === null) return vault;
  return vault.under(sealerOfKey(vault, row, sealed).open(sealed, keyPlace(String(row['id']))));
}

function takeKey(context: CommandContext, row: Row, sealed: Uint8Array, place: string): OpenedKey {
  const opened = openStoredKey(context, sealerOfKey(context.vault, row, sealed), sealed, place);
  forgetKey(context, sealed, place);
  return opened;
}

/** The same, with the key as it is stored once its user is known; as it was where it is nobody's. */
export function keyForUser(
  context: CommandContext,
  row: Row,
  user: Sealer | null,
): { readonly sealer: Sealer; readonly sealed: Uint8Array | null } {
  const stored = sealedKeyOf(row);
  if (stored === null) return { sealer: context.vault, sealed: null };
  const place = keyPlace(String(row['id']));
  const { key, sealer } = takeKey(context, row, stored, place);
  return { sealer, sealed: user?.seal(key, place) ?? (row['body_key_sealed'] as Uint8Array | null) };
}

export const documentIndex = (vault: Vault, key: string): Buffer => vault.index('document', key);
