import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Rule, Switches } from '../../../sandbox/index.ts';
import { sqlitePlace } from '../../support/new-store.ts';
import { playProgram, type Played } from './machine/play-program.ts';
import type { Act, Change, Metric, Program } from './machine/program.ts';
import { reportOf } from './machine/report.ts';
import { runCases } from './rig.ts';

/**
 * What the state machine found once, with everything left out that does not matter, each under the guarantee that it
 * broke.
 */
interface Case extends Program {
  readonly name: string;
}

const says = (...changes: readonly Change[]) =>
  ({ act: 'send', user: 0, changes, skips: false, waits: true }) satisfies Act;
const weight = (pick: number): Change => ({ kind: 'value', metric: 'weight', pick });
const first = says({ kind: 'same' });
const back = says({ kind: 'back' });
const dropped = says({ kind: 'drop', metric: 'weight' });
const edit = (what: 'value' | 'note', metric: Metric = 'weight'): Act => ({
  act: 'edit',
  user: 0,
  metric,
  what,
  soon: false,
});
const decide = (decision: 'keep-theirs' | 'overwrite'): Act => ({ act: 'decide', user: 0, decision });
const relink: Act = { act: 'relink', user: 0, waits: true };
const lost: Act = { act: 'fault', fault: 'dropped-after', times: 1 };
/** As often as a chart has measurements. */
const lostEach: Act = { act: 'fault', fault: 'dropped-after', times: 4 };
const unsent: Act = { act: 'fault', fault: 'dropped-before', times: 1 };

const at = (traits: Switches, rules: readonly Rule[] = [], isBlind = false) => ({
  character: { traits, rules, isBlind },
});
const ORACLE = at(
  {
    publisher: 'Cerner',
    noTransactions: true,
    noBatch: true,
    noClientIds: true,
    refuseConditional: true,
    bareCreate: true,
    requireIfMatch: true,
    unsaidVersions: true,
    writableTypes: ['Observation'],
  },
  [{ path: '/Observation', ignoreParams: ['identifier'] }],
  true,
);

