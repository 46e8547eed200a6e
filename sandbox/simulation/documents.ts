import type { Clock } from '../../src/kernel/index.ts';
import type { Keep } from '../keep/index.ts';
import type { Sender } from '../delivery/index.ts';
import { keyOf } from '../service/index.ts';

/** A payload of the Data Webhook. */
export interface Payload {
  readonly version: number;
  readonly document_version: number;
  readonly data_structure: string;
  readonly user_id: string;
  readonly client_uuid: string;
}

/** What a document says now: its last version. */
export interface TrueDocument {
  readonly structure: string;
  /** What tells it from the others of its user and structure. */
  readonly name: string;
  readonly payload: Payload;
}

interface Row {
  readonly client: string;
  readonly user: string;
  readonly structure: string;
  readonly name: string;
  readonly version: number;
  /** When it was said, in simulated time. */
  readonly at: number;
  /** JSON: there are many, and most are never looked at again. */
  readonly text: string;
}

export interface Documents {
  version(client: string, user: string, structure: string, name: string): number | null;
  read(client: string, user: string, structure: string, name: string): Payload | null;
  /** Keeps it as what the document says now, and hands it to be sent. */
  emit(payload: Payload, name: string): void;
  /**
   * What was said before then. Whoever forgets sees to it that nothing of it is said again: its versions would begin
   * anew.
   */
  forget(before: number): void;
  list(
    client: string,
    user: string | null,
  ): readonly { readonly user: string; readonly structure: string; readonly name: string; readonly version: number }[];
  /** What every document of the client, or of one user, says now. */
  truth(client: string, user?: string): readonly TrueDocument[];
}

export function openDocuments(kept: Keep, sender: Sender, clock: Clock): Documents {
  const table = kept.table<Row>('sim_document');
  const of = (client: string, user: string | null): Row[] =>
    table
      .all()
      .map(([, row]) => row)
      .filter((row) => row.client === client && (user === null || row.user === user));
  return {
    version: (...key) => table.get(keyOf(...key))?.version ?? null,
    read: (...key) => {
      const row = table.get(keyOf(...key));
      return row === undefined ? null : (JSON.parse(row.text) as Payload);
    },
    emit(payload, name) {
      const { client_uuid: client, user_id: user, data_structure: structure, document_version: version } = payload;
      const text = JSON.stringify(payload);
      kept.together(() => {
        const at = clock.now().getTime();
        table.put(keyOf(client, user, structure, name), { client, user, structure, name, version, at, text });
        sender.put({ client, hook: 'data', body: text });
      });
    },
    forget: (before) => kept.together(() => table.removeOldest(({ at }) => at < before)),
    list: (client, user) =>
      of(client, user).map(({ structure, name, version, user: whose }) => ({ user: whose, structure, name, version })),
    truth: (client, user) =>
      of(client, user ?? null).map(({ structure, name, text }) => ({
        structure,
        name,
        payload: JSON.parse(text) as Payload,
      })),
  };
}
