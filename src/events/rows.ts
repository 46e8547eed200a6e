import type { SealedTable, Vault } from '../store/index.ts';
import { unpackItems, type NewEvent, type QueuedEvent } from './event.ts';

/** A row of either engine. */
type Row = Readonly<Record<string, unknown>>;

export const eventsSealed: readonly SealedTable[] = [
  { table: 'event', columns: ['items_sealed'], key: ['seq'], place: ['patient_index', 'at'] },
];

/** The place in the queue is not known before the row is there; whose it is and when it was name it as well. */
const placeOf = (patient: Uint8Array, atMs: number): string =>
  `event.items_sealed/${Buffer.from(patient).toString('hex')}/${atMs}`;

export const sealItems = (vault: Vault, { patient, at }: Omit<NewEvent, 'items'>, items: string): Buffer =>
  vault.seal(Buffer.from(items), placeOf(patient, at.getTime()));

export function toQueued(vault: Vault, row: Row): QueuedEvent {
  const patient = row['patient_index'] as Uint8Array;
  const atMs = Number(row['at']);
  const items = vault.open(row['items_sealed'] as Uint8Array, placeOf(patient, atMs)).toString();
  return {
    seq: Number(row['seq']),
    atMs,
    user: row['user_index'] as Uint8Array | null,
    patient,
    items: unpackItems(items),
  };
}
