import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { adjudicate, readAdjudications } from '../../../tools/judge/adjudication.ts';
import { compare, groupDisagreements } from '../../../tools/judge/compare.ts';
import type { JudgedCase } from '../../../tools/judge/corpus.ts';
import { ADJUDICATIONS, ownAdjudications, ownGuideFolders, readHandWritten } from '../../../tools/judge/guides.ts';
import { isObject, sitesOf, textOf, type JsonObject } from '../../../tools/judge/json-sites.ts';
import { makeCases, makeSurroundings } from '../../../tools/judge/make-cases.ts';
import { readPackage } from '../../../tools/judge/read-package.ts';
import { readVerdict } from '../../../tools/judge/read-verdict.ts';
import { halfOf, seededRandom } from '../../../tools/judge/seeded-random.ts';
import { runTool } from '../../../tools/hapi/run-tool.ts';
import { MUTATIONS, mutateResource } from '../../../tools/mutate-resources.ts';
import { stopAfterTest } from '../../support/stop-after-test.ts';

const definitions = ownGuideFolders().flatMap((folder) => readPackage(folder).definitions);
const handWritten = readHandWritten();
const surroundings = makeSurroundings(definitions);
const sound = handWritten.filter(({ expected }) => expected === 'valid');

describe('chance', () => {
  test('the same words give the same numbers, within their bounds', () => {
    fc.assert(
      fc.property(fc.string(), fc.integer({ min: 1, max: 1_000 }), (words, bound) => {
        const [one, two] = [seededRandom(words), seededRandom(words)];
        for (let at = 0; at < 20; at += 1) {
          const number = one.below(bound);
          expect(number).toBe(two.below(bound));
          expect(number).toBeGreaterThanOrEqual(0);
          expect(number).toBeLessThan(bound);
        }
      }),
    );
  });

  test('a case stays in its half, and the halves are alike in size', () => {
    const ids = Array.from({ length: 2_000 }, (_, at) => `mutant/${at}`);
    const open = ids.filter((id) => halfOf(id, 'seed') === 'open');
    expect(open).toEqual(ids.filter((id) => halfOf(id, 'seed') === 'open'));
    expect(open.length).toBeGreaterThan(900);
    expect(open.length).toBeLessThan(1_100);
  });
});

describe('mutants', () => {
  test('the same seed gives the same mutant, which is never the source, and the source stays as it is', () => {
    fc.assert(
      fc.property(fc.constantFrom(...sound), fc.nat(), ({ resource, profile }, number) => {
        const before = JSON.stringify(resource);
        const around = surroundings([profile], resource);
        const mutant = mutateResource(resource, around, `seed ${number}`);
        expect(JSON.stringify(resource)).toBe(before);
        expect(mutateResource(resource, around, `seed ${number}`)).toEqual(mutant);
        if (mutant !== null) expect(JSON.stringify(mutant.resource)).not.toBe(before);
      }),
      { numRuns: 300 },
    );
  });

  test('every mutation happens', () => {
    const seen = new Set<string>();
    for (let round = 0; round < 15; round += 1)
      for (const { name, profile, resource } of sound) {
        const mutant = mutateResource(resource, surroundings([profile], resource), `${name} ${round}`);
        if (mutant !== null) seen.add(mutant.kind);
      }
    expect([...seen].toSorted()).toEqual(MUTATIONS.map(({ name }) => name).toSorted());
  });

  test('an item that is dropped leaves no empty list', () => {
    const mutation = MUTATIONS.find(({ name }) => name === 'drop-extension');
    const resource: JsonObject = { resourceType: 'Patient', extension: [{ url: 'http://example.org/x' }] };
    const site = sitesOf(resource).find(({ key }) => key === 0);
    if (mutation === undefined || site === undefined) throw new Error('nothing to drop');
    mutation.apply(site, { random: seededRandom('a'), around: surroundings([], resource), resource });
    expect(resource).toEqual({ resourceType: 'Patient' });
  });

  test('cases have ids of their own, and none is made of what is to be refused', () => {
    const sources = handWritten.slice(0, 40).map(({ name, profile, resource, expected }) => ({
      id: name,
      profiles: [profile],
      resource,
      ...(expected === 'valid' ? {} : { use: 'as-is' as const }),
    }));
    const cases = makeCases('own', sources, surroundings, { perProfile: 20, perBundle: 5 });
    expect(new Set(cases.map(({ id }) => id)).size).toBe(cases.length);
    expect(cases.length).toBeGreaterThan(sources.length);
    const refused = sources.filter((one) => 'use' in one).map(({ id }) => `mutant/${id}/`);
    expect(cases.filter(({ id }) => refused.some((start) => id.startsWith(start)))).toEqual([]);
  });
});

