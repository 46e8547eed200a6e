import { describe, expect, test } from '@jest/globals';
import type { Write } from '../../../../sandbox/index.ts';
import { NAMES } from '../../../support/check-delivery.ts';
import type { Decided, History, Standing } from './history.ts';
import { judge } from './judge.ts';
import type { Character, Content, Metric } from './program.ts';

const [A, B] = ['Patient/a', 'Patient/b'];
const PLAIN: Character = { traits: {}, rules: [], isBlind: false };
const BLIND: Character = { traits: { noClientIds: true }, rules: [], isBlind: true };
const ONE: Content = { weight: '71.25', height: '178' };
const TWO: Content = { weight: '70.5', height: '179' };
const DELIVERED: Standing = { state: 'delivered', reason: null };
const parked = (reason: string, ...names: readonly string[]): Standing => ({
  state: 'parked',
  reason,
  conflicts: names.map((name) => ({ name })),
});

/** One write of the EHR's log. */
interface Wrote {
  readonly metric: Metric;
  /** Null: withdrawn. */
  readonly value: string | null;
  readonly by?: 'a-person';
  readonly patient?: string;
  /** Another resource under the same name. */
  readonly twin?: true;
  readonly more?: object;
}
const nameOf = (metric: Metric, patient = A): string => `${metric}-${patient}`;

function writeOf({ metric, value, by, patient = A, twin, more }: Wrote, n: number): Write {
  const id = `${nameOf(metric, patient).replace('/', '-')}${twin === true ? '-2' : ''}`;
  const resource = {
    resourceType: 'Observation',
    id,
    identifier: [{ system: NAMES, value: nameOf(metric, patient) }],
    status: value === null ? 'entered-in-error' : 'final',
    code: { coding: [{ system: 'urn:example:health-data-service:codes', code: metric }] },
    subject: { reference: patient },
    effectiveDateTime: '2026-11-14T00:00:00Z',
    valueQuantity: { value: Number(value ?? 1) },
    ...more,
  };
  const request = { requestId: by ?? 'req-1', kind: 'update', method: 'PUT' } as const;
  return { n, at: '', ...request, type: 'Observation', id, versionId: n, json: JSON.stringify(resource) };
}

const both = (content: Content, patient = A): Wrote[] =>
  (Object.entries(content) as [Metric, string][]).map(([metric, value]) => ({ metric, value, patient }));

interface Told {
  readonly said?: readonly Content[];
  readonly stand?: readonly Standing[];
  readonly wrote: readonly Wrote[];
  readonly links?: History['links'];
  readonly decided?: readonly Omit<Decided, 'user'>[];
  readonly character?: Character;
  readonly isLossy?: boolean;
  readonly addsUp?: boolean;
}

const LINKED = [{ user: 'u', patient: A, n: 0 }];
const MOVED = [...LINKED, { user: 'u', patient: B, n: 2 }];

/** The kinds of violation that a judge finds in what is told: the newest version is the last. */
function kinds({ said = [ONE], stand = [DELIVERED], wrote, links = LINKED, decided = [], ...more }: Told): string[] {
  const { character = PLAIN, isLossy = false, addsUp = true } = more;
  const history: History = {
    character,
    said: said.map((content, i) => ({ deliveryId: `d${i + 1}`, user: 'u', version: i + 1, content })),
    links,
    decided: decided.map((one) => ({ user: 'u', ...one })),
    refused: [],
    isLossy,
  };
  const standing = new Map(stand.map((one, i) => [`d${i + 1}`, one]));
  const found = judge({ history, standing, writes: wrote.map((one, i) => writeOf(one, i + 1)), addsUp });
  return [...new Set(found.map(({ kind }) => kind))].sort();
}

