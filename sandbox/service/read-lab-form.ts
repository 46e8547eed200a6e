import busboy from 'busboy';
import type { IncomingMessage } from 'node:http';

export const LAB_BYTES_MAX = 10 * 1024 * 1024;

export type LabForm =
  | { readonly kind: 'form'; readonly content: Buffer; readonly timezone: string }
  | { readonly kind: 'wrong'; readonly status: 400 | 413 | 415; readonly why: string };

/** The two fields of the form, and nothing else. */
export function readLabForm(request: IncomingMessage): Promise<LabForm> {
  const wrong = (status: 400 | 413 | 415, why: string): LabForm => ({ kind: 'wrong', status, why });
  if (!/^multipart\/form-data\s*(;|$)/i.test(request.headers['content-type'] ?? ''))
    return Promise.resolve(wrong(415, 'request must be multipart/form-data'));
  let parser: busboy.Busboy;
  try {
    parser = busboy({
      headers: request.headers,
      limits: { fileSize: LAB_BYTES_MAX + 1, files: 2, fields: 4, fieldSize: 1024 },
    });
  } catch {
    return Promise.resolve(wrong(400, 'the multipart form is malformed'));
  }
  return new Promise((resolve) => {
    const parts: Buffer[] = [];
    let size = 0;
    let files = 0;
    let timezone: string | null = null;
    let fault: LabForm | null = null;
    const settle = (form: LabForm): void => {
      request.unpipe(parser);
      // What is still coming is let in and dropped, so that the sender hears the answer.
      request.resume();
      resolve(form);
    };
    parser.on('file', (name, stream) => {
      files += 1;
      if (name !== 'file' || files > 1) fault ??= wrong(400, 'one file is expected, in the field file');
      stream.on('data', (part: Buffer) => {
        size += part.length;
        if (size > LAB_BYTES_MAX) fault = wrong(413, 'file is larger than 10 MB');
        else parts.push(part);
      });
      stream.on('error', () => settle(wrong(400, 'the multipart form is malformed')));
    });
    parser.on('field', (name, value) => {
      if (name !== 'timezone' || timezone !== null) fault ??= wrong(400, 'unknown or repeated form field');
      timezone = value;
    });
    parser.on('error', () => settle(wrong(400, 'the multipart form is malformed')));
    request.on('close', () => {
      if (!request.complete) settle(wrong(400, 'the request was cut short'));
    });
    parser.on('close', () => {
      if (fault !== null) settle(fault);
      else if (files === 0) settle(wrong(400, 'file is required'));
      else if (timezone === null) settle(wrong(400, 'timezone is required'));
      else settle({ kind: 'form', content: Buffer.concat(parts), timezone });
    });
    request.pipe(parser);
  });
}
