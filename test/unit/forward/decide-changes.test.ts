import { describe, expect, test } from '@jest/globals';
import { digestOf, saidIn } from '../../../src/content/index.ts';
import {
  decideChanges,
  DROPPED_DIGEST,
  ledgerQuestionOf,
  UNWRITTEN_DIGEST,
  type WrittenResource,
} from '../../../src/forward/decide-changes.ts';
import type { Dialect } from '../../../src/mappings/index.ts';
import type { LeftOut, Translation, Wanted } from '../../../src/translate/index.ts';

const dialect = { amendedStatus: 'amended' } as Dialect;
const DAY = '2026-01-01';
const NOW = 100;

const aName = (text: string, shelf = DAY) => ({ text, shelf });
const aWanted = (name: string, more: Partial<Wanted> = {}): Wanted => ({
  name,
  shelf: DAY,
  reference: `urn:uuid:${name}`,
  resource: { resourceType: 'Observation', status: 'final', code: { text: 'x' }, valueInteger: 1 },
  group: 'body',
  chartDay: DAY,
  write: 'always',
  ...more,
});
const aRow = (name: string, more: Partial<WrittenResource> = {}): WrittenResource => ({
  name,
  resourceType: 'Observation',
  group: 'body',
  chartDay: DAY,
  contentDigest: 'other',
  said: null,
  isRetracted: false,
  isKept: false,
  id: `id-${name}`,
  ledgerDocument: 'theirs',
  isOfDocument: true,
  saidAt: 50,
  ...more,
});

type Given = Partial<Pick<Translation, 'wanted' | 'scopes' | 'leftOut' | 'clearsAlertsOf'>>;
const decide = (
  { wanted = [], scopes = [{ group: 'body', chartDay: DAY }], leftOut = [], ...more }: Given,
  rows: readonly WrittenResource[],
) => decideChanges({ wanted, scopes, leftOut, ...more }, rows, dialect, NOW);
/** `create a`, `retract b` … in their order. */
const told = (given: Given, rows: readonly WrittenResource[]): string[] =>
  decide(given, rows).changes.map(
    (one) => `${one.kind} ${one.kind === 'retract' ? one.written.name : one.wanted.name}`,
  );
/** Of one that is wanted, against one row of the same name. */
const one = (wanted: Partial<Wanted>, row: Partial<WrittenResource> | null): string | undefined =>
  told({ wanted: [aWanted('a', wanted)] }, row === null ? [] : [aRow('a', row)])[0]?.split(' ')[0];
const same = { contentDigest: digestOf(aWanted('a')) };

