import { describe, expect, test } from '@jest/globals';
import { alongFilters, decide, filtersFor, isOwn, type Decision, type Reach } from '../../../src/smart/decide.ts';
import type { Instance, Search } from '../../../src/smart/read-request.ts';
import { loadServed } from '../../../src/smart/served-types.ts';
import { aGrant } from '../../support/smart/a-grant.ts';

const served = loadServed([]);

const search = (type: string, more: Partial<Search> = {}): Search => ({
  kind: 'search-type',
  type,
  patient: null,
  clauses: [],
  evaluated: [],
  include: [],
  revinclude: 'none',
  reverse: [],
  sort: null,
  count: null,
  elements: null,
  summary: 'false',
  used: [],
  ignored: [],
  ...more,
});
const instance = (kind: Instance['kind'], type: string, id: string): Instance => ({
  kind,
  type,
  id,
  versionId: null,
  elements: null,
  summary: 'false',
  count: null,
  since: null,
  used: [],
});

/** Why not; or whose records, and whether the link of their patient is asked for. */
const told = (decision: Decision): string =>
  decision.allow ? `${decision.plan.patient ?? 'nobody in particular'}, ${decision.plan.link}` : decision.because;

describe('a search', () => {
  const own = { patient: 'a' };
  const find = (scope: string, request: Search, more: { patient?: string } = own): string =>
    told(decide(aGrant(scope, more), request, served));

  test.each<[string, string, Search, { patient?: string }, string]>([
    ['of a type that is not served is not covered by any scope', 'user/*.rs', search('Task'), own, 'scope'],
    ['needs a scope of its type', 'patient/Condition.rs', search('Observation'), own, 'scope'],
    ['needs the letter s', 'patient/Observation.r', search('Observation'), own, 'scope'],
    [
      'without a patient in context says that one is missing',
      'patient/Observation.rs',
      search('Observation'),
      {},
      'no-patient',
    ],
    ['by a scope of all types says so too', 'patient/*.s', search('Observation'), {}, 'no-patient'],
    [
      'without a patient in context and without its letter says that the scope is missing',
      'patient/Observation.r',
      search('Observation'),
      {},
      'scope',
    ],
    [
      'without a patient in context and without its type says that the scope is missing',
      'patient/Condition.rs',
      search('Observation'),
      {},
      'scope',
    ],
    [
      'of somebody without any patient says that the scope is missing',
      'user/Condition.rs',
      search('Observation'),
      {},
      'scope',
    ],
    [
      'that names nobody is about the patient in context',
      'patient/Observation.s',
      search('Observation'),
      own,
      'a, not-asked',
    ],
    [
      'that names the patient in context is about that one',
      'patient/Observation.s',
      search('Observation', { patient: 'a' }),
      own,
      'a, not-asked',
    ],
    [
      'that names another is refused to an app of one patient',
      'patient/Observation.s',
      search('Observation', { patient: 'b' }),
      own,
      'other-patient',
    ],
    [
      'that names another needs the link of that one',
      'user/Observation.s',
      search('Observation', { patient: 'b' }),
      own,
      'b, asked',
    ],
    ['of a clinician must name a patient', 'user/Observation.s', search('Observation'), {}, 'patient-needed'],
    [
      'of a clinician must name a patient, though one is in context for other scopes',
      'user/Observation.s patient/Condition.s',
      search('Observation'),
      own,
      'patient-needed',
    ],
    [
      'of a clinician who names the patient in context needs the link',
      'user/Observation.s',
      search('Observation', { patient: 'a' }),
      own,
      'a, asked',
    ],
    [
      'needs no link where a whole scope of the patient in context is there beside that of a clinician',
      'patient/Observation.s user/Observation.s',
      search('Observation'),
      own,
      'a, not-asked',
    ],
    [
      'needs the link where the scope of the patient in context shows less than that of a clinician may',
      'patient/Observation.s?category=x|y user/Observation.s',
      search('Observation'),
      own,
      'a, asked',
    ],
    [
      'needs no link where a part is all that any scope shows',
      'patient/Observation.s?category=x|y',
      search('Observation'),
      own,
      'a, not-asked',
    ],
    [
      'is refused where the only scope has a filter that cannot be matched here',
      'patient/Observation.s?nonsense=x',
      search('Observation'),
      own,
      'scope',
    ],
  ])('%s', (_name, scope, request, more, expected) => {
    expect(find(scope, request, more)).toBe(expected);
  });

  describe('of patients', () => {
    const by = (...clauses: [string, string][]) => search('Patient', { clauses });
    test.each<[string, string, Search, string]>([
      ['by the id of the patient in context', 'patient/Patient.s', by(['_id', 'a']), 'a, not-asked'],
      ['by the id of another, for an app of one patient', 'patient/Patient.s', by(['_id', 'b']), 'other-patient'],
      ['by the id of another, for a clinician', 'user/Patient.s', by(['_id', 'b']), 'b, asked'],
      ['by nothing, for an app of one patient', 'patient/Patient.s', by(), 'a, not-asked'],
      ['by nothing, for a clinician', 'user/Patient.s', by(), 'patient-needed'],
      ['by two ids, for a clinician', 'user/Patient.s', by(['_id', 'a,b']), 'nobody in particular, asked'],
      [
        'by an id twice, for a clinician',
        'user/Patient.s',
        by(['_id', 'a'], ['_id', 'b']),
        'nobody in particular, asked',
      ],
      ['by a number', 'user/Patient.s', by(['identifier', 'urn:mrn|1']), 'nobody in particular, asked'],
      ['by a number without its system', 'user/Patient.s', by(['identifier', '1']), 'nobody in particular, asked'],
      [
        'by a number among other things',
        'user/Patient.s',
        by(['name', ''], ['identifier', '1']),
        'nobody in particular, asked',
      ],
      ['by a system alone', 'user/Patient.s', by(['identifier', 'urn:mrn|']), 'patient-needed'],
      ['by a number and a system alone', 'user/Patient.s', by(['identifier', 'urn:mrn|1,urn:mrn|']), 'patient-needed'],
      ['by a name', 'user/Patient.s', by(['name', '1']), 'nobody in particular, asked'],
      ['by a name, exactly', 'user/Patient.s', by(['family:exact', 'x']), 'nobody in particular, asked'],
      ['by a name, for an app of one patient', 'patient/Patient.s', by(['name', '1']), 'a, not-asked'],
      ['by a language', 'user/Patient.s', by(['language', 'de']), 'patient-needed'],
      [
        'by fifty numbers',
        'user/Patient.s',
        by(['identifier', Array.from({ length: 50 }, (_, i) => `n${i}`).join(',')]),
        'nobody in particular, asked',
      ],
      [
        'by fifty-one numbers',
        'user/Patient.s',
        by(['identifier', Array.from({ length: 51 }, (_, i) => `n${i}`).join(',')]),
        'patient-needed',
      ],
      ['by a number, for an app of one patient', 'patient/Patient.s', by(['identifier', 'urn:mrn|1']), 'a, not-asked'],
      ['by an id and a number', 'user/Patient.s', by(['_id', 'b'], ['identifier', 'urn:mrn|1']), 'b, asked'],
    ])('%s', (_name, scope, request, expected) => {
      expect(find(scope, request)).toBe(expected);
    });
  });

  test('of records that names nobody reaches whom the token sees, if it has any condition', () => {
    const numbered = search('Condition', { clauses: [['identifier', 'urn:x|1']] });
    expect(find('user/Condition.s', numbered)).toBe('nobody in particular, asked');
    expect(find('user/Condition.s', search('Condition', { evaluated: [['code', 'x']] }))).toBe(
      'nobody in particular, asked',
    );
    expect(find('user/Condition.s', search('Condition'))).toBe('patient-needed');
  });

  test('of what is nobody’s is by one id or by what it is called, or not at all', () => {
    const by = (...clauses: [string, string][]) => find('user/Practitioner.s', search('Practitioner', { clauses }));
    const found = 'nobody in particular, not-asked';
    expect([by(['_id', '1']), by(['name', 'x']), by(['family:exact', 'x'], ['active', 'true'])]).toEqual([
      found,
      found,
      found,
    ]);
    expect([by(), by(['active', 'true']), by(['_id', '1'], ['_id', '2'])]).toEqual([
      'shared-search',
      'shared-search',
      'shared-search',
    ]);
  });

  test('of Provenances by what they are about needs no patient: whose they are is judged by their targets', () => {
    const clauses = [['target', 'Observation/1']] as const;
    const of = (request: Search) => find('user/Provenance.s', request);
    expect(of(search('Provenance', { clauses }))).toBe('nobody in particular, not-asked');
    expect(of(search('Provenance', { clauses: [['recorded', 'ge2026'], ...clauses] }))).toBe(
      'nobody in particular, not-asked',
    );
    expect(of(search('Provenance', { clauses: [['recorded', 'ge2026']] }))).toBe('patient-needed');
    expect(of(search('Provenance', { clauses, patient: 'b' }))).toBe('b, asked');
  });
});

