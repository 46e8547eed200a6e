import { describe, expect, test } from '@jest/globals';
import { fail, fault, ok, silentLog, type RequestId, type Result } from '../../../src/kernel/index.ts';
import type { EhrReader } from '../../../src/smart/ask-ehr.ts';
import type { Checked } from '../../../src/smart/check-page.ts';
import { makeJudge, type Judge, type Shown, type Sight } from '../../../src/smart/judge.ts';
import type { LinkedPatients } from '../../../src/smart/linked-patients.ts';
import { loadServed } from '../../../src/smart/served-types.ts';
import type { Resource } from '../../../src/smart/whose.ts';
import { aGrant } from '../../support/smart/a-grant.ts';

const EHR = 'https://ehr.example.org/fhir';
const served = loadServed([]);

const observation = (id: string, of: string, more: object = {}): Resource => ({
  resourceType: 'Observation',
  id,
  meta: { versionId: '2' },
  subject: { reference: `Patient/${of}` },
  ...more,
});
const provenance = (...targets: string[]): Resource => ({
  resourceType: 'Provenance',
  id: 'p',
  target: targets.map((reference) => ({ reference })),
});
const practitioner: Resource = { resourceType: 'Practitioner', id: 'd' };
const condition: Resource = { resourceType: 'Condition', id: 'c', subject: { reference: 'Patient/a' } };

/** An EHR and links that are lists, and everything that was asked of either. */
function rig(records: Readonly<Record<string, unknown>>, linked: readonly string[], broken: string | null = null) {
  const asked: string[] = [];
  const answer = <T>(question: string, value: T): Promise<Result<T>> => {
    asked.push(question);
    return Promise.resolve(broken !== null && question.startsWith(broken) ? fail(fault('ehr.unreachable')) : ok(value));
  };
  const links: LinkedPatients = {
    isLinked: (id) => answer(`link ${id}`, linked.includes(id)),
    mrnsOf: () => Promise.resolve({ ok: true, value: [] }),
    isLinkedPatient: ({ id }) => answer(`linked Patient ${String(id)}`, linked.includes(String(id))),
  };
  const reader: EhrReader = {
    read: (path) => {
      const resource = records[path] as Resource | undefined;
      return answer(`read ${path}`, resource === undefined ? null : { resource, headers: {} });
    },
    search: (type, params) => {
      const given = new Map(params);
      const ids = (given.get('_id') ?? '').split(',');
      const entry = ids.flatMap((id) => records[`${type}/${id}`] ?? []).map((resource) => ({ resource }));
      return answer(`search ${type} ${given.get('_count')}: ${ids.join()}`, { bundle: { entry }, next: null });
    },
    page: () => {
      throw new Error('nobody asks for a page');
    },
  };
  return { asked, judge: makeJudge({ served, ehrBase: EHR, links, reader }) };
}

const callerOf = (scope: string, patient: string | null = null) => ({
  grant: aGrant(scope, { patient }),
  requestId: 'req_x' as RequestId,
  log: silentLog,
});
const told = (sight: Result<Sight>): string => {
  if (!sight.ok) return sight.fault.code;
  return sight.value.kind === 'seen' ? `of ${sight.value.patient ?? 'nobody'}` : sight.value.because;
};

describe('a resource in hand', () => {
  const own = observation('1', 'a');
  const survey = observation('1', 'a', { category: [{ coding: [{ system: 'http://cat', code: 'survey' }] }] });
  const inLab = 'Observation.rs?category=http://cat|lab';

  test.each<[string, Resource, string, string | null, string, string[]]>([
    ['of the patient in context is seen without a question', own, 'patient/*.rs', 'a', 'of a', []],
    ['of another patient is not', observation('1', 'b'), 'patient/*.rs', 'a', 'scope', []],
    ['is not seen by a scope of other types', own, 'patient/Condition.rs', 'a', 'scope', []],
    ['is not seen by a scope of other letters', own, 'patient/Observation.s', 'a', 'scope', []],
    ['that the filter does not match is not seen', survey, `patient/${inLab}`, 'a', 'scope', []],
    ['that the filter does not match costs a clinician’s app no question', survey, `user/${inLab}`, null, 'scope', []],
    [
      'that the filter of the context does not match is seen by a link',
      survey,
      `patient/${inLab} user/*.rs`,
      'a',
      'of a',
      ['link a'],
    ],
    ['of a linked patient is seen by a clinician', own, 'user/*.rs', null, 'of a', ['link a']],
    ['of a patient without a link is not', observation('1', 'b'), 'user/*.rs', null, 'unlinked', ['link b']],
    [
      'says itself whether it is linked where it is the Patient',
      { resourceType: 'Patient', id: 'a' },
      'user/*.rs',
      null,
      'of a',
      ['linked Patient a'],
    ],
    [
      'that is nobody’s is seen by whoever may read its type',
      practitioner,
      'patient/Practitioner.r',
      'a',
      'of nobody',
      [],
    ],
    ['that is nobody’s is hidden from others', practitioner, 'patient/Condition.rs', 'a', 'scope', []],
    [
      'of which nobody can say whose it is, is hidden',
      observation('1', 'b', { subject: {} }),
      'user/*.rs',
      null,
      'scope',
      [],
    ],
    [
      'that contains what tells of others is hidden',
      { ...own, contained: [{ resourceType: 'Patient' }] },
      'patient/*.rs',
      'a',
      'scope',
      [],
    ],
  ])('%s', async (_name, resource, scope, patient, expected, questions) => {
    const { judge, asked } = rig({}, ['a']);
    expect(told(await judge.sees(resource, ['r'], callerOf(scope, patient)))).toBe(expected);
    expect(asked).toEqual(questions);
  });

  test('is neither seen nor hidden where the link cannot be looked up', async () => {
    const { judge } = rig({}, ['a'], 'link');
    expect(told(await judge.sees(own, ['r'], callerOf('user/*.rs')))).toBe('ehr.unreachable');
  });
});

