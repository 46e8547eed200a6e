import type { OwnAddress } from '../ehr/index.ts';
import { fail, fault, isObject, ok, type Answer, type Fault, type Result } from '../kernel/index.ts';
import { localReference } from '../r4/index.ts';
import type { EhrReader } from './ask-ehr.ts';
import type { Caller } from './caller.ts';
import { decide, filtersFor, type Plan } from './decide.ts';
import { refuse, type Handle } from './front.ts';
import type { Judge } from './judge.ts';
import type { LinkedPatients } from './linked-patients.ts';
import { binaryForm, FHIR_JSON } from './negotiate.ts';
import { isId, type Search } from './read-request.ts';
import type { RecordRead } from './record-read.ts';
import type { RewriteAddresses } from './rewrite-addresses.ts';
import type { RunSearch } from './run-search.ts';
import { searchOf } from './search-of.ts';
import type { Served } from './served-types.ts';
import type { Json, Resource } from './whose.ts';

const PAGES_MAX = 20;
const objects = (value: unknown): Json[] => (Array.isArray(value) ? (value as unknown[]).filter(isObject) : []);

/** The types whose records may have attachments, in the order in which they are looked through. */
const HOLDERS = ['DocumentReference', 'DiagnosticReport', 'Media'] as const;

const attachmentsOf = ({ resourceType, content, presentedForm }: Resource): readonly unknown[] => {
  if (resourceType === 'DocumentReference') return objects(content).map(({ attachment }) => attachment);
  return resourceType === 'DiagnosticReport' ? objects(presentedForm) : [content];
};

const isAttachedTo = (record: Resource, id: string, ehrBase: string): boolean =>
  attachmentsOf(record).some((attachment) => {
    const found = isObject(attachment) ? localReference(attachment['url'], ehrBase) : null;
    return found?.type === 'Binary' && found.id === id;
  });

/** `type/subtype` with parameters of plain letters; whatever else the EHR says is bytes. */
const MEDIA_TYPE =
  /^[a-z0-9][\w.+-]{0,63}\/[a-z0-9][\w.+-]{0,99}(\s*;\s*[\w-]{1,32}=("[\w .:/+-]{0,64}"|[\w.:/+-]{1,64})){0,4}$/i;
const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;

/** Without its blanks first: a pattern that allows them at two places would try each of them for the second. */
function base64Of(data: unknown): string | null {
  if (data === undefined) return '';
  const text = typeof data === 'string' ? data.replace(/\s/g, '') : null;
  return text !== null && BASE64.test(text) ? text : null;
}

/**
 * The content itself, as a file to be kept: a browser that opens it shows nothing of it as a page of ours, runs nothing
 * in it, and guesses no other type.
 */
function contentAnswer({ id, contentType, data }: Resource): Result<Answer> {
  const text = base64Of(data);
  if (text === null) return fail(fault('ehr.unreadable'));
  const type =
    typeof contentType === 'string' && MEDIA_TYPE.test(contentType) ? contentType : 'application/octet-stream';
  return ok({
    status: 200,
    headers: {
      'Content-Type': type,
      'Content-Disposition': `attachment; filename="${id}"`,
      'Content-Security-Policy': "default-src 'none'; sandbox",
      'X-Content-Type-Options': 'nosniff',
      'Cache-Control': 'no-store',
      Vary: 'Accept, Origin',
    },
    body: Buffer.from(text, 'base64'),
  });
}

/**
 * `Binary/{id}`, which does not say whose it is. It is the patient's where a record says so that the token finds among
 * the patient's (a DocumentReference, the form of a DiagnosticReport, a Media). For a token of one patient only then is
 * the EHR asked for it, so that nobody learns whether another's is there. What it says itself (`securityContext`) must
 * not be another's.
 */
