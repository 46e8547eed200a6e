import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Switches } from '../../../sandbox/index.ts';
import type { DeliveryViolation } from '../../support/check-delivery.ts';
import { PLACES } from '../../support/new-store.ts';
import { aClinicalReady } from '../../support/payloads/index.ts';
import { runCases, startRig, type Rig, type Shown } from './rig.ts';

interface Case {
  readonly name: string;
  readonly fault: Switches;
  /** Where the first document comes to rest. */
  readonly ends?: readonly [state: string, reason: string | null];
  /** Nothing but a person or a new start makes the gateway ask again soon. */
  readonly restart?: boolean;
  /** Half a minute until the gateway gives up, or an answer that a single write may have: the first write only. */
  readonly isFirstOnly?: boolean;
}

const REJECTED = ['parked', 'rejected'] as const;
/**
 * reliability.md F4, as far as the demo EHR can play it. Each for the first write, then for an update, then for a
 * retraction.
 */
const CASES: readonly Case[] = [
  { name: 'hang before the head', fault: { hang: 'before-head' }, isFirstOnly: true },
  { name: 'hang after the head', fault: { hang: 'after-head' }, isFirstOnly: true },
  { name: '500', fault: { status: 500 } },
  { name: '502 in HTML', fault: { status: 502, body: 'html' } },
  { name: '503', fault: { status: 503 } },
  { name: '504 and nothing more', fault: { status: 504, body: 'empty' } },
  { name: '429', fault: { status: 429 } },
  { name: '429 with Retry-After', fault: { status: 429, retryAfter: '2' } },
  { name: '401', fault: { status: 401 }, restart: true },
  { name: '403', fault: { status: 403 }, ends: REJECTED },
  { name: '404', fault: { status: 404 } },
  { name: '409', fault: { status: 409 } },
  { name: '412', fault: { status: 412 } },
  { name: '413', fault: { status: 413 } },
  { name: '422', fault: { status: 422 }, ends: REJECTED },
  { name: 'dropped before it was done', fault: { drop: 'before-commit' } },
  { name: 'dropped after it was done', fault: { drop: 'after-commit' } },
  { name: 'half an answer', fault: { truncate: 0.5 } },
  { name: 'a byte at a time', fault: { dripMs: 1 } },
  { name: 'another content type', fault: { contentType: 'text/plain' } },
  { name: 'HTML and 200', fault: { status: 200, body: 'html' } },
  { name: 'nothing and 200', fault: { status: 200, body: 'empty' }, isFirstOnly: true },
  { name: 'an entry that fails', fault: { failEntries: [1] }, ends: REJECTED },
  {
    name: 'silently a batch, with an entry that fails',
    fault: { silentBatch: true, failEntries: [1] },
    ends: REJECTED,
  },
  { name: 'silently a batch', fault: { silentBatch: true } },
  { name: '307', fault: { redirect: 'http://127.0.0.1:9/fhir' }, restart: true },
  { name: 'a huge answer', fault: { padBytes: 50_000_000 } },
];
const AT_ONCE = 7;
/** The fault costs one, and a connection that grew old while the machine stood still another one. */
const ATTEMPTS_MAX = 3;

interface Done {
  readonly first: readonly [string, string | null];
  readonly second: readonly [string, string | null] | null;
  readonly violations: readonly DeliveryViolation[];
  /** Of the first document, until it came to rest. */
  readonly steps: Shown['steps'];
}

/** Both engines at once: most of the time is waiting. */
const playing = new Map<string, Promise<Map<Case, Done | Error>>>();
const rigs = new Set<Rig>();

async function play(one: Case, rig: Rig): Promise<Done> {
  const userId = `user-${CASES.indexOf(one)}`;
  const { board } = rig.ehr;
  await rig.enrol(userId);
  // The patient is known from here on, so that the first POST is the one that writes.
  await rig.deliver(
    aClinicalReady({ userId, day: '2026-11-01', bundleId: 'c0ffee00-0000-4000-8000-00000000000a', observations: 1 }),
  );
  board.setRules([{ method: 'POST', times: 1, ...one.fault }]);
  const id = await rig.send(aClinicalReady({ userId, observations: 8 }));
  if (one.restart === true) {
    await rig.until(id, ({ steps }) => steps.some(({ to }) => to === 'sending') && steps.at(-1)?.to === 'queued');
    await rig.restart();
  }
  let first = await rig.resting(id, 100_000);
  const ended = [first.state, first.reason] as const;
  const { steps } = first;
  board.setRules([]);
  if (first.state === 'parked') {
    await rig.admin('POST', `deliveries/${id}/replay`);
    await rig.until(id, ({ state }) => state !== 'parked', 3_000);
    first = await rig.resting(id);
  }
  let second: Done['second'] = null;
  if (one.isFirstOnly !== true) {
    const { times: _times, ...fault } = { times: 1, ...one.fault };
    board.setRules([
      { method: 'POST', times: 1, ...fault },
      { method: 'PUT', times: 1, ...fault },
    ]);
    const next = await rig.send(
      aClinicalReady({ userId, documentVersion: 2, observations: 7, values: { weight: 70 } }),
    );
    if (one.restart === true) {
      for (const _time of [1, 2]) {
        await rig.until(
          next,
          ({ state, steps }) => state === 'queued' && steps.some(({ to }) => to === 'sending'),
          5_000,
        );
        await rig.restart();
        await rig.until(next, ({ state }) => state === 'delivered', 3_500);
      }
    }
    let shown = await rig.resting(next);
    board.setRules([]);
    for (let i = 0; i < 2 && shown.state === 'parked'; i += 1) {
      await rig.admin('POST', `deliveries/${next}/replay`);
      await rig.until(next, ({ state }) => state !== 'parked', 3_000);
      shown = await rig.resting(next);
    }
    second = [shown.state, shown.reason];
  }
  board.setRules([]);
  return { first: ended, second, violations: await rig.check(), steps };
}

function playAll(makePlace: (typeof PLACES)[number][1]): Promise<Map<Case, Done | Error>> {
  const idle: Rig[] = [];
  return runCases(CASES, AT_ONCE, async (one) => {
    const rig = idle.pop() ?? (await startRig(makePlace));
    rigs.add(rig);
    const result = await play(one, rig);
    idle.push(rig);
    return result;
  });
}

beforeAll(() => {
  for (const [name, makePlace] of PLACES) playing.set(name, playAll(makePlace));
});
afterAll(async () => {
  await Promise.all(playing.values());
  await Promise.all([...rigs].map((rig) => rig.stop()));
}, 30_000);

describe.each(PLACES)('faults of the EHR, on %s', (name, _makePlace) => {
  let done: Map<Case, Done | Error>;
  beforeAll(async () => {
    done = (await playing.get(name)) ?? new Map<Case, Done | Error>();
  }, 150_000);

  test.each(CASES.map((one) => [one.name, one] as const))('%s: nothing lost, nothing doubled', (_case, one) => {
    const { first, second, violations, steps } = done.get(one) as Done;
    expect({ first, second, violations }).toEqual({
      first: one.ends ?? ['delivered', null],
      second: one.isFirstOnly === true ? null : ['delivered', null],
      violations: [],
    });
    const attempts = steps.filter(({ to }) => to === 'sending').length;
    if (attempts > ATTEMPTS_MAX) expect(steps).toBe(`at most ${ATTEMPTS_MAX} attempts`);
  });
});
