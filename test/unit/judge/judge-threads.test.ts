import { expect, test } from '@jest/globals';
import { finishTranslation } from '../../../src/content/index.ts';
import { makeJudge, makePretranslations, makeTranslationContextHolder } from '../../../src/judge/index.ts';
import { makeBudget } from '../../../src/kernel/index.ts';
import { parsePayload } from '../../../src/payloads/index.ts';
import {
  aClinicalReady,
  aLabResult,
  anAlertEvent,
  aNotification,
  aStepsEvent,
  aUserProfile,
  type Json,
} from '../../support/payloads/index.ts';
import { TRANSLATION_SETTINGS } from '../../support/translation-settings.ts';

const PATIENT = { mrnSystem: 'urn:mrn', mrn: '1' };
const bytes = (payload: unknown): Uint8Array => new TextEncoder().encode(JSON.stringify(payload));
const deliveryOf = (id: string) => ({ id, receivedAt: new Date('2026-11-16T00:00:00Z') });

function judgeWith(threads: number, bodyBytesMax = 5 * 1024 * 1024) {
  const holders = { now: makeTranslationContextHolder(TRANSLATION_SETTINGS) };
  const held = makePretranslations(makeBudget(Infinity));
  const { judge, pretranslate } = makeJudge({
    current: () => holders.now.current(),
    held,
    bodyBytesMax,
    contentKey: 'k',
    threads,
  });
  return { judge, pretranslate, held, holders };
}

/** What the judgement said, and what it left for whoever sends, in one text each. */
async function judgedBy(threads: number, payloads: readonly (readonly ['data' | 'notification', Json])[]) {
  const { judge, held } = judgeWith(threads);
  const parsed = parsePayload(aClinicalReady(), TRANSLATION_SETTINGS.payloads);
  if (!parsed.ok) throw new Error('the payload is not one');
  held.learn(parsed.value, PATIENT);
  const all = payloads.map(async ([hook, payload], i) => {
    const judgement = await judge(hook, bytes(payload), deliveryOf(`dlv_${i}`));
    const kept = held.take(`dlv_${i}`);
    return {
      judgement,
      patient: kept?.patient ?? null,
      saidAt: kept?.saidAt ?? null,
      translation: kept === null ? null : JSON.stringify(finishTranslation(kept.translation, 'k')),
    };
  });
  return Promise.all(all);
}

test('judging in threads comes to the same as judging here', async () => {
  const payloads: (readonly ['data' | 'notification', Json])[] = [
    ['data', aClinicalReady()],
    ['data', aLabResult()],
    ['data', anAlertEvent()],
    ['data', aStepsEvent()],
    ['data', aUserProfile()],
    ['data', { data_structure: 'nobody_knows' }],
    ['notification', aNotification()],
    ['notification', { no: 'notification' }],
  ];
  const here = await judgedBy(0, payloads);
  expect(await judgedBy(2, payloads)).toEqual(here);
  expect(here.filter(({ translation }) => translation !== null)).toHaveLength(5);
});

test('mapping data that were loaded anew are judged with, and what was learnt is known to a thread', async () => {
  const { judge, held, holders } = judgeWith(1);
  const parsed = parsePayload(aClinicalReady(), TRANSLATION_SETTINGS.payloads);
  if (!parsed.ok) throw new Error('the payload is not one');
  const keptAs = async (id: string) => {
    await judge('data', bytes(aClinicalReady()), deliveryOf(id));
    return held.take(id)?.translationContext ?? null;
  };
  expect(await keptAs('dlv_1')).toBeNull();
  held.learn(parsed.value, PATIENT);
  expect(await keptAs('dlv_2')).toBe(holders.now.current().translationContext);
  holders.now = makeTranslationContextHolder(TRANSLATION_SETTINGS);
  expect(await keptAs('dlv_3')).toBe(holders.now.current().translationContext);
});

test('a thread that was not asked while many were learnt knows them all', async () => {
  const { judge, held } = judgeWith(1);
  const payloadOf = (user: number) =>
    aClinicalReady({ userId: `00000000-0000-4000-8000-${String(user).padStart(12, '0')}` });
  const learn = (user: number): void => {
    const parsed = parsePayload(payloadOf(user), TRANSLATION_SETTINGS.payloads);
    if (!parsed.ok) throw new Error('the payload is not one');
    held.learn(parsed.value, PATIENT);
  };
  const isKnown = async (user: number): Promise<boolean> => {
    await judge('data', bytes(payloadOf(user)), deliveryOf(`dlv_${user}`));
    return held.take(`dlv_${user}`) !== null;
  };
  expect(await isKnown(0)).toBe(false);
  for (let user = 0; user < 1_200; user += 1) learn(user);
  expect(await isKnown(0)).toBe(true);
  for (let user = 1_200; user < 1_300; user += 1) learn(user);
  expect([await isKnown(600), await isKnown(1_299)]).toEqual([true, true]);
});

test('a delivery of which a thread dies fails alone', async () => {
  // The heap of a thread is sized by the largest body that is taken; this one is far beyond it.
  const { judge } = judgeWith(1, 1024);
  const deadly = new TextEncoder().encode(`[${'1.10,'.repeat(1_900_000)}0]`);
  const good = (id: string) => Promise.resolve(judge('data', bytes(aClinicalReady()), deliveryOf(id)));
  await good('dlv_0');
  const [before, died, after] = await Promise.allSettled([
    good('dlv_1'),
    Promise.resolve(judge('data', deadly, deliveryOf('dlv_2'))),
    good('dlv_3'),
  ]);
  expect([before.status, died.status, after.status]).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  expect((await good('dlv_4')).verdict.kind).toBe('sound');
});

test('what waits in a lane is translated in a thread for the patient of the lane, whoever was seen last', async () => {
  const { judge, pretranslate, held, holders } = judgeWith(1);
  const { translationContext } = holders.now.current();
  const parsed = parsePayload(aClinicalReady(), TRANSLATION_SETTINGS.payloads);
  if (!parsed.ok) throw new Error('the payload is not one');
  held.learn(parsed.value, { mrnSystem: 'urn:mrn', mrn: 'another' });
  const made = await pretranslate(bytes(aClinicalReady()), deliveryOf('dlv_1'), PATIENT);
  expect(made).toMatchObject({ patient: PATIENT, translationContext });
  expect(held.take('dlv_1')).toBeNull();
  // The patient of the lane was the last that was seen.
  await judge('data', bytes(aClinicalReady()), deliveryOf('dlv_1'));
  const judged = held.take('dlv_1');
  const textOf = (one: typeof made): string | null =>
    one === null ? null : JSON.stringify(finishTranslation(one.translation, 'k'));
  expect(textOf(made)).toEqual(textOf(judged));
  expect(judged?.patient).toEqual(PATIENT);
});

test('what cannot be sent, and what is small where no thread judges, is left to whoever carries it out', async () => {
  const withThread = judgeWith(1);
  const unknown = { ...aClinicalReady(), data_structure: 'nobody_knows' };
  expect(await withThread.pretranslate(bytes(unknown), deliveryOf('dlv_1'), PATIENT)).toBeNull();
  const without = judgeWith(0);
  expect(await without.pretranslate(bytes(aClinicalReady()), deliveryOf('dlv_1'), PATIENT)).toBeNull();
});
