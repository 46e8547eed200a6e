import { describe, expect, test } from '@jest/globals';
import { explain, planJob, type Explanation } from '../../../src/forward/index.ts';
import type { JobDeps } from '../../../src/forward/job.ts';
import { checkImposed } from '../../../src/judge/check-imposed.ts';
import { judge, type Judgement } from '../../../src/judge/judge.ts';
import type { TranslationContext } from '../../../src/judge/index.ts';
import { buildTranslationContext } from '../../../src/judge/translation-context.ts';
import { validatorsOf } from '../../../src/judge/validators.ts';
import { ok } from '../../../src/kernel/index.ts';
import type { Claimed } from '../../../src/lanes/index.ts';
import type { MappingFiles } from '../../../src/mappings/index.ts';
import { METHOD, NAMED, someProfiles } from '../../support/a-guide.ts';
import { built, edited, editedTarget, smallFiles } from '../../support/mapping-files.ts';
import { aClinicalReadyOf, type Json } from '../../support/payloads/index.ts';
import { TRANSLATION_SETTINGS } from '../../support/translation-settings.ts';

const profiles = someProfiles();
const DEFAULT = 'dialects/default.json';
const shipped = smallFiles();
const asking = (...rows: readonly object[]): MappingFiles =>
  edited(shipped, DEFAULT, (dialect: Record<string, unknown>) => (dialect['profiles'] = rows));
const VITAL = { type: 'Observation', category: 'vital-signs', profile: METHOD };

/** As it would be loaded beside guides that hold these profiles. */
const contextOf = (files: MappingFiles, more: Partial<TranslationContext> = {}): TranslationContext => ({
  ...buildTranslationContext(TRANSLATION_SETTINGS, { files, templates: new Map(), guides: [] }),
  profiles,
  ...more,
});

const WEIGHT = aClinicalReadyOf([{ code: 'weight', value: '71', unit: 'kg', ucum: 'kg' }]);
const bytesOf = (payload: Json): Uint8Array => new TextEncoder().encode(JSON.stringify(payload));

function judged(translationContext: TranslationContext, payload: Json = WEIGHT) {
  const judgement = judge('data', bytesOf(payload), { translationContext, ...validatorsOf(translationContext) });
  if (judgement instanceof Promise) throw new Error('it was read elsewhere');
  return judgement;
}
const outcomeOf = ({ verdict }: Judgement) =>
  verdict.kind === 'sound' ? verdict.trouble : verdict.kind === 'quarantine' ? verdict.reason : verdict.kind;

const DELIVERY = { id: 'dlv_1', receivedAt: new Date('2026-11-16T00:00:00Z') };
const PATIENT = { mrnSystem: 'urn:example:mrn', mrn: '0007' };

async function explained(translationContext: TranslationContext, payload: Json = WEIGHT): Promise<Explanation> {
  const explanation = await explain(bytesOf(payload), DELIVERY, {
    translationContext,
    dialectBecause: 'setting',
    standing: null,
    link: () => Promise.resolve(ok(PATIENT)),
    written: () => Promise.resolve(ok([])),
    seen: () => Promise.resolve(ok([])),
  });
  if (!explanation.ok) throw new Error(explanation.fault.code);
  return explanation.value;
}

