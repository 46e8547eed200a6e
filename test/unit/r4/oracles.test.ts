import { describe, expect, test } from '@jest/globals';
import { isObject } from '../../../src/kernel/index.ts';
import { loadDefinitions } from '../../../src/r4/definitions/load-definitions.ts';
import { loadValidator } from '../../../src/r4/index.ts';
import { aClinicalBundle } from '../../support/clinical-bundle.ts';
import { brokenInvariants, canFollow } from '../../support/fhirpath-oracle.ts';
import { makeMedplumOracle } from '../../support/medplum-oracle.ts';
import { mutate, picker } from '../../support/mutate.ts';
import { R4_EXAMPLES } from '../../support/r4-examples.ts';
import { ALL_CASES } from './rule-cases.ts';
import { howMany } from '../../support/how-much.ts';

const validator = loadValidator();
type Json = Record<string, unknown>;

/** Mutants of the examples: the same ones in every run. */
function mutants(count: number, seed: number): { readonly name: string; readonly mutant: Json }[] {
  return Array.from({ length: count }, (_, i) => {
    const pick = picker(seed + i);
    const [file, resource] = R4_EXAMPLES[pick(R4_EXAMPLES.length)] ?? ['', {}];
    const { mutant, change } = mutate(resource, pick);
    return { name: `${file}: ${change}`, mutant };
  });
}

describe('@medplum/core validateResource', () => {
  const medplum = makeMedplumOracle();

  /** Sound resources that medplum refuses, and why we do not. */
  const EXPLAINED: readonly { readonly because: string; readonly matches: (text: string) => boolean }[] = [
    {
      because: 'it knows no JSON.rawJSON values',
      matches: (text) => /"valueDecimal":(70\.10|1e3)|"high":\{"value":1\.0\}/.test(text),
    },
    {
      because: 'R4 asks that strings SHOULD hold more than whitespace, and no more',
      matches: (text) => /"valueString":"\s"/u.test(text),
    },
    {
      because:
        "R4's code allows any character but whitespace, U+00A0 included: \\s of the specification is not JavaScript's",
      matches: (text) => text.includes('"valueCode":"a\u00a0b"'),
    },
    {
      because: 'R4 allows whitespace in base64',
      matches: (text) => /"valueBase64Binary":"YW Jj|"data":"YW\\nJj"/.test(text),
    },
  ];

  test('refuses nothing that we accept, except for known reasons', () => {
    const unexplained = [...ALL_CASES.flatMap((c) => c.sound), aClinicalBundle(), ...R4_EXAMPLES.map(([, r]) => r)]
      .filter((resource) => !medplum(resource))
      .map((resource) => JSON.stringify(resource))
      .filter((text) => !EXPLAINED.some(({ matches }) => matches(text)));
    expect(unexplained).toEqual([]);
  });

  test('one mutation of a sound resource: we refuse all that it refuses, and more', () => {
    let [ours, theirs] = [0, 0];
    const missed: string[] = [];
    for (const { name, mutant } of mutants(howMany(300, 1_500), 1)) {
      const [isOurs, isTheirs] = [validator.isValid(mutant), medplum(mutant)];
      if (!isOurs) ours++;
      if (!isTheirs) theirs++;
      if (isOurs && !isTheirs) missed.push(name);
    }
    expect(missed).toEqual([]);
    expect(ours).toBeGreaterThan(theirs);
  });
});

describe('fhirpath.js', () => {
  /** Native, or on a leaf element, which the oracle's walk does not visit. */
  const APART = new Set(['ctm-1', 'txt-1', 'txt-2', 'org-2', 'org-3', 'eld-3', 'ras-1']);
  const keys = new Set(
    Object.entries(loadDefinitions().invariants)
      .filter(([, invariant]) => invariant.severity === 'error')
      .map(([key]) => key.replace(/^.*:/, ''))
      .filter((key) => !APART.has(key)),
  );

  /** Disagreements, and why they are right. */
  function explain(key: string, side: 'ours' | 'theirs', text: string, rules: ReadonlySet<string>): string | null {
    if (side === 'theirs' && (rules.has('shape') || rules.has('null-value')))
      return 'what has the wrong shape is reported as that, and not looked into';
    if (key === 'per-1' && side === 'theirs')
      return 'different precision leaves the order open, and an open order breaks nothing';
    if (key === 'ref-1' && side === 'ours' && text.includes('"focus":[{"reference":"#"}]'))
      return 'the oracle is given the corrected rule, which lets # stand anywhere; only what is contained has a container';
    if (key === 'rng-2' && side === 'ours' && text.includes('"low":{"value":2'))
      return 'it compares no quantities without unit, and knows no JSON.rawJSON';
    if (/^bdl-(9|10|11|12)$/.test(key) && !text.includes('"type":"'))
      return 'without a type we report the missing type, not what each type would need';
    if (key.startsWith('bdl-') && /"entry":\[.*(?:null|\[\])/.test(text))
      return 'an entry that is no object is reported as such';
    return null;
  }

  function disagreements(resource: Json): string[] {
    const rules = new Set(validator.validate(resource).map((issue) => issue.rule));
    const ours = new Set([...rules].filter((rule) => keys.has(rule)));
    const { broken: theirs, undecided } = brokenInvariants(resource);
    const text = JSON.stringify(resource);
    return [
      ...[...ours].filter((key) => !theirs.has(key) && !undecided.has(key)).map((key) => ['ours', key] as const),
      ...[...theirs].filter((key) => !ours.has(key)).map((key) => ['theirs', key] as const),
    ]
      .filter(([side, key]) => explain(key, side, text, rules) === null)
      .map(([side, key]) => `${side}: ${key} in ${text.slice(0, 200)}`);
  }

  test('finds the same invariants broken in every case of the suite', () => {
    const cases = ALL_CASES.filter((c) => c.rule !== 'depth').flatMap((c) => [...c.sound, ...c.broken]);
    expect(cases.filter(isObject).flatMap(disagreements)).toEqual([]);
  });

  test('finds none broken in the examples', () => {
    expect(R4_EXAMPLES.flatMap(([, resource]) => disagreements(resource))).toEqual([]);
  });

  test('finds the same ones broken after a mutation', () => {
    const COUNT = howMany(240, 1_200);
    let broken = 0;
    const wrong = mutants(COUNT, 1_000_000).flatMap(({ name, mutant }) => {
      if (brokenInvariants(mutant).broken.size > 0) broken++;
      return disagreements(mutant).map((text) => `${name}: ${text}`);
    });
    expect(wrong).toEqual([]);
    expect(broken).toBeGreaterThan(COUNT / 60);
  });

  test('follows the expression of every finding to its place', () => {
    const lost = mutants(howMany(100, 400), 2_000_000).flatMap(({ name, mutant }) =>
      validator
        .validate(mutant)
        .filter((issue) => !canFollow(mutant, issue.expression))
        .map((issue) => `${name}: ${issue.expression}`),
    );
    expect(lost).toEqual([]);
  });
});