describe('what takes as long as a hidden record', () => {
  const HIDDEN: Sight = { kind: 'hidden', because: 'scope' };
  test.each<[string, string, Sight | null, string, string[]]>([
    ['is one question for what is not there', 'Observation', null, 'user/*.rs', ['link 1']],
    ['is one question for what was hidden without one', 'Observation', HIDDEN, 'user/*.rs', ['link 1']],
    ['is none where the question was asked', 'Observation', { kind: 'hidden', because: 'unlinked' }, 'user/*.rs', []],
    ['is none for what is seen', 'Observation', { kind: 'seen', patient: 'a' }, 'user/*.rs', []],
    ['is none for a Patient, who says it itself', 'Patient', null, 'user/*.rs', []],
    ['is none where no link could show it', 'Observation', HIDDEN, 'patient/*.rs', []],
    ['is none where no link could show its type', 'Observation', null, 'user/Condition.rs', []],
    ['is none where no link could show it by this letter', 'Observation', null, 'user/Observation.s', []],
  ])('%s', async (_name, type, sight, scope, questions) => {
    const { judge, asked } = rig({}, ['a']);
    await judge.takeAsLong(type, '1', ['r'], sight, callerOf(scope, 'a'));
    expect(asked).toEqual(questions);
  });
});

describe('of those that are named', () => {
  const records = {
    'Observation/1': observation('1', 'a'),
    'Observation/2': observation('2', 'b', { meta: {} }),
    'Observation/3': observation('3', 'c'),
    'Condition/c': condition,
    'Practitioner/d': practitioner,
  };
  const shownTo = async (scope: string, names: readonly string[], of = rig(records, ['a', 'b'])) => {
    const found = await of.judge.named(names, callerOf(scope, 'a'));
    return { shown: found.ok ? [...found.value] : found.fault.code, asked: of.asked };
  };

  test('those are told that may be seen, with their patient and their version', async () => {
    const { shown, asked } = await shownTo('user/*.rs', [
      'Observation/1',
      'Observation/2',
      'Observation/3',
      'Practitioner/d',
    ]);
    expect(shown).toEqual([
      ['Observation/1', { patient: 'a', versionId: '2' }],
      ['Observation/2', { patient: 'b', versionId: null }],
      ['Practitioner/d', { patient: null, versionId: null }],
    ]);
    expect(asked.filter((one) => one.startsWith('search'))).toEqual([
      'search Observation 3: 1,2,3',
      'search Practitioner 1: d',
    ]);
  });

  test('nothing is asked of a type that is not served, of Provenances, or of what no scope covers', async () => {
    expect(await shownTo('patient/*.rs', ['Task/1', 'Provenance/p'])).toEqual({ shown: [], asked: [] });
    expect(await shownTo('patient/Observation.rs', ['Condition/c'])).toEqual({ shown: [], asked: [] });
  });

  test('one that may be seen by search alone is seen', async () => {
    expect((await shownTo('patient/Observation.s', ['Observation/1'])).shown).toHaveLength(1);
  });

  test('what is not there takes as long as what is hidden', async () => {
    const hidden = await shownTo('user/*.rs', ['Observation/3']);
    const absent = await shownTo('user/*.rs', ['Observation/none']);
    expect([hidden.shown, absent.shown]).toEqual([[], []]);
    expect(hidden.asked).toEqual(['search Observation 1: 3', 'link c']);
    expect(absent.asked).toEqual(['search Observation 1: none', 'link none']);
  });

  test('those that were checked already are told without a question', async () => {
    const { judge, asked } = rig(records, []);
    const checked: Shown = new Map([['Observation/9', { patient: 'a', versionId: '1' }]]);
    const found = await judge.named(['Observation/9'], callerOf('user/*.rs'), checked);
    expect([found, asked]).toEqual([ok(checked), []]);
  });

  test('fifty are looked for at a time, and two hundred at most', async () => {
    const many = (count: number): Record<string, Resource> =>
      Object.fromEntries(Array.from({ length: count }, (_, i) => [`Observation/n${i}`, observation(`n${i}`, 'a')]));
    const count = async (names: number) => {
      const { shown, asked } = await shownTo('patient/*.rs', Object.keys(many(names)), rig(many(names), []));
      return [shown.length, ...asked.map((one) => one.split(':')[0])];
    };
    expect(await count(50)).toEqual([50, 'search Observation 50']);
    expect(await count(51)).toEqual([51, 'search Observation 50', 'search Observation 1']);
    expect(await count(201)).toEqual([200, ...Array.from({ length: 4 }, () => 'search Observation 50')]);
  });

  test('an EHR that answers with anything else shows nothing of it', async () => {
    for (const entry of [undefined, 'x', [null], [{}], [{ resource: 'x' }], [{ resource: observation('9', 'a') }]]) {
      const reader = { search: () => Promise.resolve(ok({ bundle: { entry }, next: null })) } as unknown as EhrReader;
      const links = { isLinked: () => Promise.resolve(ok(true)) } as unknown as LinkedPatients;
      const found = await makeJudge({ served, ehrBase: EHR, links, reader }).named(
        ['Observation/1'],
        callerOf('patient/*.rs', 'a'),
      );
      expect(found).toEqual(ok(new Map()));
    }
  });

  test('nothing is told where the EHR, or a link, cannot be asked', async () => {
    for (const broken of ['search', 'link'])
      expect((await shownTo('user/*.rs', ['Observation/1'], rig(records, ['a'], broken))).shown).toBe(
        'ehr.unreachable',
      );
  });
});

