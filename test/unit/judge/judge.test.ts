import { expect, test } from '@jest/globals';
import { judge, type JudgePretranslated, type JudgeDeps } from '../../../src/judge/judge.ts';
import { makeTranslationContextHolder } from '../../../src/judge/index.ts';
import { loadValidators } from '../../../src/judge/validators.ts';
import { SHIPPED_FOLDER } from '../../../src/mappings/index.ts';
import { aClinicalReady, CLIENT } from '../../support/payloads/index.ts';

const { translationContext } = makeTranslationContextHolder({
  payloads: { clientUuid: CLIENT, documentKey: 'bundle-id', labPath: null },
  folder: SHIPPED_FOLDER,
  uris: null,
  dialect: 'default',
  snomed: 'off',
  environment: 'production',
  unmapped: 'park',
  labStatus: 'preliminary',
  sourceIdentifier: 'none',
  standardCodes: 'accept',
  timeAheadHours: 1,
}).current();
const validators = loadValidators();
const body = new TextEncoder().encode(JSON.stringify(aClinicalReady({ observations: 2 })));

function judged(outValidator: JudgeDeps['outValidator']) {
  const kept: string[] = [];
  const pretranslated: JudgePretranslated = {
    delivery: { id: 'dlv_1', receivedAt: new Date('2026-11-16T00:00:00Z') },
    patientOf: () => ({ mrnSystem: 'urn:mrn', mrn: '1' }),
    keep: (_payload, { mrn }) => void kept.push(mrn),
  };
  const judgement = judge('data', body, { translationContext, pretranslated, ...validators, outValidator });
  if (judgement instanceof Promise) throw new Error('it was read elsewhere');
  const { verdict, facts } = judgement;
  return { kept, findings: facts.findings, trouble: verdict.kind === 'sound' ? verdict.trouble : verdict.kind };
}

test('what translates to sound resources goes its way, and its translation is kept for that', () => {
  expect(judged(validators.outValidator)).toEqual({ kept: ['1'], findings: [], trouble: null });
});

test('a translation that is not sound waits for a person with its findings, and is not kept to be sent', () => {
  const asked: unknown[] = [];
  const outValidator = {
    ...validators.outValidator,
    validate: (value: unknown) => {
      asked.push(value);
      return [
        { severity: 'error', rule: 'ele-1', expression: 'Bundle.entry[0]', text: '' },
        { severity: 'warning', rule: 'dom-6', expression: 'Bundle.entry[1]', text: '' },
      ] as unknown as ReturnType<JudgeDeps['outValidator']['validate']>;
    },
  };
  expect(judged(outValidator)).toEqual({ kept: [], findings: ['output.ele-1 Bundle.entry[0]'], trouble: 'unmapped' });
  expect(asked).toHaveLength(1);
  expect(JSON.stringify(asked[0])).toContain('"Observation"');
});
