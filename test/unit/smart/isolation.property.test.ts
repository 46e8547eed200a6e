import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { Grant, ResourceScope } from '../../../src/auth/index.ts';
import { parseResourceScope } from '../../../src/auth/index.ts';
import { isObject, ok, silentLog, type RequestId } from '../../../src/kernel/index.ts';
import { searchParamsOf } from '../../../src/r4/index.ts';
import type { AnyPage, EhrReader } from '../../../src/smart/ask-ehr.ts';
import type { LeftOut } from '../../../src/smart/check-page.ts';
import { decide } from '../../../src/smart/decide.ts';
import { makeJudge } from '../../../src/smart/judge.ts';
import type { LinkedPatients } from '../../../src/smart/linked-patients.ts';
import { parseSearch } from '../../../src/smart/parse-search.ts';
import { makePassPages, type PassPage } from '../../../src/smart/pass-page.ts';
import { makeRewriteText } from '../../../src/smart/rewrite-addresses.ts';
import { makeRunSearch, type RunSearchToPrint } from '../../../src/smart/run-search.ts';
import { makeRunRead } from '../../../src/smart/run-read.ts';
import { loadServed } from '../../../src/smart/served-types.ts';
import type { Resource } from '../../../src/smart/whose.ts';
import { aGrant } from '../../support/smart/start-smart.ts';
import { NO_PERSONS } from '../../support/smart/no-persons.ts';

const served = loadServed([]);
const EHR = 'https://ehr.example.org/fhir';
const rules = {
  served,
  isOffered: (type: string) => served.has(type),
  base: 'https://gateway.example.org/fhir',
  paramsOf: searchParamsOf,
  includesOf: searchParamsOf,
  otherParam: () => undefined,
  mayReverse: () => true,
};

const patients = fc.constantFrom('a', 'b', 'c');
const categories = fc.constantFrom('vital-signs', 'laboratory', 'survey');
const types = fc.constantFrom(
  'Observation',
  'Condition',
  'AllergyIntolerance',
  'Device',
  'Encounter',
  'Patient',
  'Provenance',
  'Practitioner',
  'Organization',
  'Task',
);

const scopeText = fc.oneof(
  fc
    .tuple(
      fc.constantFrom('patient', 'user', 'system'),
      fc.constantFrom(
        '*',
        'Observation',
        'Condition',
        'Patient',
        'Device',
        'Encounter',
        'Provenance',
        'Practitioner',
        'AllergyIntolerance',
      ),
      fc.constantFrom('r', 's', 'rs', 'cruds', 'cud', 'read'),
    )
    .map(([level, type, letters]) => `${level}/${type}.${letters}`),
  fc
    .tuple(fc.constantFrom('patient', 'user'), fc.constantFrom('rs', 'r', 's'), categories)
    .map(([level, letters, category]) => `${level}/Observation.${letters}?category=http://cat|${category}`),
);
const grants: fc.Arbitrary<Grant> = fc
  .tuple(fc.array(scopeText, { maxLength: 5 }), fc.option(patients))
  .map(([scopes, patient]) => aGrant(scopes.join(' '), { patient }));

const reference = fc.oneof(
  patients.map((id) => ({ reference: `Patient/${id}` })),
  patients.map((id) => ({ reference: `${EHR}/Patient/${id}` })),
  patients.map((id) => ({ reference: `https://other.example.org/fhir/Patient/${id}` })),
  fc.constant({ reference: 'Group/a' }),
  fc.constant({ identifier: { value: 'a' } }),
  fc.constant({ reference: '#a' }),
);
/** What may be contained and tells of somebody else. */
const entanglements = fc.constantFrom(
  { resourceType: 'Patient' },
  { resourceType: 'Condition', subject: { reference: 'Patient/x' } },
  { resourceType: 'Made-up', subject: { reference: 'Patient/x' } },
  { subject: { reference: 'Patient/x' } },
);
const resource: fc.Arbitrary<unknown> = fc
  .record({
    type: types,
    id: fc.constantFrom('a', 'b', 'c', '1', '2', '3'),
    of: reference,
    others: fc.array(reference, { maxLength: 2 }),
    category: categories,
    contained: fc.oneof({ weight: 8, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: entanglements }),
  })
  .map(({ type, id, of, others, category, contained }) => ({
    resourceType: type,
    id,
    ...(contained === null ? {} : { contained: [contained] }),
    category: [{ coding: [{ system: 'http://cat', code: category }] }],
    ...(type === 'AllergyIntolerance' || type === 'Device' ? { patient: of } : { subject: of }),
    performer: [...others, { reference: 'Practitioner/1' }],
    ...(type === 'Provenance' ? { target: [of, ...others, { reference: `Observation/${id}` }] } : {}),
  }));