describe.each(['read', 'vread', 'history-instance'] as const)('a %s', (kind) => {
  const ask = (scope: string, type: string, id: string, more: object = { patient: 'a' }): string =>
    told(decide(aGrant(scope, more), instance(kind, type, id), served));

  test.each<[string, string, string, object | undefined, string]>([
    ['is refused without a scope of its type', 'patient/Condition.rs', 'Observation', undefined, 'scope'],
    ['is refused without the letter r', 'patient/Observation.s', 'Observation', undefined, 'scope'],
    ['of a type that is not served is refused', 'user/*.rs', 'Task', undefined, 'scope'],
    ['says that the patient is missing', 'patient/Observation.rs', 'Observation', {}, 'no-patient'],
    [
      'may be made by a scope of the patient',
      'patient/Observation.r',
      'Observation',
      undefined,
      'nobody in particular, not-asked',
    ],
    [
      'asks for the link by a scope of a clinician',
      'user/Observation.r',
      'Observation',
      {},
      'nobody in particular, asked',
    ],
    [
      'asks for the link where both are there',
      'patient/Observation.r user/Observation.r',
      'Observation',
      undefined,
      'nobody in particular, asked',
    ],
    ['of a Patient is about that one', 'patient/Patient.r', 'Patient', undefined, 'x, not-asked'],
  ])('%s', (_name, scope, type, more, expected) => {
    expect(ask(scope, type, 'x', more)).toBe(expected);
  });
});

