import { dropBytes } from '../kernel/index.ts';
import { parseLossless } from '../r4/index.ts';
import type { AnswerBody, Answered, AnswerHeaders, EhrRequest } from './exchange.ts';

export type RawHeaders = Readonly<Record<string, string | string[] | undefined>>;

/** An answer as it came over the wire. */
export interface RawAnswer {
  readonly status: number;
  readonly headers: RawHeaders;
  readonly bytes: Uint8Array;
}

const JSON_TYPE = /^application\/(fhir\+)?json\s*(;|$)/i;

const one = (value: string | string[] | undefined): string | undefined => (Array.isArray(value) ? value[0] : value);

function allowed(headers: RawHeaders): AnswerHeaders {
  const etag = one(headers['etag']);
  const location = one(headers['location']);
  const lastModified = one(headers['last-modified']);
  const retryAfter = one(headers['retry-after']);
  return {
    ...(etag === undefined ? {} : { etag }),
    ...(location === undefined ? {} : { location }),
    ...(lastModified === undefined ? {} : { lastModified }),
    ...(retryAfter === undefined ? {} : { retryAfter }),
  };
}

type Take = EhrRequest['take'];

function readBody(headers: RawHeaders, bytes: Uint8Array, bytesMax: number, take: Take): AnswerBody {
  if (bytes.byteLength === 0) return { kind: 'empty' };
  // We ask for identity: what is small when packed could be anything when unpacked.
  const encoding = one(headers['content-encoding']) ?? '';
  if (encoding !== '' && encoding.toLowerCase() !== 'identity') return { kind: 'unreadable', because: 'encoding' };
  if (!JSON_TYPE.test(one(headers['content-type']) ?? '')) return { kind: 'unreadable', because: 'content-type' };
  const taken = bytes.byteLength <= bytesMax ? take?.(bytes) : null;
  if (taken !== undefined && taken !== null) {
    dropBytes(bytes);
    return { kind: 'taken', value: taken };
  }
  const parsed = parseLossless(bytes, { bytesMax });
  return parsed.ok ? { kind: 'json', value: parsed.value } : { kind: 'unreadable', because: 'syntax' };
}

/** Takes from an answer what may be taken. */
export function readAnswer({ status, headers, bytes }: RawAnswer, bytesMax: number, take?: Take): Answered {
  const body = readBody(headers, bytes, bytesMax, status === 200 ? take : undefined);
  return { kind: 'answered', status, headers: allowed(headers), body, bytes };
}
