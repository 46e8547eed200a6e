import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { contentDigest } from '../../../src/content/index.ts';
import { decideChanges, type WrittenResource } from '../../../src/forward/decide-changes.ts';
import type { Group, Scope, Wanted } from '../../../src/translate/index.ts';
import { aClinicalReadyOf, type Metric } from '../../support/payloads/index.ts';
import { standardMappings } from '../../support/standard-mappings.ts';
import { codesOf, translated } from '../../support/translated.ts';
import { makeLedger, settingOf } from '../../support/translate-steps.ts';

const setting = settingOf(standardMappings());
const { dialect } = setting;
const GROUPS = ['body', 'physical', 'sleep'] as const;
const DAYS = ['2026-11-13', '2026-11-14'] as const;

/** One measurement: `body 2026-11-13 2` and its value. */
type Said = ReadonlyMap<string, number>;
const groupAndDay = (name: string): Scope => {
  const [group = '', chartDay = ''] = name.split(' ');
  return { group: group as Group, chartDay };
};
const scopesOf = (said: Said): Scope[] =>
  [...new Set([...said.keys()].map((name) => JSON.stringify(groupAndDay(name))))].map(
    (text) => JSON.parse(text) as Scope,
  );
const wantedOf = (said: Said): Wanted[] =>
  [...said].map(([name, value]) => ({
    name,
    shelf: groupAndDay(name).chartDay ?? '',
    reference: `urn:uuid:${name}`,
    resource: { resourceType: 'Observation', status: 'final', valueInteger: value },
    write: 'always',
    ...groupAndDay(name),
  }));

const aVersion = fc
  .array(
    fc
      .tuple(fc.constantFrom(...GROUPS), fc.constantFrom(...DAYS), fc.nat(3), fc.nat(2))
      .map(([group, day, n, value]): [string, number] => [`${group} ${day} ${n}`, value]),
    { minLength: 1, maxLength: 14 },
  )
  .map((all): Said => new Map(all));
const aHistory = fc.array(fc.tuple(fc.constantFrom('A', 'B'), aVersion), { minLength: 1, maxLength: 8 });

interface Held {
  readonly value: number;
  readonly isLive: boolean;
  readonly by: string;
}

/**
 * Decision 5, in its own words: what the EHR must hold after a version of a document, and what that version takes back.
 */
function modelled(
  held: ReadonlyMap<string, Held>,
  key: string,
  said: Said,
): { next: Map<string, Held>; gone: string[] } {
  const speaksFor = new Set([...said.keys()].map((name) => name.slice(0, -2)));
  const next = new Map(held);
  const gone = [...held]
    .filter(([name, { isLive, by }]) => isLive && by === key && !said.has(name) && speaksFor.has(name.slice(0, -2)))
    .map(([name]) => name);
  for (const name of gone) next.set(name, { ...(held.get(name) as Held), isLive: false });
  for (const [name, value] of said) {
    const before = held.get(name);
    if (!before?.isLive || before.value !== value) next.set(name, { value, isLive: true, by: key });
  }
  return { next, gone };
}

function writtenOf(held: ReadonlyMap<string, Held>, key: string): WrittenResource[] {
  return [...held].map(([name, { value, isLive, by }]) => ({
    name,
    resourceType: 'Observation',
    ...groupAndDay(name),
    contentDigest: contentDigest({ resourceType: 'Observation', status: 'final', valueInteger: value }),
    said: null,
    isRetracted: !isLive,
    isKept: false,
    id: name,
    saidAt: 0,
    ledgerDocument: by,
    isOfDocument: by === key,
  }));
}

