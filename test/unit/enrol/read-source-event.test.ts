import { expect, test } from '@jest/globals';
import { readNews, readTime } from '../../../src/enrol/read-source-event.ts';

const told = (action: string, level: string | null = 'info', dataSource: string | null = 'RingWearable') =>
  ({ kind: 'notification', dataSource, action, level, message: 'm', at: null }) as const;

test.each([
  ['user_connected', 'info', 'connected', false],
  ['user_connected', 'warning', 'connected', true],
  ['data_source_disconnected', 'info', 'ended', false],
  ['access_revoked', null, 'ended', false],
  ['connection_failed', 'info', null, true],
  ['steps_fetch_error', 'error', null, true],
  ['quota', 'error', null, true],
])('%s at level %p', (action, level, state, isFailure) => {
  const news = readNews(told(action, level));
  expect([news?.state, news?.failure !== null]).toEqual([state, isFailure]);
});

test('what is about no data source, or says nothing of a connection, is no news', () => {
  expect(readNews(told('user_connected', 'info', null))).toBeNull();
  expect(readNews(told('user_connected', 'info', ''))).toBeNull();
  expect(readNews(told('user_created'))).toBeNull();
});

test('a time without an offset is UTC, and none is later than now', () => {
  const now = new Date('2026-01-02T03:04:05Z');
  expect(readTime('2026-01-02T03:00:00', now).toISOString()).toBe('2026-01-02T03:00:00.000Z');
  expect(readTime('2026-01-02T03:00:00+01:00', now).toISOString()).toBe('2026-01-02T02:00:00.000Z');
  for (const text of [null, 'soon', '2027-01-01T00:00:00']) expect(readTime(text, now)).toBe(now);
});
