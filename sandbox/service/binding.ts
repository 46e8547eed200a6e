import { createCipheriv, createDecipheriv, randomBytes, scryptSync } from 'node:crypto';
import { encode } from 'fast-png';
import { encodeQR } from 'qr';
import { isObject } from '../../src/kernel/index.ts';
import { authenticateClient } from './authenticate.ts';
import type { Kit } from './kit.ts';
import { isUserId, isWebAddress, readJson } from './read-request.ts';
import { isReply, json, oddParameter, refuse, type Handle } from './reply.ts';
import type { Binding } from './state.ts';

/** What the device learns once the salt has opened the binding. */
export interface BindingContent {
  readonly user: string;
  readonly clientName: string;
  readonly tycUrl: string | null;
  readonly supportUrl: string | null;
  readonly completeLogOut: boolean;
}

const NONCE = 12;
const TAG = 16;
const keyFor = (salt: string, reference: string): Buffer => scryptSync(salt, reference, 32, { N: 1024 });

export function sealBinding(content: BindingContent, salt: string, reference: string): string {
  const nonce = randomBytes(NONCE);
  const cipher = createCipheriv('aes-256-gcm', keyFor(salt, reference), nonce);
  return Buffer.concat([nonce, cipher.update(JSON.stringify(content)), cipher.final(), cipher.getAuthTag()]).toString(
    'base64',
  );
}

/** Null where the salt does not fit. */
export function openBinding({ sealed }: Binding, salt: string, reference: string): BindingContent | null {
  const bytes = Buffer.from(sealed, 'base64');
  const decipher = createDecipheriv('aes-256-gcm', keyFor(salt, reference), bytes.subarray(0, NONCE), {
    authTagLength: TAG,
  });
  decipher.setAuthTag(bytes.subarray(-TAG));
  try {
    const plain = Buffer.concat([decipher.update(bytes.subarray(NONCE, -TAG)), decipher.final()]);
    return JSON.parse(plain.toString('utf8')) as BindingContent;
  } catch {
    return null;
  }
}

const SCALE = 6;
const BORDER = 4;

/** A data URL of a PNG. */
export function drawQrCode(text: string): string {
  const modules = encodeQR(text, 'raw', { border: BORDER, ecc: 'medium' });
  const side = modules.length * SCALE;
  const data = new Uint8Array(side * side);
  for (let y = 0; y < side; y += 1)
    for (let x = 0; x < side; x += 1)
      data[y * side + x] = modules[Math.floor(y / SCALE)]?.[Math.floor(x / SCALE)] === true ? 0 : 255;
  const png = encode({ width: side, height: side, data, depth: 8, channels: 1 });
  return `data:image/png;base64,${Buffer.from(png).toString('base64')}`;
}

const isAddressOrNone = (value: unknown): value is string | null | undefined =>
  value === undefined || value === null || (typeof value === 'string' && isWebAddress(value));

type Read = { readonly content: BindingContent; readonly salt: string } | { readonly wrong: string };

function readBindingBody(value: unknown): Read {
  if (!isObject(value)) return { wrong: 'request body must be a JSON object' };
  const { user_id: user, metadata, salt, ...others } = value;
  if (Object.keys(others).length > 0) return { wrong: 'unknown field in the request body' };
  if (typeof user !== 'string' || !isUserId(user)) return { wrong: 'user_id must be a string of 1 to 50 characters' };
  if (typeof salt !== 'string' || !/^[^\p{Cc}]{4,6}$/u.test(salt))
    return { wrong: 'salt must be a string of 4 to 6 characters' };
  if (!isObject(metadata)) return { wrong: 'metadata must be an object' };
  const { client_name: name, tyc_url: tyc, support_url: support, complete_log_out: complete, ...more } = metadata;
  if (Object.keys(more).length > 0) return { wrong: 'unknown field in metadata' };
  if (typeof name !== 'string' || name.trim() === '') return { wrong: 'metadata.client_name is required' };
  if (!isAddressOrNone(tyc)) return { wrong: 'metadata.tyc_url must be a URL' };
  if (!isAddressOrNone(support)) return { wrong: 'metadata.support_url must be a URL' };
  if (complete !== undefined && complete !== null && typeof complete !== 'boolean')
    return { wrong: 'metadata.complete_log_out must be a boolean' };
  return {
    salt,
    content: {
      user,
      clientName: name,
      tycUrl: tyc ?? null,
      supportUrl: support ?? null,
      // Null is accepted and stored as false.
      completeLogOut: complete ?? false,
    },
  };
}

/** 4.7 */
export const makeBind =
  (kit: Kit): Handle =>
  async (asked) => {
    const client = authenticateClient(kit.state, asked, 'secretKey');
    if (isReply(client)) return client;
    const { 'content-type': type, 'user-agent': agent } = asked.request.headers;
    if (type !== 'application/json') return refuse(asked, 415, 'Content-Type must be exactly application/json');
    if (agent === undefined || agent === '') return refuse(asked, 400, 'User-Agent is required');
    if (oddParameter(asked.url, []) !== null) return refuse(asked, 400, 'unknown or repeated query parameter');
    const parsed = await readJson(asked);
    if (isReply(parsed)) return parsed;
    const read = readBindingBody(parsed.value);
    if ('wrong' in read) return refuse(asked, 400, read.wrong);
    const reference = kit.newUuid();
    kit.state.bindings.put(reference, {
      client: client.uuid,
      createdAt: kit.clock.now().getTime(),
      sealed: sealBinding(read.content, read.salt, reference),
    });
    const link = `${kit.base()}/app/bind/${reference}`;
    return json(200, { qr_code: drawQrCode(link), universal_link: link });
  };
