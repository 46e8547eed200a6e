import fc from 'fast-check';
import type { Rule, Switches } from '../../../../sandbox/index.ts';
import {
  METRICS,
  type Act,
  type Change,
  type Character,
  type FaultName,
  type Metric,
  type Program,
} from './program.ts';

const flag = (name: keyof Switches, often = 1): fc.Arbitrary<Switches> =>
  fc.oneof({ weight: 4, arbitrary: fc.constant({}) }, { weight: often, arbitrary: fc.constant({ [name]: true }) });
const merged = (...parts: readonly fc.Arbitrary<Switches>[]): fc.Arbitrary<Switches> =>
  fc.tuple(...parts).map((all) => Object.assign({}, ...all) as Switches);
const oneOf = (...choices: readonly (readonly [weight: number, switches: Switches])[]): fc.Arbitrary<Switches> =>
  fc.oneof(...choices.map(([weight, switches]) => ({ weight, arbitrary: fc.constant(switches) })));

/** What a server makes of what it is given, and how it shows it. */
const alterations = merged(
  flag('unionTags'),
  oneOf([5, {}], [2, { meta: 'dropped' }], [2, { meta: 'rewritten' }]),
  flag('normaliseNumbers'),
  flag('addNarrative'),
  flag('reorderIdentifiers'),
  flag('addDisplay'),
  flag('absoluteReferences'),
);
const memory = merged(
  oneOf([5, {}], [2, { versionIds: 'uuid' }], [2, { versionIds: 'absent' }]),
  flag('noHistory'),
  flag('staleAnswers'),
);

const anyServer = merged(
  oneOf([4, {}], [3, { noClientIds: true }], [1, { noClientIds: true, refuseConditional: true }]),
  oneOf(
    [4, {}],
    [1, { noTransactions: true }],
    [2, { noTransactions: true, noBatch: true }],
    [2, { transactionAsBatch: true }],
    [1, { maxEntries: 2 }],
  ),
  alterations,
  memory,
  flag('requireIfMatch'),
  oneOf([6, {}], [1, { searchLagMs: 400 }], [1, { searchLagMs: 4_000 }]),
).map(({ requireIfMatch, ...traits }): Character => {
  const strict = requireIfMatch === true && traits.versionIds !== 'absent' ? { requireIfMatch } : {};
  return { traits: { ...traits, ...strict }, rules: [], isBlind: false };
});

/** Single requests, ids of its own, no conditions, Observations found by anything but our identifier, a bare 201. */
const LEGACY: Switches = {
  noTransactions: true,
  noBatch: true,
  noClientIds: true,
  refuseConditional: true,
  bareCreate: true,
  writableTypes: ['Observation'],
};
const UNFINDABLE: readonly Rule[] = [{ path: '/Observation', ignoreParams: ['identifier'] }];

/** Servers that are recognised, with what they are known for. */
const known: readonly (readonly [weight: number, traits: Switches, isBlind?: 'blind'])[] = [
  [1, { software: 'HAPI FHIR Server', unionTags: true, addNarrative: true }],
  [1, { software: 'medplum', noClientIds: true, maxConditionalEntries: 8, versionIds: 'uuid', normaliseNumbers: true }],
  [1, { software: 'medplum', noClientIds: true, versionIds: 'uuid', normaliseNumbers: true, silentBatch: true }],
  [1, { software: 'medplum', noClientIds: true, versionIds: 'uuid', normaliseNumbers: true, transactionAsBatch: true }],
  [
    1,
    { software: 'Azure Healthcare APIs', publisher: 'Microsoft', maxEntries: 500, meta: 'rewritten', searchLagMs: 400 },
  ],
  [1, { implementation: 'healthcare.googleapis.com', noClientIds: true, meta: 'rewritten', searchLagMs: 400 }],
  [
    2,
    { ...LEGACY, publisher: 'Cerner', requireIfMatch: true, unsaidVersions: true, meta: 'dropped', addDisplay: true },
    'blind',
  ],
  [1, { ...LEGACY, software: 'Epic', addDisplay: true }, 'blind'],
  [1, { ...LEGACY, publisher: 'athenahealth', meta: 'dropped', versionIds: 'absent' }, 'blind'],
  [1, { ...LEGACY }, 'blind'],
];
const knownServer = fc
  .oneof(...known.map((one) => ({ weight: one[0], arbitrary: fc.constant(one) })))
  .map(([, traits, blind]): Character => ({
    traits,
    rules: blind === 'blind' ? UNFINDABLE : [],
    isBlind: blind === 'blind',
  }));

export const characters: fc.Arbitrary<Character> = fc.oneof(
  { weight: 1, arbitrary: fc.constant({ traits: {}, rules: [], isBlind: false } satisfies Character) },
  { weight: 6, arbitrary: anyServer },
  { weight: 3, arbitrary: knownServer },
);

const user = fc.oneof({ weight: 4, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.constant(1) });
/** Mostly the same, so that acts meet. */
const metric: fc.Arbitrary<Metric> = fc.oneof(
  { weight: 3, arbitrary: fc.constant('weight' as const) },
  { weight: 2, arbitrary: fc.constantFrom(...METRICS) },
);
const pick = fc.nat({ max: 11 });
const value: fc.Arbitrary<Change> = fc.record({ kind: fc.constant('value' as const), metric, pick });
const change: fc.Arbitrary<Change> = fc.oneof(
  { weight: 6, arbitrary: value },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('drop' as const), metric }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('drop-most' as const), metric }) },
  { weight: 3, arbitrary: fc.constant<Change>({ kind: 'back' }) },
  { weight: 1, arbitrary: fc.constant<Change>({ kind: 'same' }) },
);
const changes = fc.array(change, { minLength: 1, maxLength: 2 });
const waits = fc.oneof({ weight: 2, arbitrary: fc.constant(true) }, { weight: 1, arbitrary: fc.constant(false) });
const what = fc.constantFrom('value' as const, 'note' as const);
const decision = fc.constantFrom('keep-theirs' as const, 'overwrite' as const);