const entry = fc.oneof(
  {
    weight: 12,
    arbitrary: fc.record({
      resource,
      search: fc.option(fc.record({ mode: fc.constantFrom('match', 'include', 'outcome') })),
    }),
  },
  { weight: 1, arbitrary: fc.anything() },
);
const bundles = fc
  .array(entry, { maxLength: 6 })
  .map((entries) => ({ resourceType: 'Bundle', type: 'searchset', entry: entries }));
/** Mostly what an honest EHR would send, so that a page is often sound, and something foreign in some of them. */
const pagesFor = (type: string, patient: string) =>
  fc
    .array(
      fc.oneof(
        {
          weight: 15,
          arbitrary: fc.tuple(fc.constantFrom('1', '2', '3'), categories).map(([n, category]) => ({
            resource: {
              resourceType: type,
              id: type === 'Patient' ? patient : n,
              identifier: [{ system: 'http://x', value: '1' }],
              category: [{ coding: [{ system: 'http://cat', code: category }] }],
              subject: { reference: `Patient/${patient}` },
              patient: { reference: `Patient/${patient}` },
              performer: [{ reference: 'Practitioner/1' }],
              ...(type === 'Provenance' ? { target: [{ reference: `Patient/${patient}` }] } : {}),
            },
            search: { mode: 'match' },
          })),
        },
        {
          weight: 1,
          arbitrary: fc.tuple(fc.constantFrom('match', 'include'), entanglements).map(([mode, contained]) => ({
            resource: {
              resourceType: type,
              id: '4',
              subject: { reference: `Patient/${patient}` },
              contained: [contained],
            },
            search: { mode },
          })),
        },
        {
          weight: 1,
          arbitrary: fc.tuple(patients, fc.constantFrom('1', '9')).map(([other, id]) => ({
            resource: { resourceType: 'Encounter', id, subject: { reference: `Patient/${other}` } },
            search: { mode: 'include' },
          })),
        },
        {
          weight: 1,
          arbitrary: fc.constant({ resource: { resourceType: 'Practitioner', id: '1' }, search: { mode: 'include' } }),
        },
        { weight: 1, arbitrary: entry },
      ),
      { maxLength: 4 },
    )
    .map((entries) => ({ resourceType: 'Bundle', type: 'searchset', entry: entries }));
const linkedSets = fc.uniqueArray(patients);

const wildQueries = fc.array(
  fc.oneof(
    fc.tuple(
      fc.constantFrom(
        'patient',
        'subject',
        '_id',
        'identifier',
        'category',
        'code',
        'target',
        '_include',
        '_revinclude',
        '_count',
        'nonsense',
      ),
      fc.oneof(
        patients,
        patients.map((id) => `Patient/${id}`),
        fc.constantFrom(
          'Observation:subject',
          'Observation:performer',
          'Provenance:target',
          '5',
          'a,b',
          'http://x|1',
          'Observation/1',
        ),
      ),
    ),
    fc.tuple(fc.string(), fc.string()),
  ),
  { maxLength: 5 },
);

const queriesFor = (type: string): fc.Arbitrary<[string, string][]> =>
  fc.oneof(
    { weight: 6, arbitrary: patients.map((id): [string, string][] => [[type === 'Patient' ? '_id' : 'patient', id]]) },
    { weight: 2, arbitrary: fc.constant<[string, string][]>([]) },
    { weight: 1, arbitrary: fc.constant<[string, string][]>([['identifier', 'http://x|1']]) },
    {
      weight: 1,
      arbitrary: patients.map((id): [string, string][] => [
        ['patient', id],
        ['_include', 'Observation:performer'],
        ['_revinclude', 'Provenance:target'],
      ]),
    },
    { weight: 1, arbitrary: fc.constant<[string, string][]>([['target', 'Observation/1']]) },
    { weight: 1, arbitrary: wildQueries },
  );
const asked = fc
  .tuple(types, patients)
  .chain(([type, patient]) =>
    fc.record({ type: fc.constant(type), query: queriesFor(type), bundle: pagesFor(type, patient) }),
  );

/** Whom a token of this kind may see at most. */
const mayReach = (grant: Grant, linked: readonly string[], level: ResourceScope['level'], id: string): boolean =>
  level === 'patient' ? id === grant.patient : linked.includes(id);

