import { expect, test } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { newTotpSecret, showTotp, stepOfCode } from '../../../src/factors/totp.ts';

/** "12345678901234567890" in base32, the secret of RFC 6238, appendix B; the last six digits of its codes. */
const SECRET = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ';

test.each([
  [59, '287082'],
  [1_111_111_109, '081804'],
  [1_111_111_111, '050471'],
  [1_234_567_890, '005924'],
  [2_000_000_000, '279037'],
  [20_000_000_000, '353130'],
])('at %i s the code of RFC 6238 is %s', async (seconds, code) => {
  expect(await stepOfCode(SECRET, code, seconds * 1_000)).toBe(Math.floor(seconds / 30));
});

test('a code is good one step before and after its own, and no further', async () => {
  const steps = [];
  for (const offset of [-60, -30, 0, 30, 60])
    steps.push(await stepOfCode(SECRET, '005924', (1_234_567_890 + offset) * 1_000));
  expect(steps).toEqual([null, 41_152_263, 41_152_263, 41_152_263, null]);
});

test.each(['', '12345', '1234567', 'abcdef', '00592４'])('%j is no code', async (code) => {
  expect(await stepOfCode(SECRET, code, 1_234_567_890_000)).toBeNull();
});

test('a secret has 160 bits, and is shown as an address and a picture', async () => {
  const secret = await newTotpSecret(randomBytes);
  expect(secret).toMatch(/^[A-Z2-7]{32}$/);
  expect(await newTotpSecret(randomBytes)).not.toBe(secret);
  const { uri, qr } = await showTotp(secret, 'ada@ward');
  expect(new URL(uri).searchParams.get('secret')).toBe(secret);
  expect(Buffer.from(qr.replace('data:image/svg+xml;base64,', ''), 'base64').toString()).toMatch(/^<svg[^]*<\/svg>$/);
});
