import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { loadValidator, rewriteReferences, toOperationOutcome, walkReferences } from '../../../src/r4/index.ts';
import { aClinicalBundle } from '../../support/clinical-bundle.ts';
import { mutate, picker } from '../../support/mutate.ts';
import { R4_EXAMPLES } from '../../support/r4-examples.ts';
import { STRUCTURE } from './rule-cases.ts';
import { howMany } from '../../support/how-much.ts';

const validator = loadValidator();
const everything = loadValidator({ profiles: ['vital-signs', 'us-core-lab'], warnings: 'report' });

const example = fc.constantFrom(...R4_EXAMPLES.map(([, resource]) => resource));
const mutant = fc.tuple(example, fc.nat(), fc.integer({ min: 1, max: 5 })).map(([resource, seed, times]) => {
  const pick = picker(seed);
  let changed: Record<string, unknown> = resource;
  for (let i = 0; i < times; i++) changed = mutate(changed, pick).mutant;
  return changed;
});

describe('for any input', () => {
  test('nothing throws, and both judgements agree', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          mutant,
          fc.anything({ withNullPrototype: true }),
          fc.object({ key: fc.constantFrom('resourceType', 'id', 'status', 'entry', 'extension') }),
        ),
        (input) => {
          expect(validator.isValid(input)).toBe(validator.validate(input).length === 0);
          everything.validate(input);
          walkReferences(input);
        },
      ),
      { numRuns: howMany(300, 1_500) },
    );
  });

  test('a typed shell with anything inside is judged without throwing', () => {
    const types = fc.constantFrom(
      'Bundle',
      'Observation',
      'Patient',
      'Questionnaire',
      'StructureDefinition',
      'Parameters',
      'CareTeam',
      'ImplementationGuide',
    );
    const keys = fc.constantFrom(
      'type',
      'entry',
      'status',
      'code',
      'component',
      'item',
      'snapshot',
      'differential',
      'parameter',
      'participant',
      'contained',
      'subject',
      'text',
      'effectivePeriod',
      'valueRange',
      'definition',
      'name',
      'meta',
      '_status',
    );
    fc.assert(
      fc.property(types, fc.dictionary(keys, fc.jsonValue({ maxDepth: 4 })), (resourceType, fields) => {
        const input = { ...fields, resourceType };
        expect(everything.isValid(input)).toBe(
          everything.validate(input).every((issue) => issue.severity === 'warning'),
        );
      }),
      { numRuns: howMany(300, 1_500) },
    );
  });

  test('every issue has a place in the resource and a text', () => {
    fc.assert(
      fc.property(mutant, (input) => {
        for (const issue of validator.validate(input)) {
          expect(issue.expression.startsWith(String(input['resourceType']))).toBe(true);
          expect(issue.text).not.toBe('');
        }
      }),
      { numRuns: howMany(100, 300) },
    );
  });

  test('rewriting with nothing to say gives the same resource back', () => {
    fc.assert(
      fc.property(mutant, (input) => rewriteReferences(input, () => undefined) === input),
      { numRuns: howMany(100, 300) },
    );
  });

  test('the order of properties does not matter', () => {
    fc.assert(
      fc.property(mutant, (input) => {
        const reversed = Object.fromEntries(Object.entries(input).reverse());
        expect(validator.isValid(reversed)).toBe(validator.isValid(input));
      }),
      { numRuns: howMany(100, 300) },
    );
  });
});

/** The time that the work itself took, whoever else is at the machine. */
function cpuMsOf(work: () => unknown): number {
  const since = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(since);
  return (user + system) / 1_000;
}

