import { spool, type SpoolRoom } from './spool.ts';

/** What a laboratory document is sent as. */
export interface LabUpload {
  readonly file: AsyncIterable<Uint8Array>;
  readonly kind: 'pdf' | 'jpeg' | 'png';
  readonly timezone: string;
}

const TYPES = { pdf: 'application/pdf', jpeg: 'image/jpeg', png: 'image/png' } as const;

export interface Upload {
  readonly contentType: string;
  /** The whole form, from its beginning. */
  parts(): AsyncIterable<Uint8Array>;
  /** Whether `parts` can be had again. */
  mayRepeat(): boolean;
  /** To be called when nobody will send it again. */
  release(): void;
}

/** A form of two fields, as it goes. The boundary is chance, so no file can hold it. */
export function multipart({ file, kind, timezone }: LabUpload, boundary: string, room: SpoolRoom): Upload {
  const field = (name: string, more = ''): string =>
    `--${boundary}\r\nContent-Disposition: form-data; name="${name}"${more}\r\n`;
  const spooled = spool(file, room);
  return {
    contentType: `multipart/form-data; boundary=${boundary}`,
    async *parts() {
      yield Buffer.from(`${field('timezone')}\r\n${timezone}\r\n`);
      // The file's own name may name a patient.
      yield Buffer.from(`${field('file', `; filename="document.${kind}"`)}Content-Type: ${TYPES[kind]}\r\n\r\n`);
      yield* spooled.read();
      yield Buffer.from(`\r\n--${boundary}--\r\n`);
    },
    mayRepeat: spooled.isWhole,
    release: spooled.release,
  };
}
