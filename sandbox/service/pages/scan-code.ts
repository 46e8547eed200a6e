import busboy from 'busboy';
import { decode } from 'fast-png';
import { decodeQR } from 'qr/decode.js';
import type { Asked } from '../reply.ts';

const PICTURE_BYTES_MAX = 2 * 1024 * 1024;
const SIDE_MAX = 4_096;

/** What a QR code in a PNG says; null where there is none that can be read. */
export function readQrCode(picture: Uint8Array): string | null {
  try {
    const { width, height, data, channels, depth } = decode(picture);
    if (width > SIDE_MAX || height > SIDE_MAX || depth !== 8) return null;
    const pixels = new Uint8Array(width * height * 3);
    for (let i = 0; i < width * height; i += 1)
      for (let c = 0; c < 3; c += 1) pixels[i * 3 + c] = data[i * channels + (channels < 3 ? 0 : c)] ?? 0;
    return decodeQR({ width, height, data: pixels });
  } catch {
    return null;
  }
}

/** The picture of a form, or null. */
export function readPicture({ request }: Asked): Promise<Buffer | null> {
  return new Promise((resolve) => {
    let parser: busboy.Busboy;
    try {
      parser = busboy({ headers: request.headers, limits: { fileSize: PICTURE_BYTES_MAX, files: 1, fields: 0 } });
    } catch {
      resolve(null);
      return;
    }
    const parts: Buffer[] = [];
    parser.on('file', (_name, stream) => stream.on('data', (part: Buffer) => parts.push(part)));
    parser.on('error', () => resolve(null));
    request.on('close', () => resolve(null));
    parser.on('close', () => resolve(parts.length === 0 ? null : Buffer.concat(parts)));
    request.pipe(parser);
  });
}