describe('the chart of the newest version', () => {
  test('is right with exactly its values, whatever their digits', () => {
    expect(kinds({ said: [{ weight: '70.10' }], wrote: [{ metric: 'weight', value: '70.1' }] })).toEqual([]);
  });

  test.each<[string, Told]>([
    ['lost', { wrote: both({ weight: '71.25' }) }],
    ['stale', { said: [ONE, TWO], stand: [DELIVERED, DELIVERED], wrote: both(ONE) }],
    ['leftover', { wrote: [...both(ONE), { metric: 'bmi', value: '22.5' }] }],
    ['doubled', { wrote: [...both(ONE), { metric: 'weight', value: '71.25', twin: true }] }],
    ['doubled', { wrote: [...both(ONE), { metric: 'weight', value: null, twin: true }] }],
    ['wrong-chart', { wrote: [...both(ONE), ...both(ONE, B)], links: MOVED }],
    ['unsettled', { stand: [{ state: 'queued', reason: null }], wrote: both(ONE) }],
    ['ledger', { wrote: both(ONE), addsUp: false }],
    ['false-park', { stand: [parked('rejected')], wrote: [] }],
    ['false-park', { said: [ONE, { weight: '70.5' }], stand: [DELIVERED, parked('suspicious')], wrote: both(ONE) }],
    ['false-park', { stand: [parked('ambiguous')], wrote: [], isLossy: true }],
    ['false-park', { stand: [parked('ambiguous')], wrote: [], character: BLIND }],
    ['false-conflict', { said: [ONE, TWO], stand: [DELIVERED, parked('conflict')], wrote: both(ONE) }],
  ])('%s is found', (kind, told) => {
    expect(kinds(told)).toContain(kind);
  });

  test('may wait for a person where the EHR cannot be asked, or most of a day is gone', () => {
    expect(kinds({ stand: [parked('ambiguous')], wrote: [], character: BLIND, isLossy: true })).toEqual([]);
    const moved = {
      said: [ONE, ONE],
      stand: [parked('ambiguous'), DELIVERED],
      wrote: [...both(ONE), ...both(ONE, B)],
      links: MOVED,
    };
    expect(kinds({ ...moved, character: BLIND, isLossy: true })).toEqual([]);
    expect(kinds({ ...moved, character: PLAIN, isLossy: true })).toEqual(['wrong-chart']);
    const whole: Content = { ...ONE, bmi: '22.5' };
    expect(
      kinds({ said: [whole, { bmi: '22.5' }], stand: [DELIVERED, parked('suspicious')], wrote: both(whole) }),
    ).toEqual([]);
  });

  test('is judged by what it says: a correction without a value is withdrawn, a tag is nothing', () => {
    const noMore = { valueQuantity: undefined, dataAbsentReason: { text: 'withdrawn' }, note: [{ text: 'withdrawn' }] };
    const corrected = (more: object): Wrote => ({ metric: 'bmi', value: '1', more: { status: 'corrected', ...more } });
    expect(kinds({ wrote: [...both(ONE), corrected(noMore)] })).toEqual([]);
    const tagged = { meta: { tag: [{ system: 'urn:chartgate:retracted', code: 'retracted' }] } };
    expect(kinds({ wrote: [...both(ONE), corrected(tagged)] })).toEqual(['leftover']);
  });
});

