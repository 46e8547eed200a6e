import { expect, test } from '@jest/globals';
import type { Verdict } from '../../../src/ehr/classify-answer.ts';
import { guardTarget, readSigns, type Permit, type TargetGuard } from '../../../src/ehr/guard-target.ts';
import { fault, type FaultCode } from '../../../src/kernel/index.ts';
import { testClock } from '../../support/clock.ts';
import { collectLog } from '../../support/collect-log.ts';

const later = (code: FaultCode, afterMs: number | null = null): Verdict => ({
  kind: 'retry-later',
  afterMs,
  patience: 'long',
  effect: 'none',
  fault: fault(code),
});
const AUTH: Verdict = { kind: 'auth', fault: fault('ehr.unauthorized') };
const OK: Verdict = { kind: 'ok' };

function aGuard() {
  const clock = testClock();
  const log = collectLog();
  return { clock, log, guard: guardTarget({ clock, log }) };
}

function enter(guard: TargetGuard): Permit {
  const entry = guard.tryEnter('write');
  if (entry.kind !== 'permit') throw new Error('not let in');
  return entry;
}

test('four may be under way at the start, the fifth waits, and goes when one is back', () => {
  const { guard } = aGuard();
  const permits = [1, 2, 3, 4].map(() => enter(guard));
  expect(guard.tryEnter('write')).toMatchObject({ kind: 'wait', because: 'full' });
  permits[0]?.settle(OK);
  expect(guard.tryEnter('write').kind).toBe('permit');
});

test('who waits for room is let in when there is some, first come first served', async () => {
  const { guard } = aGuard();
  const permits = [1, 2, 3, 4].map(() => enter(guard));
  const order: string[] = [];
  const waiting = ['first', 'second'].map(async (name) => {
    const entry = await guard.enter('write');
    order.push(`${name} ${entry.kind}`);
  });
  permits[0]?.settle(OK);
  expect(guard.state().inFlight).toBe(4);
  permits[1]?.settle(OK);
  await Promise.all(waiting);
  expect(order).toEqual(['first permit', 'second permit']);
  expect(guard.tryEnter('write')).toMatchObject({ because: 'full' });
});

test('who waits for room is told when the breaker opens', async () => {
  const { guard } = aGuard();
  const permits = [1, 2, 3, 4].map(() => enter(guard));
  const waiting = guard.enter('write');
  permits[0]?.settle(AUTH);
  expect(await waiting).toMatchObject({ kind: 'wait', because: 'paused' });
});

test('who wants no more while waiting takes no room', async () => {
  const { guard } = aGuard();
  const permits = [1, 2, 3, 4].map(() => enter(guard));
  const abort = new AbortController();
  const waiting = guard.enter('write', abort.signal);
  abort.abort();
  expect(await waiting).toMatchObject({ kind: 'wait', because: 'full' });
  expect(await guard.enter('write', abort.signal)).toMatchObject({ kind: 'wait', because: 'full' });
  for (const permit of permits) permit.settle(OK);
  expect(guard.state().inFlight).toBe(0);
});

test('a permit counts once, however often it is given back', () => {
  const { guard } = aGuard();
  const permit = enter(guard);
  permit.settle(OK);
  permit.settle(later('ehr.busy'));
  expect(guard.state()).toMatchObject({ inFlight: 0, limit: 4 });
});

test('an EHR that is down is left alone after five tries, probed once, and used again when it is back; each change is one line', () => {
  const { guard, clock, log } = aGuard();
  for (let i = 0; i < 5; i += 1) enter(guard).settle(later('ehr.unreachable'));
  expect(guard.tryEnter('write')).toMatchObject({
    kind: 'wait',
    because: 'paused',
    waitMs: 5_000,
    fault: { code: 'ehr.paused' },
  });
  expect(guard.state()).toMatchObject({ breaker: 'open', openForMs: 5_000 });
  clock.advance(5_000);
  const probe = enter(guard);
  expect(guard.tryEnter('write')).toMatchObject({ kind: 'wait', because: 'paused' });
  probe.settle(later('ehr.unreachable'));
  expect(guard.tryEnter('write')).toMatchObject({ waitMs: 10_000 });
  clock.advance(10_000);
  enter(guard).settle(OK);
  expect(guard.state().breaker).toBe('closed');
  expect(log.lines).toEqual([
    { level: 'error', event: 'ehr.breaker-opened', faultCode: 'ehr.unreachable' },
    { level: 'info', event: 'ehr.breaker-closed' },
  ]);
});

test('an EHR that refuses our credentials is left alone at once', () => {
  const { guard } = aGuard();
  enter(guard).settle(AUTH);
  expect(guard.tryEnter('write')).toMatchObject({ kind: 'wait', because: 'paused', waitMs: 60_000 });
});

test('a probe without room does not keep the breaker half-open', () => {
  const { guard, clock } = aGuard();
  const slow = [1, 2, 3].map(() => enter(guard));
  for (let i = 0; i < 4; i += 1) enter(guard).settle(later('ehr.unreachable'));
  enter(guard).settle(later('ehr.busy'));
  clock.advance(60_000);
  expect(guard.state()).toMatchObject({ inFlight: 3, limit: 2, breaker: 'open' });
  expect(guard.tryEnter('write')).toMatchObject({ because: 'full' });
  for (const permit of slow) permit.settle(OK);
  expect(guard.tryEnter('write').kind).toBe('permit');
});

test.each<[string, Verdict, string, string]>([
  ['a good answer', OK, 'good', 'good'],
  ['a refusal of one request', { kind: 'rejected', fault: fault('ehr.rejected') }, 'good', 'good'],
  ['a conflict', { kind: 'conflict', because: 'version', fault: fault('ehr.conflict') }, 'good', 'good'],
  ['several', { kind: 'several', fault: fault('ehr.several') }, 'good', 'good'],
  ['nothing there', { kind: 'absent', fault: fault('ehr.not-found') }, 'good', 'good'],
  ['gone', { kind: 'gone', fault: fault('ehr.gone') }, 'good', 'good'],
  ['too large', { kind: 'too-large', fault: fault('ehr.too-large') }, 'good', 'good'],
  ['429 or 503', later('ehr.busy'), 'bad', 'overload'],
  ['a timeout of a read', later('ehr.timeout'), 'bad', 'overload'],
  ['a timeout of a write', { kind: 'ambiguous', fault: fault('ehr.timeout') }, 'bad', 'overload'],
  ['a connection that broke', { kind: 'ambiguous', fault: fault('ehr.cut') }, 'bad', 'neutral'],
  ['no connection', later('ehr.unreachable'), 'bad', 'neutral'],
  ['500', later('ehr.failed'), 'bad', 'neutral'],
  ['401', AUTH, 'denied', 'neutral'],
  ['a redirect', { kind: 'misconfigured', fault: fault('ehr.redirected') }, 'denied', 'neutral'],
  ['a caller that gave up', { kind: 'abandoned', effect: 'none', fault: fault('ehr.abandoned') }, 'nothing', 'neutral'],
])('%s is %s for the breaker and %s for the load', (_what, verdict, outcome, load) => {
  expect(readSigns(verdict)).toMatchObject({ outcome: { kind: outcome }, load });
});