describe('one measurement', () => {
  test.each<[string, Partial<Wanted>, Partial<WrittenResource> | null, string]>([
    ['that was never written is created', {}, null, 'create'],
    ['that says what it said is left', {}, same, 'keep'],
    ['that says something else is updated', {}, {}, 'update'],
    ['that was withdrawn is written again, although it says the same', {}, { ...same, isRetracted: true }, 'update'],
    ['that may never have been written is created', {}, { id: null }, 'create'],
    ['that is shared is never changed', { write: 'if-absent' }, {}, 'keep'],
    ['that is shared is created once', { write: 'if-absent' }, null, 'create'],
    ['of another document that was made later is left', {}, { isOfDocument: false, saidAt: NOW + 1 }, 'keep'],
    [
      'of another document that was made at the same time is updated',
      {},
      { isOfDocument: false, saidAt: NOW },
      'update',
    ],
    ['of its own document is updated, whenever that was made', {}, { saidAt: NOW + 1 }, 'update'],
    [
      'that yields is left to another document, though that is older',
      { yields: true },
      { isOfDocument: false },
      'keep',
    ],
    [
      'that yields is written where the other was withdrawn',
      { yields: true },
      { isOfDocument: false, isRetracted: true },
      'update',
    ],
    [
      'that yields is written where nobody knows what the other did',
      { yields: true },
      { isOfDocument: false, contentDigest: UNWRITTEN_DIGEST },
      'update',
    ],
    ['that yields yields nothing to its own document', { yields: true }, {}, 'update'],
    [
      'that adopts says again what another withdrew, though later',
      { adopts: true },
      { isOfDocument: false, isRetracted: true, saidAt: NOW + 1 },
      'update',
    ],
    [
      'that does not adopt leaves what another withdrew later',
      {},
      { isOfDocument: false, isRetracted: true, saidAt: NOW + 1 },
      'keep',
    ],
    ['that adopts leaves what another says later', { adopts: true }, { isOfDocument: false, saidAt: NOW + 1 }, 'keep'],
    [
      'of a day has the last word over a count on the way to it',
      { group: 'physical' },
      { group: 'steps', isOfDocument: false, saidAt: NOW + 1 },
      'update',
    ],
    [
      'of a count does not over another count that was later',
      { group: 'steps' },
      { group: 'steps', isOfDocument: false, saidAt: NOW + 1 },
      'keep',
    ],
  ])('%s', (_name, wanted, row, kind) => {
    expect(one(wanted, row)).toBe(kind);
  });

  test('that only replaces is written where something was said, and not where nothing was', () => {
    const wanted = [aWanted('a', { write: 'to-replace' })];
    expect(told({ wanted }, [])).toEqual(['skip a']);
    expect(told({ wanted }, [aRow('b', { group: 'sleep' })])).toEqual(['create a']);
    expect(told({ wanted }, [aRow('b', { isRetracted: true })])).toEqual(['skip a']);
    expect(told({ wanted }, [aRow('b', { isOfDocument: false })])).toEqual(['skip a']);
  });

  test('that only replaces is written where it clears what other documents said, though its own said nothing', () => {
    const wanted = [aWanted('a', { write: 'to-replace', group: 'alerts' })];
    const raised = (name: string) => aRow(name, { group: 'alerts', isOfDocument: false });
    for (const rows of [[raised('b')], [raised('b'), raised('c')]])
      expect(told({ wanted, clearsAlertsOf: DAY }, rows)[0]).toBe('create a');
  });

  test.each([
    [NOW + 1, 'skip'],
    [NOW, 'skip'],
    [NOW - 1, 'create'],
  ])('that a statement of time %d clears is a %s', (saidAt, kind) => {
    const wanted = [aWanted('a', { clearedBy: aName('all-clear') })];
    const clearing = { isOfDocument: false, group: 'alerts', saidAt } as const;
    expect(told({ wanted }, [aRow('all-clear', clearing)])).toEqual([`${kind} a`]);
    expect(told({ wanted }, [aRow('all-clear', { ...clearing, isRetracted: true })])).toEqual([`${kind} a`]);
  });
});