describe('within the limits', () => {
  test('depth 10,000 is refused, as object and as text', () => {
    const deep = STRUCTURE.find((c) => c.rule === 'depth')?.broken[1];
    expect(validator.validate(deep).map((i) => i.rule)).toEqual(['depth']);
    const text = `{"resourceType":"Patient","extension":${'[{"url":"x:y","extension":'.repeat(10_000)}[]${'}]'.repeat(10_000)}}`;
    expect(validator.checkText(text)).toMatchObject({ kind: 'unreadable', fault: { rule: 'json-depth' } });
  });

  test('200,000 entries are judged in linear time, and findings are bounded', () => {
    const bundle = (length: number) => ({
      resourceType: 'Bundle',
      type: 'collection',
      entry: Array.from({ length }, () => ({ resource: { resourceType: 'Patient', gender: 'x' } })),
    });
    validator.validate(bundle(20_000));
    const few = cpuMsOf(() => validator.validate(bundle(20_000)));
    let issues: ReturnType<typeof validator.validate> = [];
    // Ten times as many: a hundred times as long would be quadratic.
    expect(cpuMsOf(() => (issues = validator.validate(bundle(200_000))))).toBeLessThan(40 * Math.max(few, 20));
    expect(issues).toHaveLength(1_001);
    expect(issues.at(-1)?.rule).toBe('issues-limit');
  });

  test.each([
    ['a code of a million blanks', { resourceType: 'Observation', status: ' '.repeat(1_000_000), code: { text: 'x' } }],
    [
      'a link of a million ampersands',
      {
        resourceType: 'Patient',
        text: {
          status: 'generated',
          div: `<div xmlns="http://www.w3.org/1999/xhtml"><a href="${'&'.repeat(1_000_000)}">x</a></div>`,
        },
      },
    ],
    [
      'a million tags',
      {
        resourceType: 'Patient',
        text: {
          status: 'generated',
          div: `<div xmlns="http://www.w3.org/1999/xhtml">${'<b>'.repeat(1_000_000)}</div>`,
        },
      },
    ],
    [
      'a million open quotes',
      {
        resourceType: 'Patient',
        text: {
          status: 'generated',
          div: `<div xmlns="http://www.w3.org/1999/xhtml"><b a="${'<"'.repeat(1_000_000)}</div>`,
        },
      },
    ],
    [
      'a long scheme',
      {
        resourceType: 'Observation',
        status: 'final',
        code: { coding: [{ system: 'a'.repeat(20_000_000), code: 'x' }] },
      },
    ],
    ['long base64', { resourceType: 'Binary', contentType: 'text/plain', data: 'A'.repeat(8_000_001) }],
    [
      'a long unit',
      {
        resourceType: 'Observation',
        status: 'final',
        code: { text: 'x' },
        valueQuantity: { value: 1, system: 'http://unitsofmeasure.org', code: '('.repeat(100_000) },
      },
    ],
    [
      'many equal local references',
      {
        resourceType: 'List',
        status: 'current',
        mode: 'working',
        contained: Array.from({ length: 20_000 }, (_, i) => ({
          resourceType: 'Basic',
          id: `b${i}`,
          code: { text: 'x' },
        })),
        entry: Array.from({ length: 20_000 }, (_, i) => ({ item: { reference: `#b${i}x` } })),
      },
    ],
    [
      'many components against many codings',
      {
        resourceType: 'Observation',
        status: 'final',
        valueString: 'x',
        code: { coding: Array.from({ length: 5_000 }, (_, i) => ({ system: 'x:y', code: `a${i}` })) },
        component: Array.from({ length: 5_000 }, (_, i) => ({ code: { coding: [{ system: 'x:z', code: `b${i}` }] } })),
      },
    ],
  ])('%s is judged within seconds, where every pair would take minutes', (_, resource) => {
    expect(cpuMsOf(() => validator.validate(resource))).toBeLessThan(10_000);
  });

  test('memory stays flat over many validations', () => {
    const bundle = aClinicalBundle();
    const run = (times: number): void => {
      for (let i = 0; i < times; i++) validator.isValid(bundle);
    };
    run(500);
    const before = process.memoryUsage().heapUsed;
    run(5_000);
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(64 * 1024 * 1024);
  });
});

test('an OperationOutcome of findings is itself sound R4', () => {
  const outcomes = [
    [],
    validator.validate({ resourceType: 'Patient', gender: 'x', y: 1 }),
    validator.checkText('{').issues,
    validator.checkText('x').issues,
  ];
  for (const issues of outcomes) expect(validator.validate(toOperationOutcome(issues))).toEqual([]);
});
