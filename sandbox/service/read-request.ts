import { readBody } from '../../src/kernel/index.ts';
import { refuse, type Asked, type Reply } from './reply.ts';

const JSON_BYTES_MAX = 64 * 1024;

/** The body as text, or the refusal of it. */
export async function readText(asked: Asked, bytesMax: number = JSON_BYTES_MAX): Promise<string | Reply> {
  const body = await readBody(asked.request, bytesMax);
  if (body.ok) return body.value.toString('utf8');
  return body.fault.code === 'http.too-large'
    ? refuse(asked, 413, 'request body is too large')
    : refuse(asked, 400, 'request body was cut short');
}

export type Parsed = { readonly value: unknown } | Reply;

/** Any JSON value. */
export async function readJson(asked: Asked): Promise<Parsed> {
  const text = await readText(asked);
  if (typeof text !== 'string') return text;
  try {
    return { value: JSON.parse(text) as unknown };
  } catch {
    return refuse(asked, 400, 'request body is not valid JSON');
  }
}

/** 1 to 50 characters; counted by code point, not as UTF-16 does. */
export const isUserId = (text: string): boolean => /^[^\p{Cc}]{1,50}$/u.test(text);

export const isWebAddress = (text: string): boolean => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
