import { fail, fault, ok, readBody, type Answer, type Ask, type Result } from '../kernel/index.ts';
import type { OwnAddress, Pairs } from '../ehr/index.ts';
import { COMPARTMENT_TYPES } from '../r4/index.ts';
import type { PassedPage } from './ask-ehr.ts';
import type { Caller } from './caller.ts';
import type { Checked } from './check-page.ts';
import { alongFilters, type Plan } from './decide.ts';
import { decideWatched } from './decide-watched.ts';
import { refuse, type Handle } from './front.ts';
import { checkFormat, FHIR_JSON, handlingOf } from './negotiate.ts';
import { parseSearch, type Handling, type SearchRules } from './parse-search.ts';
import { parseForm } from './parse-target.ts';
import { printPassed } from './print-passed.ts';
import { isId, type Search } from './read-request.ts';
import type { RecordRead } from './record-read.ts';
import type { RewriteAddresses } from './rewrite-addresses.ts';
import type { RunSearchToPrint, SearchPage } from './run-search.ts';
import type { Continuation, Cursors } from './seal-cursor.ts';
import { notesEntry, type Note } from './search-note.ts';
import type { Served } from './served-types.ts';
import { shapeResource, type Shape } from './shape-resource.ts';

const FORM = /^application\/x-www-form-urlencoded\s*(;\s*charset="?utf-8"?\s*)?;?$/i;
const FORM_BYTES_MAX = 16 * 1024;
/** How many pages are looked at for a count; beyond them it is left out rather than guessed. */
const COUNTED_PAGES_MAX = 20;

const fhirAnswer = (body: Answer['body']): Answer => ({ status: 200, headers: { 'Content-Type': FHIR_JSON }, body });
export const bundleAnswer = (bundle: object): Answer => fhirAnswer(JSON.stringify(bundle));

export const toEntry = ({ resource, mode }: Checked, ownBase: string, shape: Shape): object => ({
  fullUrl: `${ownBase}/${resource.resourceType}/${resource.id}`,
  // `_elements` names elements of what was searched for; a summary is one of whatever it is.
  resource: mode === 'match' || shape.summary === 'true' ? shapeResource(resource, shape) : resource,
  search: { mode },
});

/** Parameters may stand in the address and in the body of a POST; both count, as R4 has it. */
export async function formOf({ request }: Ask, pairs: Pairs): Promise<Result<Pairs>> {
  if (!FORM.test(request.headers['content-type'] ?? '')) return fail(fault('read.media'));
  const body = await readBody(request, FORM_BYTES_MAX);
  if (!body.ok) return body;
  const form = parseForm(body.value.toString('utf8'));
  if (!form.ok) return form;
  const all = [...pairs, ...form.value];
  const format = checkFormat(request.headers, all);
  return format.ok ? ok(all) : format;
}

/** R4 3.1.1.1: what a server does not know it ignores, and says so. */
const ignoredNote = (name: string | null): Note => ({
  code: 'not-supported',
  text: 'This parameter is not known, and was ignored. Prefer: handling=strict refuses it.',
  ...(name === null ? {} : { at: name }),
});

const matchesOn = (page: SearchPage | PassedPage): number =>
  'passed' in page ? page.passed.entries.length : page.entries.filter(({ mode }) => mode === 'match').length;

const isBounded = (page: SearchPage | PassedPage): boolean => 'notes' in page;
const knownTotal = (page: SearchPage | PassedPage): number | undefined => ('total' in page ? page.total : undefined);

function totalOf(page: SearchPage | PassedPage, isFirst: boolean): { readonly total?: number } {
  const total = knownTotal(page);
  if (total !== undefined) return { total };
  return isFirst && page.next === null && !isBounded(page) ? { total: matchesOn(page) } : {};
}

const query = (pairs: Pairs): string =>
  new URLSearchParams(pairs.map(([name, value]): [string, string] => [name, value])).toString();

