import type { Keep } from '../keep/index.ts';
import { isActive, type DemoService, type LabDocument } from '../service/index.ts';
import type { LabReader, LabReading } from '../labs/index.ts';
import type { Documents, Payload } from './documents.ts';

type Outcome = LabReading | { readonly kind: 'duplicate' | 'gone' };

export interface LabWork {
  /** Takes it up; documents are read one after the other. */
  add(id: string): void;
  /** Resolves when all that was taken up is read. */
  done(): Promise<void>;
  stop(): Promise<void>;
}

/** Reads what was submitted and sends the result. Illegible, undated and duplicate documents lead to no webhook. */
export function readLabs(service: DemoService, kept: Keep, documents: Documents, reader: LabReader): LabWork {
  const outcomes = kept.table<{ readonly kind: string }>('sim_lab');
  /** By what they say: a second scan of the same report is a duplicate too. */
  const contents = kept.table<string>('sim_lab_content');
  let chain: Promise<void> = Promise.resolve();
  const ending = new AbortController();
  const isEnding = (): boolean => ending.signal.aborted;

  async function outcomeOf(id: string, document: LabDocument): Promise<Outcome> {
    const client = service.state.clients.get(document.client);
    const bytes = service.documents.get(id);
    if (client === undefined || bytes === null || !isActive(client, 'lab_data')) return { kind: 'gone' };
    if (document.duplicateOf !== null) return { kind: 'duplicate' };
    const { kind, timezone, user: userId } = document;
    const question = {
      bytes,
      kind,
      timezone,
      userId,
      clientUuid: client.uuid,
      documentId: id,
      format: client.labFormat,
    };
    const reading = await reader.readLabDocument(question);
    return reading.kind === 'read' && contents.get(reading.contentKey) !== undefined ? { kind: 'duplicate' } : reading;
  }

  async function work(id: string): Promise<void> {
    const document = service.state.labDocuments.get(id);
    if (isEnding() || document === undefined || outcomes.get(id) !== undefined) return;
    const outcome = await outcomeOf(id, document);
    if (isEnding()) return;
    kept.together(() => {
      outcomes.put(id, { kind: outcome.kind });
      if (outcome.kind !== 'read') return;
      contents.put(outcome.contentKey, id);
      documents.emit(outcome.payload as unknown as Payload, id);
    });
    service.documents.remove(id);
  }

  const add = (id: string): void => {
    chain = chain.then(() => work(id));
  };
  for (const [id] of service.state.labDocuments.all()) if (outcomes.get(id) === undefined) add(id);
  return {
    add,
    done: () => chain,
    stop: async () => {
      ending.abort();
      // Also in the middle of a document: it is read at the next start.
      await reader.end();
      await chain;
    },
  };
}