describe('whatever versions of two documents come', () => {
  test('the EHR holds what the rules say, a second run changes nothing, and a wiped day waits for a person', () => {
    fc.assert(
      fc.property(aHistory, (history) => {
        let held: ReadonlyMap<string, Held> = new Map();
        for (const [key, said] of history) {
          const { next, gone } = modelled(held, key, said);
          const plan = { wanted: wantedOf(said), scopes: scopesOf(said), leftOut: [] };
          const { changes, isSuspicious } = decideChanges(plan, writtenOf(held, key), dialect, 0);

          const retracted = changes.flatMap((one) => (one.kind === 'retract' ? [one.written.name] : []));
          expect(new Set(retracted)).toEqual(new Set(gone));
          const forward = changes.flatMap((one) => (one.kind === 'retract' ? [] : [[one.wanted.name, one.kind]]));
          const before = held;
          expect(forward).toEqual(
            [...said].map(([name, value]) => {
              const was = before.get(name);
              if (was === undefined) return [name, 'create'];
              return [name, was.isLive && was.value === value ? 'keep' : 'update'];
            }),
          );

          const lostMost = DAYS.some((day) => {
            const ofDay = [...before].filter(
              ([name, { isLive, by }]) => isLive && by === key && name.includes(day),
            ).length;
            return gone.filter((name) => name.includes(day)).length * 2 > ofDay;
          });
          expect(isSuspicious).toBe(lostMost);
          if (isSuspicious) continue;

          held = next;
          const again = decideChanges(plan, writtenOf(held, key), dialect, 0);
          expect(again.changes.filter(({ kind }) => kind !== 'keep')).toEqual([]);
        }
      }),
      { numRuns: 200 },
    );
  });
});

describe('through the translation', () => {
  const BODY: Metric[] = [
    { code: 'weight' },
    { code: 'height', value: '178', unit: 'cm' },
    { code: 'bmi', value: '22', unit: 'kg/m2' },
  ];
  const SLEEP: Metric[] = [
    { code: 'sleep_duration', category: 'survey', value: '26100', unit: 's' },
    { code: 'sleep_rem', category: 'survey', value: '5700', unit: 's' },
  ];
  const run = (...versions: (readonly Metric[])[]) => {
    const ledger = makeLedger();
    return versions.map((metrics, i) => {
      const { changes, isSuspicious } = ledger(
        translated(aClinicalReadyOf(metrics, { documentVersion: i + 1 })),
        setting,
        i + 1,
      );
      return {
        isSuspicious,
        changes: changes
          .map(
            ({ change, resource }) => `${change} ${codesOf(resource['code'])[0] ?? ''} ${String(resource['status'])}`,
          )
          .sort(),
      };
    });
  };

  test('a body summary never wipes the sleep of that day', () => {
    expect(run([...BODY, ...SLEEP], BODY)[1]).toEqual({
      isSuspicious: false,
      changes: ['keep 29463-7 final', 'keep 39156-5 final', 'keep 8302-2 final'],
    });
  });

  test('a measurement that is gone from its own summary is withdrawn', () => {
    expect(run([...BODY, ...SLEEP], [...BODY.slice(0, 2), ...SLEEP])[1]?.changes).toContain(
      'retract 39156-5 entered-in-error',
    );
  });

  test('most of a chart-day gone is suspicious', () => {
    expect(run(BODY, BODY.slice(0, 1))[1]?.isSuspicious).toBe(true);
  });

  test('other digits of the same number change nothing', () => {
    expect(run(BODY, [{ code: 'weight', value: '70.0' }, ...BODY.slice(1)])[1]?.changes).toContain(
      'keep 29463-7 final',
    );
  });

  test('a summary of which only another day is left takes nothing back from this one', () => {
    const other = BODY.map((one) => ({ ...one, start: '2026-11-15T00:00:00+01:00', end: '2026-11-15T23:59:59+01:00' }));
    expect(run(BODY, other)[1]?.changes.filter((one) => one.startsWith('retract'))).toEqual([]);
  });

  test('a measurement that the EHR does not take still keeps its summary spoken for', () => {
    const ledger = makeLedger();
    const epic = settingOf(standardMappings(), { dialect: 'epic' });
    const breathing: Metric = { code: 'breathing_rate', category: 'survey', value: '14', unit: '/min' };
    const spo2: Metric = { code: 'spo2', category: 'survey', value: '95', unit: '%' };
    const step = (metrics: readonly Metric[], version: number) =>
      ledger(
        translated(aClinicalReadyOf([...metrics, ...SLEEP], { documentVersion: version }), { dialect: 'epic' }),
        epic,
        version,
      );
    step([breathing, spo2], 1);
    expect(
      step([spo2], 2)
        .changes.map(({ change }) => change)
        .sort(),
    ).toEqual(['keep', 'retract']);
    expect(step([], 3).changes.map(({ change }) => change)).toEqual(['retract']);
  });
});
