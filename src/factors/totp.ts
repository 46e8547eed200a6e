import type { Chance } from '../kernel/index.ts';

const STEP_MS = 30_000;
const SECRET_BYTES = 20;
/** As every authenticator app has it. https://www.rfc-editor.org/rfc/rfc6238 */
const FORM = { algorithm: 'SHA1', digits: 6, period: STEP_MS / 1_000 } as const;

export const CODE = /^\d{6}$/;

/** Loaded where it is used: a start does not wait for it. */
const load = () => import('otpauth');

export async function newTotpSecret(chance: Chance): Promise<string> {
  const { Secret } = await load();
  return new Secret({ buffer: new Uint8Array(chance(SECRET_BYTES)).buffer }).base32;
}

/** The step whose code this is, now or one before or after; null where it is none of them. */
export async function stepOfCode(secret: string, code: string, atMs: number): Promise<number | null> {
  if (!CODE.test(code)) return null;
  const { TOTP, Secret } = await load();
  const delta = new TOTP({ ...FORM, secret: Secret.fromBase32(secret) }).validate({
    token: code,
    timestamp: atMs,
    window: 1,
  });
  return delta === null ? null : Math.floor(atMs / STEP_MS) + delta;
}

/** What an app takes the secret from: an address, and the same as a picture. */
export async function showTotp(secret: string, name: string): Promise<{ readonly uri: string; readonly qr: string }> {
  const [{ TOTP, Secret }, { encodeQR }] = await Promise.all([load(), import('qr')]);
  const uri = new TOTP({ ...FORM, issuer: 'Chartgate', label: name, secret: Secret.fromBase32(secret) }).toString();
  const svg = encodeQR(uri, 'svg', { border: 2 });
  return { uri, qr: `data:image/svg+xml;base64,${Buffer.from(svg).toString('base64')}` };
}