const CASES: readonly Case[] = [
  {
    name: 'a lost request does not make the next version of a resource ours',
    ...at({}),
    acts: [first, unsent, edit('value'), says(weight(1))],
  },
  {
    name: 'a note is a change like any other, also after a lost request',
    ...at({}),
    acts: [first, unsent, edit('note'), says(weight(1))],
  },
  {
    name: 'without versions a note is still seen before the next write',
    ...at({ versionIds: 'absent' }),
    acts: [first, edit('note'), says(weight(1))],
  },
  {
    name: 'without versions a value is still seen before the next write',
    ...at({ versionIds: 'absent' }),
    acts: [first, edit('value'), says(weight(1))],
  },
  {
    name: 'versions without an order do not make a change of a person ours',
    ...at({ versionIds: 'uuid', transactionAsBatch: true }),
    acts: [first, edit('value'), says(weight(1))],
  },
  {
    name: 'a transaction that is run as a batch neither overwrites nor hides what is in conflict',
    ...at({ transactionAsBatch: true }),
    acts: [first, edit('value'), says(weight(1)), decide('overwrite')],
  },
  {
    name: 'a decision to overwrite is carried out once, whatever the type of the answer',
    ...at({ transactionAsBatch: true, meta: 'dropped', versionIds: 'absent' }),
    acts: [first, edit('value'), says(weight(1)), decide('overwrite')],
  },
  {
    name: 'theirs is kept until a person decides otherwise, and is asked about when the document says something else',
    ...at({}),
    acts: [
      first,
      edit('value'),
      says(weight(1)),
      decide('keep-theirs'),
      says(weight(2), { kind: 'value', metric: 'bmi', pick: 1 }),
    ],
  },
  {
    name: 'theirs is kept while the document says what the person saw',
    ...at({}),
    acts: [
      first,
      edit('value'),
      says(weight(1)),
      decide('keep-theirs'),
      says({ kind: 'value', metric: 'bmi', pick: 1 }),
    ],
  },
  {
    name: 'theirs is kept at Oracle Health while the document says what the person saw',
    ...ORACLE,
    acts: [
      first,
      edit('value'),
      says(weight(1)),
      decide('keep-theirs'),
      says({ kind: 'value', metric: 'height', pick: 1 }),
    ],
  },
  {
    name: 'theirs is kept when the document no longer speaks of it',
    ...at({}),
    acts: [first, edit('value'), says(weight(1)), decide('keep-theirs'), dropped],
  },
  {
    name: 'a person who changed something finds it changed, and not written over, when the user comes back to the chart',
    ...at({}),
    acts: [first, edit('note'), relink, relink],
  },
  {
    name: 'what a person keeps is not written over either when the user comes back to the chart',
    ...at({}),
    acts: [first, edit('value'), says(weight(1)), decide('keep-theirs'), relink, relink],
  },
  {
    name: 'what a person keeps is not written over, though nobody heard how it was taken out of the wrong chart',
    ...at({}),
    acts: [first, edit('value'), says(weight(1)), decide('keep-theirs'), lostEach, relink, relink],
  },
  {
    name: 'what a person changed is not written over, though nobody heard how it was taken out of the wrong chart',
    ...at({}),
    acts: [first, edit('value'), lostEach, relink, relink],
  },
  {
    name: 'what a person keeps is asked about when the user comes back and the document says something else',
    ...at({ versionIds: 'absent' }),
    acts: [first, edit('value'), says(weight(1)), decide('keep-theirs'), relink, says(weight(2)), relink],
  },
  {
    name: 'our own first write is recognised without its tags',
    ...at({ meta: 'rewritten' }),
    acts: [lost, first],
  },
  {
    name: 'our own update is recognised without its tags',
    ...at({ meta: 'dropped', noClientIds: true, noTransactions: true, noBatch: true }),
    acts: [first, lost, says(weight(1))],
  },
  {
    name: 'our own write is recognised without tags and versions',
    ...at({ meta: 'dropped', versionIds: 'absent' }),
    acts: [first, says(weight(1))],
  },
  {
    name: 'a value that comes back is written, though its old tag is still there',
    ...at({ unionTags: true }),
    acts: [first, says(weight(1)), unsent, back],
  },
  {
    name: 'a value that comes back is written, though its old tag is still there, without versions',
    ...at({ unionTags: true, versionIds: 'absent' }),
    acts: [first, says(weight(1)), back],
  },
  {
    name: 'what was withdrawn and written again is withdrawn again, though the old tag is still there',
    ...at({ unionTags: true }),
    acts: [first, relink, relink, relink],
  },
  {
    name: 'an answer from a cache about a withdrawal is no conflict',
    ...at({ staleAnswers: true }),
    acts: [first, dropped, says(weight(1))],
  },
  {
    name: 'what was written and is not found yet is not written twice',
    ...at({ noClientIds: true, searchLagMs: 5_000 }),
    acts: [lost, first],
  },
  {
    name: 'at Oracle Health what is withdrawn shows no value any more',
    ...ORACLE,
    acts: [first, dropped],
  },
  {
    name: 'at Oracle Health what was taken out of the wrong chart, and nobody heard of it, comes back and bothers nobody',
    ...ORACLE,
    acts: [first, lostEach, relink, relink],
  },
  {
    name: 'at Oracle Health nothing stays in the wrong chart',
    ...ORACLE,
    acts: [first, relink],
  },
];

/** Tells long from for ever. */
const MOST_MS = 240_000;
/** A race, so it is run several times. */
const RACES = 24;
const RACE: Case = {
  name: 'a link that changes while versions are on their way leaves nothing in the wrong chart',
  ...at({}),
  acts: [
    first,
    { ...says(weight(1), { kind: 'drop', metric: 'height' }), waits: false },
    { ...says({ kind: 'same' }), waits: false },
    { ...relink, waits: false },
    says({ kind: 'same' }),
  ],
};

const playing: { done?: Promise<Map<Case, Played | Error>> } = {};
beforeAll(() => {
  const races = Array.from({ length: RACES }, () => ({ ...RACE }));
  playing.done = runCases([...CASES, ...races], 6, (one) => playProgram(one, sqlitePlace));
});
afterAll(async () => {
  await playing.done;
}, MOST_MS);

test.each([...new Set([...CASES, RACE].map(({ name }) => name))])(
  '%s',
  async (name) => {
    const played = [...((await playing.done) ?? [])].filter(([one]) => one.name === name);
    const failed = played.filter(([, result]) => result instanceof Error || result.violations.length > 0);
    expect(played.length).toBeGreaterThan(0);
    if (failed[0] !== undefined) throw new Error(`${failed.length} of ${played.length}: ${reportOf(...failed[0])}`);
  },
  MOST_MS,
);