/** What was used: the patient included whom we added, and without what the scopes do not let come along. */
function usedOf({ request, patient, grant }: Plan<Search>, served: Served): Pairs {
  const reach = { isContext: patient === null || patient === grant.patient, isLinked: true };
  const comesAlong = (type: string): boolean => alongFilters(grant, type, served, reach).length > 0;
  const isDone = ([name, value]: Pairs[number]): boolean => {
    if (name === '_revinclude') return comesAlong(value.split(':')[0] ?? '');
    const targets = request.include.filter(({ param }) => param === value.split(':')[1]).flatMap((one) => one.targets);
    return name !== '_include' || targets.some(comesAlong);
  };
  const used = request.used.filter(isDone);
  const isNamed = patient === null || request.patient !== null || request.clauses.some(([name]) => name === '_id');
  return isNamed ? used : [[request.type === 'Patient' ? '_id' : 'patient', patient], ...used];
}

export function makeAnswerSearch(deps: {
  readonly rules: SearchRules;
  readonly run: RunSearchToPrint;
  readonly record: RecordRead;
  readonly rewrite: RewriteAddresses;
  readonly cursors: Cursors;
  /** A cursor of another interaction. */
  readonly goOn: (
    of: Exclude<Continuation, { kind: 'search-type' | 'audit' }>,
    caller: Caller,
  ) => Promise<Result<Answer>>;
}) {
  const { rules, run, record, rewrite, cursors } = deps;
  const { base } = rules;

  const selfOf = (plan: Plan<Search>): string => `${plan.request.type}?${query(usedOf(plan, rules.served))}`;

  /** What every record of a search says. Where it was not about one patient, those who were found are the ones. */
  const actOf = (plan: Plan<Search>, self: string, entries: readonly Checked[] = []) =>
    ({
      type: 'fhir.search',
      interaction: 'search-type',
      resourceType: plan.request.type,
      query: self,
      patients:
        plan.patient !== null
          ? [plan.patient]
          : [
              ...new Set(
                entries.flatMap(({ resource: { resourceType, id }, patient }) =>
                  resourceType === 'Patient' ? [id] : (patient ?? []),
                ),
              ),
            ],
    }) as const;

  const failed = (plan: Plan<Search>, code: string, caller: Caller): Promise<Result<null>> =>
    record({ ...actOf(plan, selfOf(plan)), outcome: '8', why: code }, caller);

  async function answerPage(
    plan: Plan<Search>,
    page: SearchPage | PassedPage,
    isFirst: boolean,
    caller: Caller,
  ): Promise<Result<Answer>> {
    const { request } = plan;
    const { type } = request;
    const { next } = page;
    const entries = 'passed' in page ? [] : page.entries;
    const count = 'passed' in page ? page.passed.entries.length : entries.length;
    const self = selfOf(plan);
    const kept = await record({ ...actOf(plan, self, entries), outcome: '0', count }, caller);
    if (!kept.ok) return kept;
    const cursor =
      next === null ? null : cursors.seal({ kind: 'search-type', type, params: request.used, next }, caller.grant);
    const bundle = {
      resourceType: 'Bundle',
      type: 'searchset',
      // The EHR's own total may count what is not shown, so only a whole answer has one.
      ...totalOf(page, isFirst),
      link: [
        { relation: 'self', url: `${base}/${self}` },
        ...(cursor === null ? [] : [{ relation: 'next', url: `${base}/${type}?_cursor=${cursor}` }]),
      ],
    };
    const bounds = 'passed' in page ? [] : (page.notes ?? []);
    const notes = notesEntry([...(isFirst ? request.ignored.map(ignoredNote) : []), ...bounds]);
    if (count + notes.length === 0) return ok(bundleAnswer(bundle));
    return ok(
      'passed' in page && count > 0
        ? { ...fhirAnswer(printPassed(bundle, page.passed, base, notes)), encoding: 'latin1' }
        : bundleAnswer({
            ...bundle,
            entry: [...rewrite(entries).map((entry) => toEntry(entry, base, request)), ...notes],
          }),
    );
  }

  /** Counts what may be seen, page by page: a number that somebody else made would tell of the rest. */
  async function answerCount(plan: Plan<Search>, caller: Caller): Promise<Result<Answer>> {
    let from: OwnAddress | null = null;
    let total = 0;
    let isWhole = true;
    for (let n = 0; n < COUNTED_PAGES_MAX; n += 1) {
      const page: Result<SearchPage | PassedPage> = await run(plan, from, caller);
      if (!page.ok) {
        const kept = await failed(plan, page.fault.code, caller);
        return kept.ok ? page : kept;
      }
      total += knownTotal(page.value) ?? matchesOn(page.value);
      isWhole &&= !isBounded(page.value);
      from = page.value.next;
      if (from === null) break;
    }
    const self = selfOf(plan);
    const kept = await record({ ...actOf(plan, self), outcome: '0', why: 'count', count: total }, caller);
    if (!kept.ok) return kept;
    const link = [{ relation: 'self', url: `${base}/${self}` }];
    return ok(
      bundleAnswer({ resourceType: 'Bundle', type: 'searchset', ...(from === null && isWhole ? { total } : {}), link }),
    );
  }

  async function search(
    type: string,
    pairs: Pairs,
    handling: Handling,
    from: OwnAddress | null,
    caller: Caller,
  ): Promise<Result<Answer>> {
    if (!rules.isOffered(type)) return fail(fault('read.not-found'));
    const request = parseSearch(type, pairs, handling, rules);
    if (!request.ok) return request;
    const decision = decideWatched(caller, request.value, rules.served);
    if (!decision.allow) return refuse(decision.because, { interaction: 'search-type', type }, record, caller);
    const { plan } = decision;
    if (request.value.summary === 'count') return answerCount(plan, caller);
    const page = await run(plan, from, caller);
    if (page.ok) return answerPage(plan, page.value, from === null, caller);
    const kept = await failed(plan, page.fault.code, caller);
    return kept.ok ? page : kept;
  }

  async function goOn(type: string, cursor: string, caller: Caller): Promise<Result<Answer>> {
    const opened = cursors.open(cursor, caller.grant);
    if (!opened.ok) return opened;
    const of = opened.value;
    if ((of.kind === 'everything' ? 'Patient' : of.type) !== type || of.kind === 'audit')
      return fail(fault('read.cursor'));
    return of.kind === 'search-type' ? search(type, of.params, 'lenient', of.next, caller) : deps.goOn(of, caller);
  }

  const get: Handle = ({ request }, { segments: [type = ''], query: pairs }, caller) => {
    const cursors_ = pairs.filter(([name]) => name === '_cursor');
    const [cursor] = cursors_;
    if (cursor === undefined) return search(type, pairs, handlingOf(request.headers), null, caller);
    const others = pairs.filter(([name]) => !['_cursor', '_format', '_pretty'].includes(name));
    return cursors_.length > 1 || others.length > 0
      ? Promise.resolve(fail(fault('read.parameter', { at: '_cursor' })))
      : goOn(type, cursor[1], caller);
  };

  const post: Handle = async (ask, { segments: [type = ''], query: pairs }, caller) => {
    const all = await formOf(ask, pairs);
    return all.ok ? search(type, all.value, handlingOf(ask.request.headers), null, caller) : all;
  };

  /** `Patient/[id]/[type]` is a search by that patient, and nothing else: whether the Patient may be read is not asked. */
  const compartment = (
    [, id = '', type = '']: readonly string[],
    pairs: Pairs,
    ask: Ask,
    caller: Caller,
  ): Promise<Result<Answer>> =>
    isId(id) && COMPARTMENT_TYPES.includes(type) && type !== 'Patient' && !pairs.some(([name]) => name === '_cursor')
      ? search(type, [['patient', id], ...pairs], handlingOf(ask.request.headers), null, caller)
      : Promise.resolve(fail(fault('read.not-found')));

  const getOfPatient: Handle = (ask, { segments, query: pairs }, caller) => compartment(segments, pairs, ask, caller);

  const postOfPatient: Handle = async (ask, { segments, query: pairs }, caller) => {
    const all = await formOf(ask, pairs);
    return all.ok ? compartment(segments, all.value, ask, caller) : all;
  };

  return { get, post, getOfPatient, postOfPatient };
}
