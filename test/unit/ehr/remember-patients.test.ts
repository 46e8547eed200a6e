import { expect, test } from '@jest/globals';
import { rememberPatients } from '../../../src/ehr/remember-patients.ts';
import type { AskedPatient, ResolvePatient } from '../../../src/ehr/resolve-patient.ts';
import { fail, fault, ok } from '../../../src/kernel/index.ts';
import { testClock } from '../../support/clock.ts';

const asked = (mrn: string): AskedPatient => ({ mrnSystem: 'urn:mrn', mrn, requestId: 'r' });

function aMemory(
  resolve: ResolvePatient = ({ mrn }) => Promise.resolve(ok({ reference: `Patient/${mrn}`, via: [] })),
  isChecked = false,
) {
  const clock = testClock();
  const calls: string[] = [];
  const resolvePatient: ResolvePatient = (one) => {
    calls.push(one.mrn);
    return resolve(one);
  };
  return {
    clock,
    calls,
    memory: rememberPatients({ resolvePatient, clock, entriesMax: 2, isChecked: () => isChecked }),
  };
}

test('a patient is asked for once a minute', async () => {
  const { memory, clock, calls } = aMemory();
  await memory.resolvePatient(asked('a'));
  clock.advance(59_999);
  expect(await memory.resolvePatient(asked('a'))).toEqual(ok({ reference: 'Patient/a', via: [], isRemembered: true }));
  expect(calls).toEqual(['a']);
  clock.advance(1);
  await memory.resolvePatient(asked('a'));
  expect(calls).toEqual(['a', 'a']);
});

test('where every write checks who it is, a patient is asked for once an hour', async () => {
  const { memory, clock, calls } = aMemory(undefined, true);
  expect(await memory.resolvePatient(asked('a'))).toEqual(ok({ reference: 'Patient/a', via: [] }));
  clock.advance(3_599_999);
  expect(memory.remembered(asked('a'))).toBe('Patient/a');
  clock.advance(1);
  expect(memory.remembered(asked('a'))).toBeNull();
  await memory.resolvePatient(asked('a'));
  expect(calls).toEqual(['a', 'a']);
});

test('a failure is not remembered', async () => {
  const { memory, calls } = aMemory(() => Promise.resolve(fail(fault('patient.none'))));
  await memory.resolvePatient(asked('a'));
  await memory.resolvePatient(asked('a'));
  expect(calls).toEqual(['a', 'a']);
});

test('the oldest makes room', async () => {
  const { memory, calls } = aMemory();
  for (const mrn of ['a', 'b', 'c', 'b', 'c', 'a']) await memory.resolvePatient(asked(mrn));
  expect(calls).toEqual(['a', 'b', 'c', 'a']);
});

test('what is forgotten is asked for again, one or all', async () => {
  const { memory, calls } = aMemory();
  await memory.resolvePatient(asked('a'));
  await memory.resolvePatient(asked('b'));
  memory.forget(asked('a'));
  await memory.resolvePatient(asked('a'));
  await memory.resolvePatient(asked('b'));
  memory.forgetAll();
  await memory.resolvePatient(asked('b'));
  expect(calls).toEqual(['a', 'b', 'a', 'b']);
});

test('an answer that was under way when it was forgotten is not kept', async () => {
  let answer: () => void = () => undefined;
  const { memory, calls } = aMemory(
    () => new Promise((resolve) => (answer = () => resolve(ok({ reference: 'Patient/old', via: [] })))),
  );
  const first = memory.resolvePatient(asked('a'));
  memory.forget(asked('a'));
  answer();
  await first;
  void memory.resolvePatient(asked('a'));
  expect(calls).toEqual(['a', 'a']);
});
