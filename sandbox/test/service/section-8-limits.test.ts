import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { admitProfileRequest } from '../../service/count-profile-requests.ts';
import { authorizerPath, freshService, JPEG, labParts, PDF, PNG, USER } from './support.ts';

const { activate, ask, bind, lab, profile, service, signed } = freshService();
const HOUR = 3_600_000;

describe('section 8, user profile requests', () => {
  const many = async (n: number): Promise<number[]> => {
    const statuses: number[] = [];
    for (let i = 0; i < n; i += 1) statuses.push((await profile()).status);
    return statuses;
  };
  const limits = ({ headers }: Awaited<ReturnType<typeof profile>>) =>
    [
      'x-ratelimit-limit-hour',
      'x-ratelimit-remaining-hour',
      'x-ratelimit-limit-day',
      'x-ratelimit-remaining-day',
      'retry-after',
    ].map((name) => headers[name]);

  test('3 an hour, per user and client', async () => {
    activate('user_health_profile');
    expect(await many(4)).toEqual([202, 202, 202, 429]);
    expect((await profile({ user_id: 'user-2' })).status).toBe(202);
    const other = service().putClient({ uuid: 'client-2', addOns: { user_health_profile: true } });
    expect((await profile({ user_id: USER }, signed('password', other.uuid))).status).toBe(202);
  });
  test('the five headers of a 429, Retry-After pointing to the end of the hour', async () => {
    activate('user_health_profile');
    await many(3);
    service().clock.advance(HOUR / 4);
    expect(limits(await profile())).toEqual(['3', '0', '30', '27', '2700']);
    service().clock.advance((3 * HOUR) / 4 - 1);
    expect((await profile()).status).toBe(429);
    service().clock.advance(1);
    expect((await profile()).status).toBe(202);
  });
  test('30 in 24 hours from the first request, not by the calendar', async () => {
    activate('user_health_profile');
    for (let hour = 0; hour < 10; hour += 1) {
      expect(await many(3)).toEqual([202, 202, 202]);
      service().clock.advance(HOUR);
    }
    expect(limits(await profile())).toEqual(['3', '3', '30', '0', String(14 * 3600)]);
    service().clock.advance(14 * HOUR - 1);
    expect((await profile()).status).toBe(429);
    service().clock.advance(1);
    expect((await profile()).status).toBe(202);
  });
  test('no such headers while there is room', async () => {
    activate('user_health_profile');
    expect(limits(await profile())).toEqual([undefined, undefined, undefined, undefined, undefined]);
  });
  test('Retry-After is in the time of the caller when simulated time runs faster', async () => {
    activate('user_health_profile');
    service().clock.setSpeed(60);
    await many(3);
    expect((await profile()).headers['retry-after']).toBe('60');
  });
  test('whatever the order of requests, no hour holds more than 3 and no window more than 30', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: HOUR }), { maxLength: 120 }), (gaps) => {
        let nowMs = 0;
        let count: Parameters<typeof admitProfileRequest>[0];
        for (const gap of gaps) {
          nowMs += gap;
          const admission = admitProfileRequest(count, nowMs);
          if (admission.admitted) {
            count = admission.count;
            expect(count.hour).toBeLessThanOrEqual(3);
            expect(count.day).toBeLessThanOrEqual(30);
          } else {
            expect(admission.waitMs).toBeGreaterThan(0);
            expect(admitProfileRequest(count, nowMs + admission.waitMs).admitted).toBe(true);
          }
        }
      }),
    );
  });
});

describe('section 8, lengths', () => {
  test.each([
    [1, 200],
    [50, 200],
    [51, 400],
    [0, 400],
  ])('a user_id of %i characters is %i at the authorizer', async (length, status) => {
    for (const letter of ['x', 'é', '😀'])
      expect((await ask('GET', authorizerPath(letter.repeat(length)), { headers: signed('secretKey') })).status).toBe(
        status,
      );
  });
  test.each([
    [3, 400],
    [4, 200],
    [5, 200],
    [6, 200],
    [7, 400],
  ])('a salt of %i characters is %i', async (length, status) => {
    const body = { user_id: USER, metadata: { client_name: 'c' }, salt: 's'.repeat(length) };
    expect((await bind(body)).status).toBe(status);
  });
});

describe('section 8, laboratory files', () => {
  test.each([
    [10 * 1024 * 1024, 200],
    [10 * 1024 * 1024 + 1, 413],
  ])('%i bytes are %i', async (size, status) => {
    activate('lab_data');
    expect((await lab(labParts(Buffer.concat([PDF, Buffer.alloc(size - PDF.length)])))).status).toBe(status);
  });
  test.each([
    ['PDF', PDF, 200],
    ['JPEG', JPEG, 200],
    ['PNG', PNG, 200],
    ['GIF', Buffer.from('GIF89a'), 400],
    ['TIFF', Buffer.from('II*\u0000'), 400],
    ['text', Buffer.from('a report'), 400],
    ['HTML that calls itself a PDF further down', Buffer.from('<html>%PDF-1.4'), 400],
  ])('%s is %s', async (_kind, file, status) => {
    activate('lab_data');
    expect((await lab(labParts(file))).status).toBe(status);
  });
});
