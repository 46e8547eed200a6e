import { escapeSearchValue, identifierToken, type Pairs } from '../ehr/index.ts';
import { fail, fault, ok, readBody, type Answer, type Result } from '../kernel/index.ts';
import { factsOf, toPerson, type CertainMatch, type Persons } from '../persons/index.ts';
import { JSON_RULES, parseInChunks } from '../r4/index.ts';
import { bundleAnswer } from './answer-search.ts';
import type { EhrReader } from './ask-ehr.ts';
import type { Caller } from './caller.ts';
import { decideMatch } from './decide.ts';
import { refuse, type Handle } from './front.ts';
import type { Judge } from './judge.ts';
import { parseMatch } from './parse-match.ts';
import type { RecordRead } from './record-read.ts';
import type { RewriteAddresses } from './rewrite-addresses.ts';
import { visibleTo } from './run-persons.ts';
import { patientsIn } from './search-patients.ts';
import type { Resource } from './whose.ts';

const BYTES_MAX = 64 * 1024;
const JSON_MAX = { bytesMax: BYTES_MAX, tokensMax: 4_000, keysMax: 1_000 } as const;
const JSON_BODY = /^application\/(fhir\+json|json|json\+fhir)\s*(;.*)?$/i;
const GRADE = 'http://hl7.org/fhir/StructureDefinition/match-grade';

/**
 * `Patient/$match`: the one patient of whom it is certain, else nobody. Who fits is found among the linked patients, and
 * must fit by what the EHR says now.
 */
export function makeAnswerMatch(deps: {
  readonly patients: 'linked' | 'all';
  readonly isOffered: (type: string) => boolean;
  readonly persons: Persons;
  readonly reader: EhrReader;
  readonly judge: Judge;
  readonly record: RecordRead;
  readonly rewrite: RewriteAddresses;
  readonly ownBase: string;
}): { readonly post: Handle } {
  const { persons, reader, judge, record, ownBase } = deps;

  async function fits(patient: Resource, { is }: CertainMatch, caller: Caller): Promise<Result<boolean>> {
    const facts = factsOf(patient);
    if (facts === null || !is(toPerson(facts))) return ok(false);
    const sight = await judge.sees(patient, ['s'], caller);
    return sight.ok ? ok(sight.value.kind === 'seen') : sight;
  }

  async function findLinked(match: CertainMatch, caller: Caller): Promise<Result<Resource | null>> {
    const isVisible = visibleTo(caller.grant);
    const found = await persons.find({
      is: (person) => match.is(person) && isVisible(person),
      sort: null,
      after: null,
      limit: 1,
    });
    if (!found.ok) return found;
    const [person] = found.value.persons;
    if (person === undefined || found.value.total !== 1) return ok(null);
    const read = await reader.read(`Patient/${person.id}`, 'Patient', person.id, caller);
    if (!read.ok) return read;
    const isFit = read.value === null ? ok(false) : await fits(read.value.resource, match, caller);
    if (!isFit.ok) return isFit;
    if (isFit.value) return ok(read.value?.resource ?? null);
    persons.doubt([person.id]);
    return ok(null);
  }

  /** Where everybody may be seen, the EHR is asked; of more than it sends at once nothing is certain. */
  async function findAny(match: CertainMatch, caller: Caller): Promise<Result<Resource | null>> {
    const { identifiers, demographics } = match;
    const queries: Pairs[] = [
      ...(identifiers.length === 0
        ? []
        : [
            [['identifier', identifiers.map(({ system, value }) => identifierToken(system, value)).join(',')] as const],
          ]),
      ...(demographics === null
        ? []
        : [
            [
              ['family', escapeSearchValue(demographics.family)] as const,
              ['birthdate', demographics.birthDate] as const,
              ['gender', demographics.gender] as const,
            ],
          ]),
    ];
    const found = new Map<string, Resource>();
    for (const query of queries) {
      const page = await reader.search('Patient', [...query, ['_count', '200']], caller);
      if (!page.ok) return page;
      if (page.value.next !== null) return ok(null);
      for (const resource of patientsIn(page.value)) {
        const isFit = await fits(resource, match, caller);
        if (!isFit.ok) return isFit;
        if (isFit.value) found.set(resource.id, resource);
      }
    }
    const [only] = found.values();
    return ok(found.size === 1 ? (only ?? null) : null);
  }

  async function answer(match: CertainMatch, caller: Caller): Promise<Result<Answer>> {
    const found = await (deps.patients === 'all' ? findAny(match, caller) : findLinked(match, caller));
    const patient = found.ok ? found.value : null;
    const act = { type: 'fhir.search', interaction: 'operation', resourceType: 'Patient' } as const;
    const kept = await record(
      found.ok
        ? {
            ...act,
            outcome: '0',
            why: 'match',
            count: patient === null ? 0 : 1,
            patients: patient === null ? [] : [patient.id],
          }
        : { ...act, outcome: '8', why: found.fault.code },
      caller,
    );
    if (!kept.ok) return kept;
    if (!found.ok) return found;
    const entry = (patient === null ? [] : deps.rewrite([{ resource: patient, mode: 'match' }])).map(
      ({ resource }) => ({
        fullUrl: `${ownBase}/Patient/${resource.id}`,
        resource,
        search: { extension: [{ url: GRADE, valueCode: 'certain' }], mode: 'match', score: 1 },
      }),
    );
    const bundle = { resourceType: 'Bundle', type: 'searchset', total: entry.length };
    return ok(bundleAnswer(entry.length === 0 ? bundle : { ...bundle, entry }));
  }

  return {
    async post({ request }, { query }, caller) {
      if (!deps.isOffered('Patient')) return fail(fault('read.not-found'));
      const because = decideMatch(caller.grant);
      if (because !== null) return refuse(because, { interaction: 'operation', type: 'Patient' }, record, caller);
      const [other] = query.filter(([name]) => name !== '_format' && name !== '_pretty');
      if (other !== undefined) return fail(fault('read.parameter'));
      if (!JSON_BODY.test(request.headers['content-type'] ?? '')) return fail(fault('read.media'));
      const bytes = await readBody(request, BYTES_MAX);
      if (!bytes.ok) return bytes;
      const parsed = await parseInChunks(bytes.value, JSON_MAX);
      if (!parsed.ok) return fail(fault('read.body', { problems: [JSON_RULES[parsed.fault.rule]] }));
      const match = parseMatch(parsed.value.value);
      return match.ok ? answer(match.value, caller) : match;
    },
  };
}