describe('what goes out and misses a profile that the dialect asks for', () => {
  const missing = contextOf(asking(VITAL));
  const FOUND = `output.profile-min Bundle.entry[1].resource ${METHOD}`;

  test('waits as not-profile, and the finding names rule, place and profile', () => {
    const judgement = judged(missing);
    expect([outcomeOf(judgement), judgement.facts.findings]).toEqual(['not-profile', [FOUND]]);
  });

  test('is explained: what was asked of each resource, and what it misses', async () => {
    const { trouble, resources, issues, claimFindings } = await explained(missing);
    expect([trouble, issues, claimFindings]).toEqual(['not-profile', [], []]);
    expect(resources).toMatchObject([
      {
        resourceType: 'Observation',
        profiles: [METHOD],
        profileFindings: [{ rule: 'profile-min', at: 'Observation', profile: METHOD }],
      },
    ]);
  });

  test('goes its way once the mapping data say what it missed, and once the dialect does not ask any more', async () => {
    const property = 'urn:chartgate:mapping:method';
    const mended = editedTarget(asking(VITAL), 'conceptmap-metrics.json', 'weight', (target) =>
      target.product?.push({ property, value: 'scale', display: 'By a scale' }),
    );
    for (const files of [mended, shipped]) {
      const judgement = judged(contextOf(files));
      expect([outcomeOf(judgement), judgement.facts.findings]).toEqual([null, []]);
      expect((await explained(contextOf(files))).trouble).toBe(null);
    }
    expect((await explained(contextOf(mended))).resources.map((one) => [one.profiles, one.profileFindings])).toEqual([
      [[METHOD], []],
    ]);
  });

  test('is not sent from a lane either, where it was judged before the dialect asked for it', async () => {
    const claimed = {
      delivery: { id: DELIVERY.id, receivedAt: DELIVERY.receivedAt.getTime() },
      body: bytesOf(WEIGHT),
      approvedPlans: [],
    } as unknown as Claimed;
    const planned = (translationContext: TranslationContext) =>
      planJob(claimed, PATIENT, {
        tenant: 't',
        translationContext,
        pretranslated: null,
        fastClaim: { kind: 'claimed', ledger: [] },
        knownSince: 0,
        learn: () => undefined,
      } as unknown as JobDeps);
    expect(await planned(missing)).toEqual({
      kind: 'not-sent',
      outcome: { kind: 'park', reason: 'not-profile', faultCode: null },
    });
    expect((await planned(contextOf(shipped))).kind).toBe('planned');
  });

  test('waits as unmapped where it is not R4 either, with the findings of both', () => {
    const validators = validatorsOf(missing);
    const fault = {
      severity: 'error',
      rule: 'ele-1',
      code: 'invariant',
      expression: 'Bundle.entry[0]',
      text: '',
    } as const;
    const both = [validators.outValidator, validators.profileValidator].map((one) => {
      if (one === null) throw new Error('no guide is loaded');
      return { ...one, validate: (value: unknown) => [fault, ...one.validate(value)] };
    });
    const [outValidator = validators.outValidator, profileValidator = null] = both;
    const judgement = judge('data', bytesOf(WEIGHT), {
      translationContext: missing,
      ...validators,
      outValidator,
      profileValidator,
    }) as Judgement;
    expect([outcomeOf(judgement), judgement.facts.findings]).toEqual([
      'unmapped',
      ['output.ele-1 Bundle.entry[0]', FOUND],
    ]);
  });
});

describe('the Patient beside it', () => {
  test('is not looked into by those who refer to it: it says the MRN alone', () => {
    const noSuchRow = { ...VITAL, code: '0-0' };
    expect(outcomeOf(judged(contextOf(asking(noSuchRow))))).toBe(null);
    const judgement = judged(contextOf(asking(VITAL)));
    expect(judgement.facts.findings.filter((one) => one.includes('profile-reference'))).toEqual([]);
  });

  test('is judged where the dialect asks for a profile of Patient, and explained', async () => {
    const context = contextOf(asking({ type: 'Patient', profile: NAMED }));
    expect(outcomeOf(judged(context))).toBe('not-profile');
    const { trouble, issues } = await explained(context);
    expect([trouble, issues.length]).toEqual(['not-profile', 1]);
    expect(issues[0]).toContain(`output: profile-min Bundle.entry[0].resource (${NAMED}): `);
  });
});