describe('our own guides', () => {
  test('every case names a guide and a profile that there is, once', () => {
    const urls = new Set(definitions.map((one) => one['url']));
    const core = 'http://hl7.org/fhir/StructureDefinition/';
    expect(handWritten.filter(({ profile }) => !urls.has(profile) && !profile.startsWith(core))).toEqual([]);
    expect(new Set(handWritten.map(({ name }) => name)).size).toBe(handWritten.length);
    expect(handWritten.length).toBeGreaterThanOrEqual(250);
  });

  test('every profile is met by a case that passes and one that fails', () => {
    const missing = [...new Set(handWritten.map(({ profile }) => profile))].filter((profile) => {
      const outcomes = handWritten.filter((one) => one.profile === profile).map(({ expected }) => expected);
      return new Set(outcomes).size !== 2;
    });
    expect(missing).toEqual([]);
  });

  test('some profiles come with a snapshot, some with a differential only', () => {
    const profiles = definitions.filter((one) => one['resourceType'] === 'StructureDefinition');
    const whole = profiles.filter((one) => isObject(one['snapshot']));
    expect(whole.length).toBeGreaterThan(20);
    expect(profiles.length - whole.length).toBeGreaterThan(8);
  });

  test('a package is read alike as folder and as archive', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'chartgate-guide-'));
    stopAfterTest(() => rmSync(folder, { recursive: true }));
    const [guide = ''] = ownGuideFolders();
    const file = join(folder, 'guide.tgz');
    const { code } = await runTool('tar', ['-czf', file, '-C', guide, 'package']);
    expect(code).toBe(0);
    const byUrl = (path: string): unknown[] =>
      readPackage(path)
        .definitions.map((one) => one['url'])
        .toSorted();
    expect(byUrl(file)).toEqual(byUrl(guide));
    expect(readPackage(file).name).toBe(readPackage(guide).name);
  });
});

describe('verdicts', () => {
  const error = { severity: 'error', location: 'Patient', message: 'x', messageId: 'Some_Rule' } as const;

  test('only errors count', () => {
    expect(readVerdict({ issues: [{ ...error, severity: 'warning' }] }).valid).toBe(true);
    expect(readVerdict({ issues: [error] })).toEqual({ valid: false, errors: [error], issues: [error] });
  });

  test('what the judge cannot know does not count', () => {
    const unknown = { ...error, messageId: 'Terminology_TX_NoValid_12', notExpandable: 'http://example.org/vs' };
    const hidden = { ...error, messageId: 'Terminology_TX_NoValid_1_CC', hasMember: true } as const;
    expect(readVerdict({ issues: [unknown, hidden] })).toEqual({ valid: true, errors: [], issues: [unknown, hidden] });
  });
});

describe('agreement', () => {
  const judged = (id: string, messageIds: readonly string[]): JudgedCase => ({
    id,
    guide: 'own',
    profiles: [],
    resource: { resourceType: 'Patient', id },
    judge: {
      by: 'test',
      valid: messageIds.length === 0,
      issues: messageIds.map((messageId) => ({
        severity: 'error',
        location: 'Patient',
        message: messageId,
        messageId,
      })),
      others: [],
    },
  });
  const finding = { severity: 'error', rule: 'our-rule', expression: 'Patient', text: 'no' };
  const refuses = (resource: unknown): boolean => isObject(resource) && textOf(resource['id']).includes('refused');
  const validate = (resource: unknown): readonly (typeof finding)[] => (refuses(resource) ? [finding] : []);

  test('counts both kinds of disagreement, and names published examples that are refused', () => {
    const cases = [judged('example/refused', []), judged('a', []), judged('b', ['X']), judged('refused-c', ['X'])];
    const entry = { messageId: '^X$', right: 'ours', why: 'the judge errs' } as const;
    expect(compare('own', 'open', cases, validate, [entry])).toMatchObject({
      cases: 4,
      invalid: 2,
      wronglyAccepted: 1,
      wronglyRefused: 1,
      adjudicated: 1,
      raw: 0.5,
      agreement: 0.75,
      examplesRefused: ['example/refused'],
    });
  });

  test('we are right only when every error of the judge is explained', () => {
    const one = { judged: judged('a', ['X', 'Y']), kind: 'wrongly-accepted', findings: [] } as const;
    const x = { messageId: '^X$', right: 'ours', why: 'known' } as const;
    expect(adjudicate(one, [x])).toBe('judge');
    expect(adjudicate(one, [x, { ...x, messageId: '^Y$' }])).toBe('ours');
    expect(
      adjudicate(one, [
        { ...x, guide: 'ips' },
        { ...x, messageId: '^Y$' },
      ]),
    ).toBe('judge');
  });

  test('disagreements are grouped by what the refusing side says', () => {
    const { disagreements } = compare('own', 'open', [judged('a', ['X']), judged('b', ['X'])], validate, []);
    expect(groupDisagreements(disagreements, [])).toMatchObject([
      { kind: 'wrongly-accepted', by: 'X', who: 'judge', count: 2 },
    ]);
  });

  test('every adjudication has a reason and patterns that can be read', () => {
    for (const { id, messageId, message, rule, why } of [...readAdjudications(ADJUDICATIONS), ...ownAdjudications()]) {
      expect(why).not.toBe('');
      for (const pattern of [id, messageId, message, rule]) expect(() => new RegExp(pattern ?? '')).not.toThrow();
    }
  });
});
