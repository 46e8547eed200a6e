import { describe, expect, test } from '@jest/globals';
import { HELP, parseAsked } from '../../../../tools/inferno/parse-asked.ts';
import { chooseRuns, PLAN } from '../../../../tools/inferno/plan.ts';
import { SETS } from '../../../../tools/inferno/suite-run.ts';

test('without arguments everything is run, at the Inferno of the environment or at its usual address', () => {
  expect(parseAsked([], { TEST_INFERNO_URL: 'http://inferno.example/' })).toEqual({
    sets: [],
    only: new RegExp(''),
    inferno: 'http://inferno.example',
    gateway: null,
    ehr: null,
    data: null,
    patients: null,
    mrnSystem: null,
    minutesMax: Infinity,
    isDirect: false,
    isList: false,
    json: null,
  });
  expect(parseAsked([], {})).toMatchObject({ inferno: 'http://localhost:4567' });
});

test('the environment names data for a gateway of our own alone: a given one is sent nothing unasked', () => {
  const env = { TEST_INFERNO_DATA: 'd' };
  expect(parseAsked([], env)).toMatchObject({ data: 'd' });
  expect(parseAsked(['--data', 'e'], env)).toMatchObject({ data: 'e' });
  expect(parseAsked(['--gateway', 'http://g.example'], env)).toMatchObject({ data: null });
});

test('a given gateway, its EHR and patients are taken as they are named', () => {
  const words = 'us-core --gateway http://g.example/ --admin-token-file t --ehr http://e.example/fhir/ --direct';
  expect(parseAsked([...words.split(' '), '--patients', '85=M1,355=M2'], {})).toMatchObject({
    sets: ['us-core'],
    gateway: { url: 'http://g.example', adminTokenFile: 't', webhookSecretFile: null, clientUuid: null },
    ehr: 'http://e.example/fhir',
    patients: [
      { id: '85', mrn: 'M1' },
      { id: '355', mrn: 'M2' },
    ],
    isDirect: true,
  });
});

describe('what cannot be meant is refused', () => {
  test.each([
    [['us-cores']],
    [['--only', '(']],
    [['--nothing']],
    [['--inferno', 'here']],
    [['--ehr', 'http://e.example']],
    [['--gateway', 'http://g.example', '--direct']],
    [['--gateway', 'http://g.example', '--data', 'd']],
    [['--minutes', 'soon']],
    [['--minutes', '0']],
    [['--patients', '85']],
    [['--patients', '85=1=2']],
    [['--patients', '85=1,']],
  ])('%j', (args) => {
    expect(parseAsked(args, {})).toEqual({ problem: expect.any(String) });
  });
});

test('the help names every set and is asked for by either name', () => {
  for (const set of SETS) expect(HELP).toContain(`\n  ${set} `);
  expect([parseAsked(['--help'], {}), parseAsked(['-h'], {})]).toEqual(['help', 'help']);
});

test('every set has runs, and --only chooses among them by name', () => {
  for (const set of SETS) expect([set, chooseRuns(PLAN, [set], /./).length > 0]).toEqual([set, true]);
  expect(chooseRuns(PLAN, ['us-core'], /6\.1\.0, user/).map(({ name }) => name)).toEqual(['US Core 6.1.0, user token']);
  expect(chooseRuns(PLAN, [], /./)).toEqual(PLAN);
});
