import { randomBytes } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { secret } from '../../../src/kernel/index.ts';
import { makeCursors, type Continuation } from '../../../src/smart/seal-cursor.ts';
import { testClock } from '../../support/clock.ts';
import { aGrant } from '../../support/smart/start-smart.ts';

const KEY = secret(randomBytes(32).toString('base64'));
const OTHER_KEY = secret(randomBytes(32).toString('base64'));
const HALF_AN_HOUR = 30 * 60_000;
const grant = aGrant('patient/*.rs openid', { patient: 'a' });
const OF: Continuation = {
  kind: 'search-type',
  type: 'Observation',
  params: [['patient', 'a']],
  next: { path: 'Observation', query: [['_getpages', 'secret-page']] },
};
const refused = { ok: false, fault: { code: 'read.cursor' } };

function start(keys = [KEY]) {
  const clock = testClock();
  return { clock, cursors: makeCursors({ keys, chance: (bytes) => randomBytes(bytes), clock }) };
}

describe('a cursor', () => {
  test('leads on for half an hour, and not a millisecond longer', () => {
    const { clock, cursors } = start();
    const cursor = cursors.seal(OF, grant);
    expect(cursors.open(cursor, grant)).toEqual({ ok: true, value: OF });
    clock.advance(HALF_AN_HOUR);
    expect(cursors.open(cursor, grant)).toEqual({ ok: true, value: OF });
    clock.advance(1);
    expect(cursors.open(cursor, grant)).toMatchObject(refused);
    clock.advance(365 * 86_400_000);
    expect(cursors.open(cursor, grant)).toMatchObject(refused);
  });

  test('of later is good when one of before is not', () => {
    const { clock, cursors } = start();
    const before = cursors.seal(OF, grant);
    clock.advance(HALF_AN_HOUR);
    const later = cursors.seal(OF, grant);
    clock.advance(HALF_AN_HOUR);
    expect([cursors.open(before, grant).ok, cursors.open(later, grant).ok]).toEqual([false, true]);
  });

  test('is good for a token of the same grant, in whatever order its scopes stand', () => {
    const { cursors } = start();
    const both = aGrant('patient/Observation.rs patient/Patient.r', { patient: 'a' });
    const cursor = cursors.seal(OF, both);
    const refreshed = aGrant('patient/Patient.r patient/Observation.rs', { patient: 'a', tokenId: 'tok-2' });
    expect(cursors.open(cursor, refreshed).ok).toBe(true);
  });

  test.each([
    ['issuer', { ...grant, issuer: 'https://other.example' }],
    ['user', { ...grant, subject: 'user-2' }],
    ['app', { ...grant, clientId: 'app-2' }],
    ['patient', { ...grant, patient: 'b' }],
    ['patient in no context', { ...grant, patient: null }],
    ['scope', aGrant('patient/Observation.rs', { patient: 'a' })],
    ['more scopes', aGrant('patient/*.rs user/*.rs', { patient: 'a' })],
  ])('is good for no other %s', (_, other) => {
    const { cursors } = start();
    expect(cursors.open(cursors.seal(OF, grant), other)).toMatchObject(refused);
  });

  test('that was changed anywhere, cut or made longer is none', () => {
    const { cursors } = start();
    const cursor = cursors.seal(OF, grant);
    const bytes = Buffer.from(cursor, 'base64url');
    for (let at = 0; at < bytes.length; at += 1) {
      const changed = Buffer.from(bytes);
      changed[at] = (changed[at] ?? 0) ^ 1;
      expect(cursors.open(changed.toString('base64url'), grant)).toMatchObject(refused);
    }
    for (const odd of [
      '',
      'x',
      cursor.slice(0, -4),
      `${cursor}AAAA`,
      `${cursor}!!!!`,
      `${cursor}=`,
      ` ${cursor}`,
      'A'.repeat(20_000),
    ])
      expect(cursors.open(odd, grant)).toMatchObject(refused);
  });

  test('opens under an older key of the ring, and not under another', () => {
    const cursor = start([OTHER_KEY]).cursors.seal(OF, grant);
    expect(start([KEY, OTHER_KEY]).cursors.open(cursor, grant).ok).toBe(true);
    expect(start([KEY]).cursors.open(cursor, grant)).toMatchObject(refused);
  });

  test('shows nothing of where it leads, and is another each time', () => {
    const { cursors } = start();
    const cursor = cursors.seal(OF, grant);
    expect(Buffer.from(cursor, 'base64url').toString('latin1')).not.toContain('secret-page');
    expect(cursors.seal(OF, grant)).not.toBe(cursor);
  });
});