describe('what a version takes back', () => {
  test.each<[string, Partial<WrittenResource>, string[]]>([
    ['a measurement of its own day and group', {}, ['retract a']],
    ['nothing of another group', { group: 'sleep' }, []],
    ['nothing of another day', { chartDay: '2026-01-02' }, []],
    ['nothing of another document', { isOfDocument: false }, []],
    ['nothing that was withdrawn', { isRetracted: true }, []],
    ['nothing that a person keeps although it was dropped', { isKept: true, contentDigest: DROPPED_DIGEST }, []],
    ['what a person kept while it was still said', { isKept: true }, ['retract a']],
    ['what is not kept, though it was dropped before', { contentDigest: DROPPED_DIGEST }, ['retract a']],
    ['nothing that only supports others', { group: 'support' }, []],
    ['nothing that cannot be withdrawn', { resourceType: 'Patient' }, []],
  ])('is %s', (_name, row, expected) => {
    const scopes = [
      { group: 'body', chartDay: DAY },
      { group: 'support', chartDay: DAY },
    ] as const;
    expect(told({ scopes }, [aRow('a', row)])).toEqual(expected);
  });

  test('is nothing that waits to be written', () => {
    const left = { name: 'a', group: 'body', chartDay: DAY, at: 'x', why: 'unmapped' } as LeftOut;
    expect(told({ leftOut: [left] }, [aRow('a')])).toEqual([]);
    expect(decide({ leftOut: [left] }, [aRow('a')]).replaced).toBe(left);
    expect(decide({ leftOut: [left] }, [aRow('a', { isRetracted: true })]).replaced).toBeNull();
    expect(
      decide({ leftOut: [left] }, [aRow('a', { isKept: true, contentDigest: DROPPED_DIGEST })]).replaced,
    ).toBeNull();
    expect(decide({ leftOut: [left] }, []).replaced).toBeNull();
    const both = [left, { ...left, name: 'b' }];
    expect(decide({ leftOut: both }, [aRow('b'), aRow('a')]).replaced).toBe(left);
  });

  test.each<[string, Partial<WrittenResource>, string[]]>([
    ['an alert of that day, whoever raised it', {}, ['retract a']],
    ['an alert that was raised at the same time', { saidAt: NOW }, ['retract a']],
    ['no alert that was raised later', { saidAt: NOW + 1 }, []],
    ['no alert of another day', { chartDay: '2026-01-02' }, []],
    ['no measurement', { group: 'body' }, []],
    ['no alert that cannot be withdrawn', { resourceType: 'Patient' }, []],
  ])('is, of a day without alerts, %s', (_name, row, expected) => {
    const alert = aRow('a', { group: 'alerts', isOfDocument: false, ...row });
    expect(told({ scopes: [], clearsAlertsOf: DAY }, [alert])).toEqual(expected);
    expect(told({ scopes: [], clearsAlertsOf: null }, [alert])).toEqual([]);
  });

  test('is not what the day without alerts itself says of them', () => {
    const alert = aRow('a', { group: 'alerts', isOfDocument: false });
    expect(told({ wanted: [aWanted('a', { group: 'alerts' })], scopes: [], clearsAlertsOf: DAY }, [alert])).toEqual([
      'update a',
    ]);
  });

  test.each([
    [1, 2, false],
    [2, 3, true],
    [1, 1, true],
    [0, 1, false],
  ])('%d of %d of a day is suspicious: %s', (lost, all, isSuspicious) => {
    const rows = Array.from({ length: all }, (_, i) => aRow(`r${i}`));
    const wanted = rows.slice(lost).map(({ name }) => aWanted(name));
    expect(decide({ wanted }, rows).isSuspicious).toBe(isSuspicious);
  });

  test('is judged a day at a time, and alerts and steps are not guarded', () => {
    const scopes = [
      { group: 'body', chartDay: DAY },
      { group: 'body', chartDay: '2026-01-02' },
      { group: 'alerts', chartDay: DAY },
    ] as const;
    const other = Array.from({ length: 9 }, (_, i) => aRow(`o${i}`, { chartDay: '2026-01-02' }));
    const wanted = other.map(({ name }) => aWanted(name, { chartDay: '2026-01-02' }));
    expect(decide({ wanted, scopes }, [...other, aRow('a')]).isSuspicious).toBe(true);
    expect(decide({ wanted, scopes }, [...other, aRow('a', { group: 'alerts' })]).isSuspicious).toBe(false);
  });
});

test.each<[string, Partial<Wanted>, Partial<WrittenResource>, boolean]>([
  ['stands because of another document', { adopts: true }, { ...same, isOfDocument: false }, true],
  ['stands because of an earlier version', { adopts: true }, { ...same, saidAt: NOW - 1 }, true],
  ['was said by this very version', { adopts: true }, { ...same, saidAt: NOW }, false],
  ['does not ask for it', {}, { ...same, isOfDocument: false }, false],
  ['a person keeps as it is', { adopts: true }, { ...same, isOfDocument: false, isKept: true }, false],
  ['changes', { adopts: true }, {}, false],
  ['another withdrew later', { adopts: true, write: 'if-absent' }, { isRetracted: true }, false],
  ['nobody knows to stand', { adopts: true, write: 'if-absent' }, { contentDigest: UNWRITTEN_DIGEST }, false],
])('what %s is adopted, or not', (_name, wanted, row, isAdopted) => {
  expect(decide({ wanted: [aWanted('a', wanted)] }, [aRow('a', row)]).adopted).toEqual(
    isAdopted ? [{ name: 'a', ledgerDocument: 'theirs' }] : [],
  );
});