const send: fc.Arbitrary<Act> = fc.record({
  act: fc.constant('send' as const),
  user,
  changes,
  skips: fc.oneof({ weight: 3, arbitrary: fc.constant(false) }, { weight: 1, arbitrary: fc.constant(true) }),
  waits,
});
const fault: fc.Arbitrary<Act> = fc.record({
  act: fc.constant('fault' as const),
  fault: fc.constantFrom<FaultName[]>('dropped-before', 'dropped-after', 'dropped-after', 'busy', 'failed', 'slow'),
  times: fc.integer({ min: 1, max: 2 }),
});
const edit: fc.Arbitrary<Act> = fc.record({
  act: fc.constant('edit' as const),
  user,
  metric,
  what,
  soon: fc.boolean(),
});
const relink: fc.Arbitrary<Act> = fc.record({ act: fc.constant('relink' as const), user, waits });
const single: fc.Arbitrary<Act> = fc.oneof(
  { weight: 8, arbitrary: send },
  { weight: 1, arbitrary: fc.record({ act: fc.constant('send-late' as const), user, changes }) },
  { weight: 1, arbitrary: fc.record({ act: fc.constant('repeat' as const), user }) },
  { weight: 3, arbitrary: edit },
  { weight: 3, arbitrary: fault },
  { weight: 1, arbitrary: fc.constant<Act>({ act: 'restart' }) },
  { weight: 2, arbitrary: relink },
  { weight: 2, arbitrary: fc.record({ act: fc.constant('decide' as const), user, decision }) },
  { weight: 1, arbitrary: fc.record({ act: fc.constant('approve' as const), user }) },
);

const says = (of: number, ...list: readonly Change[]) =>
  ({ act: 'send', user: of, changes: list, skips: false, waits: true }) satisfies Act;

/** Acts that mean something only together. What is random about them is drawn; other acts may come between. */
const stories: fc.Arbitrary<readonly Act[]> = fc.oneof(
  // A person and the source disagree, somebody decides, and the source goes on.
  fc
    .record({ user, metric, what, decision, first: value, then: change, pick })
    .map(({ user: of, metric: about, what: how, decision: decided, first, then, pick: next }) => [
      { act: 'edit', user: of, metric: about, what: how, soon: false } as const,
      says(of, { kind: 'value', metric: about, pick: next }, first),
      { act: 'decide', user: of, decision: decided } as const,
      says(of, then),
      says(of, { kind: 'value', metric: about, pick: next + 1 }, then),
    ]),
  // A value comes back that was there before.
  fc
    .record({ user, metric, pick })
    .map(({ user: of, metric: about, pick: first }) => [
      says(of, { kind: 'value', metric: about, pick: first }),
      says(of, { kind: 'value', metric: about, pick: first + 1 }),
      says(of, { kind: 'back' }),
    ]),
  // What was dropped is said again.
  fc
    .record({ user, metric, pick })
    .map(({ user: of, metric: about, pick: again }) => [
      says(of, { kind: 'drop', metric: about }),
      says(of, { kind: 'value', metric: about, pick: again }),
    ]),
  // The wrong chart, and back.
  fc
    .record({ user, waits, between: fc.option(send, { nil: undefined }) })
    .map(({ user: of, waits: isPatient, between }) => [
      { act: 'relink', user: of, waits: isPatient } as const,
      ...(between === undefined ? [] : [between]),
      { act: 'relink', user: of, waits: isPatient } as const,
    ]),
  // The link changes while versions are on their way.
  fc
    .record({ user, change, then: change, last: send })
    .map(({ user: of, change: first, then, last }) => [
      { ...says(of, first), waits: false },
      { ...says(of, then), waits: false },
      { act: 'relink', user: of, waits: false } as const,
      last,
    ]),
  // What is new in a chart is written, and the answer is lost.
  fc
    .record({ user, fault, waits, then: change })
    .map(({ user: of, fault: first, waits: isPatient, then }) => [
      first,
      { act: 'relink', user: of, waits: isPatient } as const,
      says(of, then),
    ]),
);

const chunk: fc.Arbitrary<readonly Act[]> = fc.oneof(
  { weight: 3, arbitrary: fc.array(single, { minLength: 1, maxLength: 3 }) },
  { weight: 2, arbitrary: stories },
  { weight: 1, arbitrary: fc.tuple(fault, stories).map(([first, rest]) => [first, ...rest]) },
);

export const programs: fc.Arbitrary<Program> = fc.record({
  character: characters,
  acts: fc
    .tuple(
      fc.oneof({ weight: 4, arbitrary: fc.constant<Act[]>([]) }, { weight: 1, arbitrary: fault.map((one) => [one]) }),
      waits,
      fc.array(chunk, { minLength: 1, maxLength: 3 }),
    )
    .map(([first, isPatient, chunks]) => [
      ...first,
      { act: 'send', user: 0, changes: [{ kind: 'same' }], skips: false, waits: isPatient } as const,
      ...chunks.flat(),
    ]),
});

/** The programs of a seed; the first ones do not depend on how many there are. */
export const drawPrograms = (seed: number, count: number): readonly Program[] =>
  fc.sample(programs, { seed, numRuns: count });