describe('what comes in and claims a profile', () => {
  const claiming = JSON.parse(JSON.stringify(WEIGHT), (_key, value: unknown): unknown => {
    const { resourceType, meta, ...rest } = (value ?? {}) as Json;
    if (resourceType !== 'Observation') return value;
    return { resourceType, ...rest, meta: { ...(meta as Json | undefined), profile: [METHOD, 'urn:not-loaded'] } };
  }) as Json;
  const findings = ({ facts }: Judgement) => [...new Set(facts.findings.map((one) => one.split(' ')[0]))].sort();
  // The Patient of the source stands in the same Bundle, and has no name.
  const FOUND = ['input.profile-min', 'input.profile-reference'];

  test('is not looked at unless it is asked for', async () => {
    const judgement = judged(contextOf(shipped), claiming);
    expect([outcomeOf(judgement), findings(judgement)]).toEqual([null, []]);
    expect((await explained(contextOf(shipped), claiming)).claimFindings).toEqual([]);
  });

  test('goes on with findings', async () => {
    const context = contextOf(shipped, { incomingProfiles: 'finding' });
    const judgement = judged(context, claiming);
    expect([outcomeOf(judgement), findings(judgement)]).toEqual([null, FOUND]);
    expect(judgement.facts.findings.every((one) => one.endsWith(` ${METHOD}`))).toBe(true);
    const { trouble, issues, claimFindings } = await explained(context, claiming);
    expect([trouble, issues]).toEqual([null, []]);
    expect(claimFindings.map(({ rule, profile }) => `input.${rule} ${profile ?? ''}`).sort()).toEqual(
      FOUND.map((one) => `${one} ${METHOD}`),
    );
  });

  test('is quarantined where that is wanted', async () => {
    const context = contextOf(shipped, { incomingProfiles: 'quarantine' });
    const judgement = judged(context, claiming);
    expect([outcomeOf(judgement), findings(judgement)]).toEqual(['not-profile', FOUND]);
    expect((await explained(context, claiming)).trouble).toBe('not-profile');
    expect(outcomeOf(judged(context))).toBe(null);
  });
});

describe('a dialect that asks for a profile', () => {
  const found = (setting: string, files: MappingFiles, known: TranslationContext['profiles']) =>
    checkImposed(setting, built(files), known).map(({ row, text }) => `${row}: ${text}`);

  test('of no guide that is loaded is not sound, with every row that does', () => {
    const files = asking(VITAL, { type: 'Patient', profile: 'urn:nobody' }, { type: 'Device', profile: NAMED });
    expect(found('default', files, null)).toHaveLength(3);
    expect(found('default', files, profiles)).toEqual([
      `${DEFAULT}#profiles[1]: urn:nobody is of no guide that is loaded`,
      `${DEFAULT}#profiles[2]: ${NAMED} is for Patient, not for Device`,
    ]);
  });

  test('is looked at where it may come into force', () => {
    const files = asking(VITAL);
    expect([found('auto', files, null).length, found('epic', files, null).length]).toEqual([1, 0]);
    expect(found('default', asking({ ...VITAL, profile: `${METHOD}|1.2.0` }), profiles)).toEqual([]);
    expect(found('default', asking({ ...VITAL, profile: `${METHOD}|9.9` }), profiles)).toHaveLength(1);
    const pressure = 'http://hl7.org/fhir/StructureDefinition/bp';
    expect(found('default', asking({ type: 'Patient', profile: pressure }), profiles)).toEqual([
      expect.stringContaining(`${pressure} is for Observation, not for Patient`),
    ]);
  });
});

test('validators are made once for each context, and shared where no guide is loaded', () => {
  const context = contextOf(shipped);
  expect(validatorsOf(context)).toBe(validatorsOf(context));
  expect(validatorsOf(context).profileValidator).not.toBe(validatorsOf(contextOf(shipped)).profileValidator);
  const [one, other] = [contextOf(shipped, { profiles: null }), contextOf(shipped, { profiles: null })];
  expect(validatorsOf(one)).toBe(validatorsOf(other));
});
