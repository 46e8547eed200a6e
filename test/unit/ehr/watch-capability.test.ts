import { expect, test } from '@jest/globals';
import type { Probed } from '../../../src/ehr/probe-ehr.ts';
import { watchCapability } from '../../../src/ehr/watch-capability.ts';
import { fail, fault, ok, type Result } from '../../../src/kernel/index.ts';
import { testClock } from '../../support/clock.ts';
import { collectLog } from '../../support/collect-log.ts';
import { eventually } from '../../support/eventually.ts';

const probed = (transaction: boolean): Probed => ({
  capability: {
    fhirVersion: '4.0.1',
    software: null,
    publisher: null,
    implementation: null,
    instantiates: [],
    implementationGuides: [],
    transaction,
    batch: true,
    types: {},
  },
  filters: {},
  readsInTransaction: false,
});

function aWatch(answers: readonly Result<Probed>[], more: { everyMs?: number; againMs?: number } = {}) {
  const clock = testClock();
  const log = collectLog();
  let asked = 0;
  const told: string[] = [];
  const onProbed = (result: Result<Probed>, by: string): void => void told.push(`${by} ${result.ok ? 'ok' : 'failed'}`);
  const probe = (): Promise<Result<Probed>> =>
    Promise.resolve(answers[Math.min(asked++, answers.length - 1)] ?? fail(fault('ehr.unreachable')));
  return {
    clock,
    log,
    told,
    asked: () => asked,
    watch: watchCapability({ probe, address: 'ehr.example:8443', clock, log, onProbed, ...more }),
  };
}

test('probes at start, and says what it found and when', async () => {
  const { watch, clock } = aWatch([ok(probed(true))]);
  expect(watch.state()).toEqual({ probed: null, probedAt: null, fault: null });
  watch.start();
  expect(await watch.settled()).toEqual({ probed: probed(true), probedAt: clock.now(), fault: null });
  watch.stop();
});

test('keeps the last good result when a later probe fails, and logs each change once', async () => {
  const down = fail(fault('ehr.unreachable'));
  const { watch, log } = aWatch([ok(probed(true)), down, down, ok(probed(true)), ok(probed(true)), ok(probed(false))]);
  for (let i = 0; i < 3; i += 1) await watch.refresh();
  expect(watch.state()).toMatchObject({ probed: probed(true), fault: { code: 'ehr.unreachable' } });
  for (let i = 0; i < 3; i += 1) await watch.refresh();
  expect(watch.state()).toMatchObject({ probed: probed(false), fault: null });
  expect(log.lines.map(({ event }) => event)).toEqual(['ehr.probed', 'ehr.probe-failed', 'ehr.probed', 'ehr.probed']);
  expect(log.lines[1]).toMatchObject({
    faultCode: 'ehr.unreachable',
    address: 'ehr.example:8443',
    setting: 'CHARTGATE_EHR_URL',
  });
  watch.stop();
});

test('who asks while a probe is under way gets that one', async () => {
  const { watch, asked } = aWatch([ok(probed(true))]);
  await Promise.all([watch.refresh(), watch.refresh()]);
  expect(asked()).toBe(1);
  watch.stop();
});

test('every probe is told of, with who asked for it', async () => {
  const { watch, told } = aWatch([ok(probed(true)), fail(fault('ehr.unreachable'))]);
  watch.start();
  await watch.settled();
  await watch.refresh('ann');
  watch.stop();
  expect(told).toEqual(['gateway ok', 'ann failed']);
});

test('looks again by itself, sooner after a failure, until it is stopped', async () => {
  const { watch, asked } = aWatch([fail(fault('ehr.unreachable')), ok(probed(true))], {
    everyMs: 3_600_000,
    againMs: 1,
  });
  watch.start();
  expect(
    await eventually(
      () => watch.state().probed,
      (one) => one !== null,
    ),
  ).toEqual(probed(true));
  watch.stop();
  expect(asked()).toBe(2);
});

test('a bug in a probe is a line, and the watch goes on', async () => {
  const log = collectLog();
  let asked = 0;
  const probe = (): Promise<Result<Probed>> => {
    asked += 1;
    return asked === 1 ? Promise.reject(new Error('a bug')) : Promise.resolve(ok(probed(true)));
  };
  const watch = watchCapability({
    probe,
    address: 'ehr.example:8443',
    clock: testClock(),
    log,
    onProbed: () => undefined,
    everyMs: 1,
    againMs: 1,
  });
  watch.start();
  await eventually(
    () => watch.state().probed,
    (one) => one !== null,
  );
  watch.stop();
  expect(log.lines[0]).toMatchObject({ level: 'error', event: 'ehr.probe-failed', error: { name: 'Error' } });
});