const PATIENT_OF_EHR = /^(?:https:\/\/ehr\.example\.org\/fhir\/)?Patient\/([abc])$/;
const SHARED = ['Practitioner', 'Organization'];

/** Whom a reference names, by its text alone; null: nobody of this EHR. */
const namedBy = (given: unknown): string | null =>
  PATIENT_OF_EHR.exec(String((given as { reference?: unknown } | undefined)?.reference))?.[1] ?? null;

/** Written apart from the code under test: whose record it is; null: nobody's. */
function ownerOf(of: Resource): string | null {
  if (SHARED.includes(of.resourceType)) return null;
  if (of.resourceType === 'Patient') return of.id;
  const owner = namedBy(
    of.resourceType === 'AllergyIntolerance' || of.resourceType === 'Device' ? of['patient'] : of['subject'],
  );
  expect(owner).not.toBeNull();
  return owner;
}

const categoryOf = (of: Resource): string => {
  const [{ coding: [{ system, code } = { system: '', code: '' }] } = { coding: [] }] = (of['category'] ?? []) as {
    coding: { system: string; code: string }[];
  }[];
  return `${system}|${code}`;
};

/** Apart from it too: some scope, by any letter of reading, that reaches the patient and matches the resource. */
function isAllowed(grant: Grant, linked: readonly string[], of: Resource, patient: string | null): boolean {
  return grant.scopes.some(
    ({ level, type, letters, filter }) =>
      (type === '*' || type === of.resourceType) &&
      (letters.has('r') || letters.has('s')) &&
      (patient === null ? level !== 'patient' || grant.patient !== null : mayReach(grant, linked, level, patient)) &&
      filter.every(([name, value]) => name === 'category' && value === categoryOf(of)),
  );
}

const passPages = makePassPages(makeRewriteText({ ehrBase: EHR, ownBase: rules.base }));

function make(
  linked: readonly string[],
  answers: { readonly bundle: unknown; readonly one: unknown; readonly leftOut?: LeftOut[] },
) {
  const links: LinkedPatients = {
    isLinked: (id) => Promise.resolve(ok(linked.includes(id))),
    mrnsOf: () => Promise.resolve({ ok: true, value: [] }),
    isLinkedPatient: ({ id }) => Promise.resolve(ok(linked.includes(String(id)))),
  };
  const page = { bundle: answers.bundle as Record<string, unknown>, next: null };
  const pageFor = (pass: PassPage | null): AnyPage => {
    const passed = pass?.(Buffer.from(JSON.stringify(answers.bundle))) ?? null;
    return passed === null ? page : { passed, next: null };
  };
  const reader: EhrReader = {
    read: () => Promise.resolve(ok(isObject(answers.one) ? { resource: answers.one as Resource, headers: {} } : null)),
    search: ((_type, _params, _asking, pass: PassPage | null = null) =>
      Promise.resolve(ok(pageFor(pass)))) as EhrReader['search'],
    page: () => Promise.resolve(ok(page)),
  };
  const judge = makeJudge({ served, ehrBase: EHR, links, reader });
  return {
    search: makeRunSearch({
      served,
      ehrBase: EHR,
      reader,
      links,
      judge,
      persons: NO_PERSONS,
      patients: 'linked',
      recordLeftOut: (leftOut) => {
        answers.leftOut?.push(...leftOut);
        return Promise.resolve(ok(null));
      },
      capability: () => null,
      noteUnmet: () => undefined,
      listLinked: () => Promise.resolve(ok([...linked])),
      passPages,
    }).runToPrint,
    read: makeRunRead({ reader, judge }),
  };
}

type Printed = Extract<Awaited<ReturnType<RunSearchToPrint>>, { ok: true }>['value'];

/** What an answer would show, whichever way its page was checked. */
const shownOn = (page: Printed): readonly Resource[] =>
  'passed' in page
    ? page.passed.entries.map(({ start, end }) => JSON.parse(page.passed.text.slice(start, end)) as Resource)
    : page.entries.map(({ resource: one }) => one);

const callerOf = (grant: Grant) => ({ grant, requestId: 'req_x' as RequestId, log: silentLog });

