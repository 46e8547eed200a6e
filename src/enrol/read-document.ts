import type { IncomingMessage } from 'node:http';
import { fail, fault, ok, type Fault, type Result } from '../kernel/index.ts';

export const LAB_BYTES_MAX = 10 * 1024 * 1024;

export type LabKind = 'pdf' | 'jpeg' | 'png';

const SIGNATURES: readonly (readonly [LabKind, Buffer])[] = [
  ['pdf', Buffer.from('%PDF-')],
  ['jpeg', Buffer.from([0xff, 0xd8, 0xff])],
  ['png', Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])],
];
const SIGNATURE_BYTES = 8;

/** A sign and HH:MM, or Z; names of zones and hours of one digit are not taken by the service. */
export const isTimezone = (text: string): boolean => /^(Z|[+-](0\d|1[0-3]):[0-5]\d|[+-]14:00)$/.test(text);

export interface LabFile {
  readonly kind: LabKind;
  /** Once. Ends with an error when the file is too large or is cut short. */
  readonly content: AsyncIterable<Uint8Array>;
  /** Why `content` ended with an error of ours; null where it did not. */
  fault(): Fault | null;
}

/** Looks at the first bytes of a document, and passes all of them on as they come. */
export async function readDocument(request: IncomingMessage): Promise<Result<LabFile>> {
  if (Number(request.headers['content-length'] ?? 0) > LAB_BYTES_MAX) return fail(fault('http.too-large'));
  const parts = request[Symbol.asyncIterator]() as AsyncIterator<Buffer, undefined>;
  let head = Buffer.alloc(0);
  let wrong: Fault | null = null;
  const next = async (): Promise<Buffer | null> => {
    try {
      return (await parts.next()).value ?? null;
    } catch {
      wrong = fault('http.cut-short');
      throw new Error('the document was cut short');
    }
  };
  try {
    while (head.length < SIGNATURE_BYTES) {
      const part = await next();
      if (part === null) break;
      head = Buffer.concat([head, part]);
    }
  } catch {
    return fail(fault('http.cut-short'));
  }
  if (head.length === 0) return fail(fault('enrol.empty-document'));
  const kind = SIGNATURES.find(([, signature]) => head.subarray(0, signature.length).equals(signature))?.[0];
  if (kind === undefined) return fail(fault('enrol.document'));

  async function* content(): AsyncGenerator<Uint8Array> {
    let size = 0;
    for (let part: Buffer | null = head; part !== null; part = await next()) {
      size += part.length;
      if (size > LAB_BYTES_MAX) {
        wrong = fault('http.too-large');
        throw new Error('the document is too large');
      }
      yield part;
    }
  }
  return ok({ kind, content: content(), fault: () => wrong });
}
