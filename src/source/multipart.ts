/** What a laboratory document is sent as. */
export interface LabUpload {
  readonly file: AsyncIterable<Uint8Array>;
  readonly kind: 'pdf' | 'jpeg' | 'png';
  readonly timezone: string;
}

const TYPES = { pdf: 'application/pdf', jpeg: 'image/jpeg', png: 'image/png' } as const;

/** A form of two fields, as it goes: the file is never held as a whole. The boundary is chance, so no file can hold it. */
export function multipart({ file, kind, timezone }: LabUpload, boundary: string) {
  const field = (name: string, more = ''): string => `--${boundary}\r\nContent-Disposition: form-data; name="${name}"${more}\r\n`;
  async function* parts(): AsyncGenerator<Uint8Array> {
    yield Buffer.from(`${field('timezone')}\r\n${timezone}\r\n`);
    // The file's own name may name a patient.
    yield Buffer.from(`${field('file', `; filename="document.${kind}"`)}Content-Type: ${TYPES[kind]}\r\n\r\n`);
    yield* file;
    yield Buffer.from(`\r\n--${boundary}--\r\n`);
  }
  return { contentType: `multipart/form-data; boundary=${boundary}`, parts: parts() };
}