export function makeAnswerBinary(deps: {
  readonly served: Served;
  /** Whether the EHR, as far as is known, has both. */
  readonly isOffered: () => boolean;
  readonly isSearchable: (type: string) => boolean;
  readonly ehrBase: string;
  readonly reader: EhrReader;
  readonly links: LinkedPatients;
  readonly judge: Judge;
  readonly runSearch: RunSearch;
  readonly record: RecordRead;
  readonly rewrite: RewriteAddresses;
}): { readonly get: Handle } {
  const { served, ehrBase, reader, links, judge, runSearch, record, rewrite } = deps;

  async function isAttached(plans: readonly Plan<Search>[], id: string, caller: Caller): Promise<Result<boolean>> {
    for (const plan of plans) {
      const found = await isAmong(plan, id, caller);
      if (!found.ok || found.value) return found;
    }
    return ok(false);
  }

  async function isAmong(plan: Plan<Search>, id: string, caller: Caller): Promise<Result<boolean>> {
    let from: OwnAddress | null = null;
    for (let n = 0; n < PAGES_MAX; n += 1) {
      const page: Awaited<ReturnType<RunSearch>> = await runSearch(plan, from, caller);
      if (!page.ok) return page;
      if (page.value.entries.some(({ resource, mode }) => mode === 'match' && isAttachedTo(resource, id, ehrBase)))
        return ok(true);
      from = page.value.next;
      if (from === null) break;
    }
    return ok(false);
  }

  /** Without a word of its own it is what the document says. */
  async function isOf(patient: string, { securityContext }: Resource, caller: Caller): Promise<Result<boolean>> {
    if (securityContext === undefined) return ok(true);
    const found = localReference(securityContext, ehrBase);
    if (found === null) return ok(false);
    if (found.type === 'Patient') return ok(found.id === patient);
    const name = `${found.type}/${found.id}`;
    const shown = await judge.named([name], caller);
    return shown.ok ? ok(shown.value.get(name)?.patient === patient) : shown;
  }

  type Unfound = Fault | 'hidden' | 'absent';
  type FoundBinary = { readonly resource: Resource; readonly patient: string };

  async function read(id: string, caller: Caller): Promise<Result<Resource, Unfound>> {
    const found = await reader.read(`Binary/${id}`, 'Binary', id, caller);
    if (!found.ok) return found;
    return found.value === null ? fail('absent') : ok(found.value.resource);
  }

  /** The searches by which the token finds records of this patient that may name one. */
  const plansOf = ({ grant }: Caller, patient: string): readonly Plan<Search>[] =>
    HOLDERS.filter(deps.isSearchable)
      .map((type) => decide(grant, searchOf(type, patient), served))
      .flatMap((decision) => (decision.allow ? [decision.plan] : []));

  async function findOf(patient: string, id: string, caller: Caller): Promise<Result<FoundBinary, Unfound>> {
    const attached = await isAttached(plansOf(caller, patient), id, caller);
    if (!attached.ok) return attached;
    if (!attached.value) return fail('hidden');
    const found = await read(id, caller);
    if (!found.ok) return found;
    const own = await isOf(patient, found.value, caller);
    if (!own.ok) return own;
    return own.value ? ok({ resource: found.value, patient }) : fail('hidden');
  }

  /**
   * For a token that is for many patients: of the one that the Binary itself names. One of a patient whom the token does
   * not see costs the EHR as many questions as one that is not there.
   */
  async function findNamed(id: string, caller: Caller): Promise<Result<FoundBinary, Unfound>> {
    const found = await read(id, caller);
    if (!found.ok && found.fault !== 'absent') return found;
    const said = found.ok ? localReference(found.value['securityContext'], ehrBase) : null;
    const named = said?.type === 'Patient' ? said : null;
    // Somebody is asked for in any case; of nobody there is nothing to see.
    const isSeen = await links.isLinked(named?.id ?? id, caller);
    if (!isSeen.ok) return isSeen;
    if (!found.ok) return found;
    if (named === null || !isSeen.value) return fail('hidden');
    const attached = await isAttached(plansOf(caller, named.id), id, caller);
    if (!attached.ok) return attached;
    return attached.value ? ok({ resource: found.value, patient: named.id }) : fail('hidden');
  }

  return {
    async get({ request }, { segments: [, id = ''], query }, caller): Promise<Result<Answer>> {
      const form = binaryForm(request.headers, query);
      if (form === null) return fail(fault('read.format'));
      if (!deps.isOffered() || !isId(id)) return fail(fault('read.not-found'));
      if (query.some(([name]) => name !== '_format' && name !== '_pretty')) return fail(fault('read.parameter'));
      const { grant } = caller;
      const { patient } = grant;
      const of = { interaction: 'read', type: 'Binary', id };
      const isScoped = filtersFor(grant, 'Binary', ['r'], { isContext: true, isLinked: true }).some(
        ({ length }) => length === 0,
      );
      if (!isScoped) return refuse('scope', of, record, caller);
      const reach = { isContext: patient !== null, isLinked: true };
      const isForMany = filtersFor(grant, 'Binary', ['r'], reach).some(({ length }) => length === 0);
      if (!isForMany) return refuse('no-patient', of, record, caller);
      const isHeld = HOLDERS.some(
        (type) => deps.isSearchable(type) && filtersFor(grant, type, ['s'], reach).length > 0,
      );
      if (!isHeld) return refuse('scope', of, record, caller);
      const found = await (patient === null ? findNamed(id, caller) : findOf(patient, id, caller));
      const act = { type: 'fhir.read', interaction: 'read', resourceType: 'Binary', id } as const;
      if (found.ok) {
        const kept = await record({ ...act, outcome: '0', patients: [found.value.patient], count: 1 }, caller);
        if (!kept.ok) return kept;
        const shown = rewrite(found.value.resource);
        return form === 'content'
          ? contentAnswer(shown)
          : ok({
              status: 200,
              headers: { 'Content-Type': FHIR_JSON, Vary: 'Accept, Origin' },
              body: JSON.stringify(shown),
            });
      }
      const why = found.fault;
      const isEhr = typeof why === 'object';
      const kept = await record({ ...act, outcome: isEhr ? '8' : '4', why: isEhr ? why.code : why }, caller);
      return kept.ok ? fail(isEhr ? why : fault('read.not-found')) : kept;
    },
  };
}