test('an element that was only assumed is no change, and any other is', () => {
  const at = (issued: string, more: object = {}): Wanted => {
    const { resource } = aWanted('a');
    return aWanted('a', { assumed: 'issued', resource: { ...resource, issued, ...more } });
  };
  expect(digestOf(at('2026-01-01'))).toBe(digestOf(at('2026-01-02')));
  expect(digestOf(at('2026-01-01'))).not.toBe(digestOf(at('2026-01-01', { valueInteger: 2 })));
  expect(digestOf({ ...at('2026-01-01'), assumed: undefined } as unknown as Wanted)).not.toBe(
    digestOf(at('2026-01-01')),
  );
});

test('the ledger is asked for all that is spoken of: what waits, what clears, what it comes from', () => {
  const left = { name: 'left', shelf: '' } as LeftOut;
  const more = { clearedBy: aName('clear'), derivedFrom: [aName('source', '2026-01-02')] };
  const wanted = [aWanted('a', more), aWanted('b')];
  expect(ledgerQuestionOf({ wanted, leftOut: [left], clearsAlertsOf: DAY } as unknown as Translation)).toEqual({
    names: ['a', 'b', 'left', 'source', 'clear'],
    shelves: [DAY, '', '2026-01-02'],
    alertsOf: DAY,
  });
});

describe('the status', () => {
  const meaning = saidIn(aWanted('a').resource)?.meaning ?? '';
  const statusAfter = (row: Partial<WrittenResource>): unknown => {
    const [change] = decide({ wanted: [aWanted('a')] }, [aRow('a', row)]).changes;
    return change?.kind === 'update' ? change.resource['status'] : change?.kind;
  };
  test.each<[string, Partial<WrittenResource>, string]>([
    [
      'is amended where it was final and says something else',
      { said: { status: 'final', meaning: 'other' } },
      'amended',
    ],
    ['stays where it was final and says the same in other words', { said: { status: 'final', meaning } }, 'final'],
    ['stays amended, also where it says the same', { said: { status: 'amended', meaning } }, 'amended'],
    ['is not amended where it was never final', { said: { status: 'preliminary', meaning: 'other' } }, 'final'],
    ['is amended where it was withdrawn', { said: { status: 'final', meaning }, isRetracted: true }, 'amended'],
    ['is amended where nobody knows what it said', { said: null }, 'amended'],
  ])('%s', (_name, row, status) => {
    expect(statusAfter(row)).toBe(status);
  });
});

describe('what it comes from', () => {
  const sources = (rows: readonly WrittenResource[], component = false): unknown[] => {
    const { resource } = aWanted('a');
    const wanted = [
      aWanted('a', {
        derivedFrom: [aName('s1'), aName('s2')],
        ...(component ? { resource: { ...resource, component: [{ code: {} }] } } : {}),
      }),
    ];
    const [change] = decide({ wanted, scopes: [] }, rows).changes;
    const written: Readonly<Record<string, unknown>> = change?.kind === 'create' ? change.wanted.resource : {};
    return [(written['derivedFrom'] as unknown[] | undefined)?.length ?? 0, 'component' in written];
  };
  test('is named where it stands, and not where it was withdrawn, is not known, or has no id yet', () => {
    expect(sources([aRow('s1'), aRow('s2')])).toEqual([2, false]);
    expect(sources([aRow('s1'), aRow('s2', { isRetracted: true })])).toEqual([1, false]);
    expect(sources([aRow('s1', { id: null })])).toEqual([0, false]);
    expect(sources([])).toEqual([0, false]);
    expect(sources([aRow('s1')], true)).toEqual([1, true]);
  });
});

test('of what is no statement nothing is remembered', () => {
  expect(saidIn({ resourceType: 'Device' })).toBeNull();
  expect(saidIn(aWanted('a').resource)?.status).toBe('final');
});
