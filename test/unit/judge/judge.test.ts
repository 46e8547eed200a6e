import { expect, test } from '@jest/globals';
import { hash } from 'node:crypto';
import { judge, type JudgePretranslated, type JudgeDeps } from '../../../src/judge/judge.ts';
import { makeTranslationContextHolder } from '../../../src/judge/index.ts';
import { canonicalJson } from '../../../src/kernel/index.ts';
import { parsePayload, type Payload } from '../../../src/payloads/index.ts';
import { validatorsOf } from '../../../src/judge/validators.ts';
import {
  aClinicalReady,
  aLabResult,
  anAlertEvent,
  anAlertSummary,
  aServiceLabResult,
  aStepsEvent,
  aUserProfile,
} from '../../support/payloads/index.ts';
import { TRANSLATION_SETTINGS } from '../../support/translation-settings.ts';

const { translationContext } = makeTranslationContextHolder(TRANSLATION_SETTINGS).current();
const validators = validatorsOf(translationContext);
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

const SAMPLES = {
  clinical_ready: aClinicalReady(),
  steps_event: aStepsEvent(),
  user_profile: aUserProfile(),
  alert_event: anAlertEvent(),
  alert_summary: anAlertSummary(),
  lab_result: aLabResult(),
  'lab_result of the service': aServiceLabResult(),
  'an unknown structure': { ...aStepsEvent(), data_structure: 'something_new' },
};
const digestOf = (text: string): Uint8Array => new Uint8Array(hash('sha256', text, 'buffer'));

/** Of what the digest of the content is made: the entries of a clinical_ready document stand in it as their own digest. */
function contentOf(value: unknown, payload: Payload): string {
  const text = canonicalJson(['data', value]);
  return payload.clinicalPart === null
    ? text
    : text.replace(canonicalJson(payload.clinicalPart), `"${hash('sha256', payload.clinical())}"`);
}

test.each(Object.entries(SAMPLES))(
  'the digests of %s are those of its content, with escapes and without',
  async (_kind, sample) => {
    const { payloads, setting } = translationContext;
    const options = { ...payloads, userSystem: setting.mappings.uris.userIdentifier };
    const plain = JSON.stringify({ ...sample, more: 'a quote or none, é' });
    for (const text of [plain, plain.replace('quote', '\\"quo\\u0074e\\n'), plain.replaceAll('e":', '\\u0065":')]) {
      const value: unknown = JSON.parse(text);
      const payload = parsePayload(value, options);
      if (!payload.ok) throw new Error(payload.fault.code);
      const { facts, verdict } = await judge('data', new TextEncoder().encode(text), {
        translationContext: { ...translationContext, templates: new Map() },
        ...validators,
      });
      expect(facts.contentDigest).toEqual(digestOf(contentOf(value, payload.value)));
      expect(verdict).toMatchObject({ document: { clinicalDigest: digestOf(payload.value.clinical()) } });
    }
  },
);