describe('a Provenance', () => {
  const records = {
    'Observation/1': observation('1', 'a'),
    'Observation/2': observation('2', 'b'),
    'Observation/3': observation('3', 'c'),
    'Observation/1/_history/1': observation('1', 'a', { meta: { versionId: '1' } }),
    'Observation/2/_history/1': observation('2', 'a', { meta: { versionId: '1' } }),
    'Observation/3/_history/1': observation('3', 'a', { meta: { versionId: '1' } }),
    'Condition/c': condition,
    'Practitioner/d': practitioner,
  };
  const linked = ['a', 'b'];
  const match = (resource: Resource): Checked => ({ resource, mode: 'match' });
  type By = Parameters<Judge['provenances']>[1];
  const by = (more: Partial<By> = {}): By => ({ letters: ['s'], shown: new Map(), beyond: 'a-few', ...more });
  const targetsOf = (kept: Result<readonly Checked[]>): unknown =>
    kept.ok &&
    kept.value.map(({ resource }) => (resource['target'] as { reference: string }[]).map(({ reference }) => reference));

  test.each<[string, string, string | null, string[], boolean]>([
    ['about a record of the patient in context is seen', 'patient/*.rs', 'a', ['Observation/1'], true],
    ['about two of them is seen', 'patient/*.rs', 'a', ['Observation/1', 'Condition/c'], true],
    ['about one and who wrote it is seen', 'patient/*.rs', 'a', ['Observation/1', 'Practitioner/d'], true],
    ['about who wrote it alone is not', 'patient/*.rs', 'a', ['Practitioner/d'], false],
    ['about own and foreign records is seen', 'patient/*.rs', 'a', ['Observation/1', 'Observation/2'], true],
    ['about foreign and own records is seen', 'patient/*.rs', 'a', ['Observation/2', 'Observation/1'], true],
    ['about foreign records is not', 'patient/*.rs', 'a', ['Observation/2', 'Observation/3'], false],
    ['about two linked patients is seen by a clinician', 'user/*.rs', null, ['Observation/1', 'Observation/2'], true],
    ['about a linked patient and a stranger is seen', 'user/*.rs', null, ['Observation/1', 'Observation/3'], true],
    [
      'is not seen by a scope that reaches its targets and not itself',
      'user/Observation.rs patient/Provenance.rs',
      'a',
      ['Observation/2', 'Observation/3'],
      false,
    ],
    ['about the current version is seen', 'patient/*.rs', 'a', ['Observation/1/_history/2'], true],
    ['about an older version of the same patient is seen', 'patient/*.rs', 'a', ['Observation/1/_history/1'], true],
    ['about a version that was another’s is not', 'user/*.rs', null, ['Observation/2/_history/1'], false],
    ['about a version that is not there is not', 'patient/*.rs', 'a', ['Observation/1/_history/9'], false],
    ['about a record that is not there is not', 'patient/*.rs', 'a', ['Observation/9'], false],
  ])('%s', async (_name, scope, patient, targets, isSeen) => {
    const { judge } = rig(records, linked);
    const sight = await judge.sees(provenance(...targets), ['r'], callerOf(scope, patient));
    expect(told(sight)).toBe(isSeen ? 'of nobody' : 'scope');
  });

  test('of a page is kept or left for itself, and none costs nothing', async () => {
    const { judge, asked } = rig(records, linked);
    const own = match(provenance('Observation/1'));
    const foreign = match(provenance('Observation/2'));
    const caller = callerOf('patient/*.rs', 'a');
    expect(await judge.provenances([], by(), caller)).toEqual(ok([]));
    expect(asked).toEqual([]);
    expect(await judge.provenances([foreign, own], by(), caller)).toEqual(ok([own]));
  });

  test('is judged by what was seen already, without another question', async () => {
    const { judge, asked } = rig({}, []);
    const given = [match(provenance('Observation/1'))];
    const shown: Shown = new Map([['Observation/1', { patient: 'a', versionId: '2' }]]);
    expect(await judge.provenances(given, by({ shown }), callerOf('patient/*.rs', 'a'))).toEqual(ok(given));
    expect(asked).toEqual([]);
  });

  test('costs no question about patients for targets that are not there: whether it is shown tells nothing of them', async () => {
    const { judge, asked } = rig(records, linked);
    await judge.provenances([match(provenance('Observation/9'))], by(), callerOf('user/*.rs'));
    expect(asked).toEqual(['search Observation 1: 9']);
  });

  test('of one patient’s everything tells of nobody else, though the token reaches both', async () => {
    const { judge } = rig(records, linked);
    const [one, both] = [match(provenance('Observation/1')), match(provenance('Observation/1', 'Observation/2'))];
    const keep = (of?: string) =>
      judge.provenances([one, both], by(of === undefined ? {} : { only: of }), callerOf('user/*.rs'));
    expect(await keep()).toEqual(ok([one, both]));
    expect(await keep('a').then(targetsOf)).toEqual([['Observation/1'], ['Observation/1']]);
    expect(await keep('b').then(targetsOf)).toEqual([['Observation/2']]);
  });

  test('that comes along is cut to what is on the page, without any question', async () => {
    const { judge, asked } = rig(records, linked);
    const shown: Shown = new Map([['Observation/1', { patient: 'a', versionId: '2' }]]);
    const given = [
      match(provenance('Observation/1', 'Observation/2', 'Observation/3', 'Condition/c')),
      match(provenance('Observation/1/_history/1')),
      match(provenance('Condition/c')),
    ];
    const kept = await judge.provenances(given, by({ shown, beyond: 'nothing' }), callerOf('patient/*.rs', 'a'));
    expect([targetsOf(kept), asked]).toEqual([[['Observation/1']], []]);
  });

  test('with hundreds of targets costs one question for fifty of them', async () => {
    const { judge, asked } = rig(records, linked);
    const many = Array.from({ length: 471 }, (_, n) => `Observation/${n + 1}`);
    const kept = await judge.provenances([match(provenance(...many))], by(), callerOf('patient/*.rs', 'a'));
    expect([targetsOf(kept), asked.length]).toEqual([[['Observation/1']], 1]);
  });

  test('of which ten older versions were read has no others looked at', async () => {
    const { judge, asked } = rig(records, linked);
    const many = Array.from({ length: 30 }, (_, n) => `Observation/1/_history/${n + 10}`);
    await judge.provenances([match(provenance(...many, 'Observation/1'))], by(), callerOf('patient/*.rs', 'a'));
    expect(asked.filter((one) => one.startsWith('read'))).toHaveLength(10);
  });

  test('is neither seen nor hidden where its target was seen and the link of its patient cannot be asked for', async () => {
    const { judge } = rig({}, linked, 'link');
    const shown: Shown = new Map([['Observation/1', { patient: 'a', versionId: '2' }]]);
    const kept = await judge.provenances([match(provenance('Observation/1'))], by({ shown }), callerOf('user/*.rs'));
    expect(kept).toMatchObject({ ok: false, fault: { code: 'ehr.unreachable' } });
  });

  test.each(['search', 'link', 'read'])('is neither seen nor hidden where a %s cannot be asked', async (broken) => {
    const { judge } = rig(records, linked, broken);
    const sight = await judge.sees(provenance('Observation/1/_history/1'), ['r'], callerOf('user/*.rs'));
    expect(told(sight)).toBe('ehr.unreachable');
  });
});
