import type { Vault } from '../store/index.ts';
import type { DeliveryStep, DetailedDelivery, InboxReads, LedgerCounts, ListedDelivery, Received } from './commands.ts';
import type { KnownDocument } from './decide-version.ts';
import { STATES, type State } from './state.ts';

/** A row of either engine. */
export type Row = Readonly<Record<string, unknown>>;

export const ACKNOWLEDGED = 'acknowledged';

/** The fault of the last change, which is the one that led to the state; of a delivery named `d`. */
export const FAULT_CODE = '(SELECT s.fault_code FROM delivery_step s WHERE s.seq = d.seq ORDER BY s.n DESC LIMIT 1)';
export const LISTED = `seq, id, hook, received_at, state, reason, ${FAULT_CODE} AS fault_code, state_at, data_structure, document_version, body_bytes, findings_sealed`;

const text = (value: unknown): string | null => (typeof value === 'string' ? value : null);
const number = (value: unknown): number | null => (value === null || value === undefined ? null : Number(value));

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
  findings: openFindings(vault, row['findings_sealed'] as Uint8Array | null, String(row['id'])),
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

export function toDetailed(row: Row, steps: readonly Row[], duplicateOf: Row | undefined, vault: Vault): DetailedDelivery {
  const sealed = row['user_sealed'] as Uint8Array | null;
  return {
    ...toListed(row, vault),
    requestId: String(row['request_id']),
    sender: String(row['sender']),
    userId: sealed === null ? null : openUser(vault, sealed, String(row['id'])),
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
  receivedAt: Number(row['received_at']),
  body: openBody(vault, row['sealed'] as Uint8Array, String(row['id'])),
});

export const toBody = (row: Row, vault: Vault): NonNullable<InboxReads['inbox.body']['out']> => {
  const { seq: _seq, ...received } = toReceived(row, vault);
  return received;
};

export function openBody(vault: Vault, sealed: Uint8Array, id: string): Uint8Array | 'unopenable' {
  try {
    return vault.open(sealed, bodyPlace(id));
  } catch {
    return 'unopenable';
  }
}
const userPlace = (id: string): string => `delivery.user_sealed/${id}`;
export const sealUser = (vault: Vault, user: string, id: string): Buffer => vault.seal(Buffer.from(user), userPlace(id));
const openUser = (vault: Vault, sealed: Uint8Array, id: string): string => vault.open(sealed, userPlace(id)).toString();

/** A path may hold the name of a property that nobody knows, and so whatever somebody wrote there. */
const findingsPlace = (id: string): string => `delivery.findings_sealed/${id}`;
export const sealFindings = (vault: Vault, findings: readonly string[], id: string): Buffer | null =>
  findings.length === 0 ? null : vault.seal(Buffer.from(JSON.stringify(findings)), findingsPlace(id));
const openFindings = (vault: Vault, sealed: Uint8Array | null, id: string): string[] =>
  sealed === null ? [] : (JSON.parse(vault.open(sealed, findingsPlace(id)).toString()) as string[]);

export const documentIndex = (vault: Vault, key: string): Buffer => vault.index('document', key);