describe('what a person changed', () => {
  const edited: readonly Wrote[] = [...both(ONE), { metric: 'weight', value: '90', by: 'a-person' }];
  const WEIGHT = nameOf('weight');
  const two = { said: [ONE, TWO] };
  const decision = (kind: Decided['decision'], more: Partial<Decided> = {}) => ({
    deliveryId: 'd2',
    decision: kind,
    names: [WEIGHT],
    content: TWO,
    n: 3,
    isCarriedOut: true,
    ...more,
  });
  const kept = [decision('keep-theirs')];
  const height: Wrote = { metric: 'height', value: '179' };

  test('is shown where the document contradicts it, and the rest may wait', () => {
    expect(kinds({ ...two, stand: [DELIVERED, parked('conflict', WEIGHT)], wrote: edited })).toEqual([]);
    expect(kinds({ ...two, stand: [DELIVERED, parked('conflict')], wrote: edited })).toEqual(['unlisted']);
    expect(kinds({ ...two, stand: [DELIVERED, parked('conflict', WEIGHT, nameOf('height'))], wrote: edited })).toEqual([
      'false-conflict',
    ]);
  });

  test('concerns nobody while the document says what it said', () => {
    expect(kinds({ said: [ONE, ONE], stand: [DELIVERED, DELIVERED], wrote: edited })).toEqual([]);
  });

  test('is not overwritten, and not passed over', () => {
    const stand = [DELIVERED, DELIVERED];
    expect(kinds({ ...two, stand, wrote: [...edited, ...both(TWO)] })).toContain('overwrote-person');
    expect(kinds({ ...two, stand, wrote: [...edited, height] })).toEqual(['silent']);
  });

  test('is overwritten after a decision about it, and only after one', () => {
    const wrote = [...edited, ...both(TWO)];
    const stand = [DELIVERED, DELIVERED];
    expect(kinds({ ...two, stand, wrote, decided: [decision('overwrite')] })).toEqual([]);
    expect(kinds({ ...two, stand, wrote, decided: [decision('overwrite', { names: ['another'] })] })).toContain(
      'overwrote-person',
    );
    expect(kinds({ ...two, stand, wrote, decided: [decision('overwrite', { n: 2 })] })).toContain('overwrote-person');
    expect(kinds({ ...two, stand, wrote, decided: kept })).toContain('overwrote-person');
  });

  test('stands through later versions that say what was seen', () => {
    const told = { said: [ONE, TWO, { ...TWO, height: '180.5' }], decided: kept, wrote: [...edited, height] };
    const stand = [DELIVERED, DELIVERED, DELIVERED];
    expect(kinds({ ...told, stand, wrote: [...told.wrote, { metric: 'height', value: '180.5' }] })).toEqual([]);
    expect(kinds({ ...told, stand })).toEqual(['stale']);
    expect(kinds({ ...told, stand: [DELIVERED, DELIVERED, parked('conflict', WEIGHT)] })).toContain('false-conflict');
  });

  test('is asked about again when a later version says something else, while the rest is written', () => {
    const told = { said: [ONE, TWO, { weight: '69.0', height: '180.5' }], decided: kept };
    const again = [DELIVERED, DELIVERED, parked('conflict', WEIGHT)];
    const rest: Wrote = { metric: 'height', value: '180.5' };
    expect(kinds({ ...told, stand: again, wrote: [...edited, height, rest] })).toEqual([]);
    expect(kinds({ ...told, stand: again, wrote: [...edited, height] })).toEqual(['stale']);
    expect(kinds({ ...told, stand: [DELIVERED, DELIVERED, DELIVERED], wrote: [...edited, height, rest] })).toEqual([
      'silent',
    ]);
  });

  test('is taken out of a wrong chart like anything else, and not written over when its user comes back', () => {
    const moved = [...LINKED, { user: 'u', patient: B, n: 3 }];
    const away: readonly Wrote[] = [...edited, { metric: 'weight', value: null }, { metric: 'height', value: null }];
    expect(kinds({ wrote: [...away, ...both(ONE, B)], links: moved })).toEqual([]);
    const back = [...moved, { user: 'u', patient: A, n: 5 }];
    expect(kinds({ wrote: [...away, ...both(ONE)], links: back })).toEqual(['overwrote-returned']);
  });

  test('is asked about when its user comes back, though a person kept it before', () => {
    const links = [...LINKED, { user: 'u', patient: B, n: 4 }, { user: 'u', patient: A, n: 6 }];
    const away: readonly Wrote[] = [...edited, height, { metric: 'weight', value: null }];
    const told = { said: [ONE, TWO], decided: kept, links, wrote: away };
    expect(kinds({ ...told, stand: [DELIVERED, parked('conflict', WEIGHT)] })).toEqual([]);
    const over: readonly Wrote[] = [...away, { metric: 'weight', value: '70.5' }];
    expect(kinds({ ...told, wrote: over, stand: [DELIVERED, DELIVERED] })).toEqual(['overwrote-returned']);
  });
});