describe('whatever the token, the request and the answer of the EHR', () => {
  test('a search shows nothing of a patient whom the token does not reach', async () => {
    let shown = 0;
    let left = 0;
    let passed = 0;
    await fc.assert(
      fc.asyncProperty(grants, asked, linkedSets, async (grant, { type, query, bundle }, linked) => {
        const request = served.has(type) ? parseSearch(type, query, 'lenient', rules) : null;
        if (request?.ok !== true) return;
        const decision = decide(grant, request.value, served);
        if (!decision.allow) return;
        const leftOut: LeftOut[] = [];
        const { search } = make(linked, { bundle, one: null, leftOut });
        const page = await search(decision.plan, null, callerOf(grant));
        left += leftOut.length;
        if (!page.ok) return;
        const all = shownOn(page.value);
        const names = new Set(all.map(({ resourceType, id }) => `${resourceType}/${id}`));
        for (const one of leftOut) expect(names.has(`${one.type}/${one.id}`)).toBe(false);
        for (const one of all) {
          shown += 1;
          if ('passed' in page.value) passed += 1;
          expect(JSON.stringify(one['contained'] ?? [])).not.toContain('Patient');
          if (one.resourceType === 'Provenance') {
            for (const target of one['target'] as unknown[]) {
              const id = namedBy(target);
              if (id !== null) expect(isAllowed(grant, linked, { ...one, resourceType: 'Patient', id }, id)).toBe(true);
            }
            continue;
          }
          const owner = ownerOf(one);
          expect(isAllowed(grant, linked, one, owner)).toBe(true);
          if (decision.plan.patient !== null && owner !== null) expect(owner).toBe(decision.plan.patient);
        }
      }),
      { numRuns: 20_000 },
    );
    // A property that never sees an entry proves nothing.
    expect([shown > 100, left > 20, passed > 10]).toEqual([true, true, true]);
  });

  test('a read shows nothing of a patient whom the token does not reach', async () => {
    let shown = 0;
    await fc.assert(
      fc.asyncProperty(grants, resource, bundles, linkedSets, async (grant, given, bundle, linked) => {
        const one = given as Resource;
        if (!served.has(one.resourceType)) return;
        const request = {
          kind: 'read',
          type: one.resourceType,
          id: one.id,
          versionId: null,
          elements: null,
          summary: 'false',
          count: null,
          since: null,
          used: [],
        } as const;
        const decision = decide(grant, request, served);
        if (!decision.allow) return;
        const found = await make(linked, { bundle, one }).read.one(decision.plan, callerOf(grant));
        if (!found.ok) return;
        shown += 1;
        const { resource: seen } = found.value.read;
        expect(JSON.stringify(seen['contained'] ?? [])).not.toContain('Patient');
        if (one.resourceType === 'Provenance') {
          for (const target of seen['target'] as unknown[]) {
            const id = namedBy(target);
            if (id !== null) expect(isAllowed(grant, linked, { ...one, resourceType: 'Patient', id }, id)).toBe(true);
          }
          return;
        }
        expect(isAllowed(grant, linked, one, ownerOf(one))).toBe(true);
      }),
      { numRuns: 20_000 },
    );
    expect(shown).toBeGreaterThan(100);
  });

  test('a token of one patient never leads to a query about another', () => {
    let led = 0;
    fc.assert(
      fc.property(grants, asked, (grant, { type, query }) => {
        const own = { ...grant, scopes: grant.scopes.filter(({ level }) => level === 'patient') };
        const request = served.has(type) ? parseSearch(type, query, 'lenient', rules) : null;
        if (request?.ok !== true) return;
        const decision = decide(own, request.value, served);
        if (!decision.allow) return;
        led += 1;
        expect([grant.patient, null]).toContain(decision.plan.patient);
        // Without a patient only what is nobody's, and what is judged by its targets.
        if (decision.plan.patient === null) expect(['shared', 'targets']).toContain(served.get(type)?.kind);
      }),
      { numRuns: 5_000 },
    );
    expect(led).toBeGreaterThan(100);
  });

  test('a scope without letters of reading allows nothing', () => {
    let asks = 0;
    fc.assert(
      fc.property(asked, patients, ({ type, query }, patient) => {
        const request = served.has(type) ? parseSearch(type, query, 'lenient', rules) : null;
        if (request?.ok !== true) return;
        asks += 1;
        for (const text of ['patient/*.cud', 'user/*.cud', 'system/*.c', 'patient/*.r']) {
          expect(parseResourceScope(text)).not.toBeNull();
          expect(decide(aGrant(text, { patient }), request.value, served).allow).toBe(false);
        }
      }),
    );
    expect(asks).toBeGreaterThan(20);
  });
});