describe('who is signed in', () => {
  const me = { fhirUser: 'Practitioner/me', patient: null };
  const ask = (scope: string, kind: Instance['kind'], type: string, id: string): string =>
    told(decide(aGrant(scope, me), instance(kind, type, id), served));

  test('may read who that is, and nobody else, and no history', () => {
    const scope = 'openid fhirUser';
    expect(ask(scope, 'read', 'Practitioner', 'me')).toBe('nobody in particular, not-asked');
    expect(ask(scope, 'read', 'Practitioner', 'you')).toBe('scope');
    expect(ask(scope, 'vread', 'Practitioner', 'me')).toBe('scope');
    expect(ask(scope, 'history-instance', 'Practitioner', 'me')).toBe('scope');
    expect(ask('openid', 'read', 'Practitioner', 'me')).toBe('scope');
  });

  test('is told by type and id together', () => {
    const grant = aGrant('openid fhirUser', me);
    expect([
      isOwn(grant, 'Practitioner', 'me'),
      isOwn(grant, 'Patient', 'me'),
      isOwn(grant, 'Practitioner', 'you'),
    ]).toEqual([true, false, false]);
    expect(isOwn(aGrant('openid', me), 'Practitioner', 'me')).toBe(false);
  });
});

describe('what may be seen of a type', () => {
  const context: Reach = { isContext: true, isLinked: false };
  const linked: Reach = { isContext: false, isLinked: true };
  const category = [['category', 'x|y']];

  test('is told by each scope that reaches the patient, by one of the letters', () => {
    const grant = aGrant('patient/Observation.r?category=x|y user/Observation.s patient/Condition.rs', {
      patient: 'a',
    });
    expect(filtersFor(grant, 'Observation', ['r', 's'], { isContext: true, isLinked: true })).toEqual([category, []]);
    expect(filtersFor(grant, 'Observation', ['r'], context)).toEqual([category]);
    expect(filtersFor(grant, 'Observation', ['s'], context)).toEqual([]);
    expect(filtersFor(grant, 'Observation', ['r', 's'], linked)).toEqual([[]]);
    expect(filtersFor(grant, 'Encounter', ['r', 's'], context)).toEqual([]);
  });

  test('is nothing of the patient in context where there is none', () => {
    expect(filtersFor(aGrant('patient/*.rs'), 'Observation', ['r'], context)).toEqual([]);
  });

  test('is, of what comes along and is nobody’s, whatever may be read, at any level, of whomever the record is', () => {
    const nobody: Reach = { isContext: false, isLinked: false };
    const along = (scope: string, type: string, reach: Reach) =>
      alongFilters(aGrant(scope, { patient: 'a' }), type, served, reach).length;
    expect(along('patient/Practitioner.r', 'Practitioner', nobody)).toBe(1);
    expect(along('user/Practitioner.r', 'Practitioner', nobody)).toBe(1);
    expect(along('user/Practitioner.s', 'Practitioner', linked)).toBe(0);
  });

  test('is, of what comes along and is somebody’s, what any letter shows of that patient', () => {
    const along = (scope: string, reach: Reach) =>
      alongFilters(aGrant(scope, { patient: 'a' }), 'Encounter', served, reach).length;
    expect([along('patient/Encounter.r', context), along('patient/Encounter.s', context)]).toEqual([1, 1]);
    expect([
      along('patient/Encounter.rs', linked),
      along('user/Encounter.rs', context),
      along('user/Encounter.s', linked),
    ]).toEqual([0, 0, 1]);
  });
});
