import type { OwnAddress } from '../ehr/index.ts';
import { fail, fault, isObject, ok, type Answer, type Fault, type Result } from '../kernel/index.ts';
import { localReference } from '../r4/index.ts';
import type { EhrReader } from './ask-ehr.ts';
import type { Caller } from './caller.ts';
import { decide, filtersFor, type Plan } from './decide.ts';
import { refuse, type Handle } from './front.ts';
import type { Judge } from './judge.ts';
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
 * the patient's (a DocumentReference, the form of a DiagnosticReport, a Media); only then is the EHR asked for it, so that nobody learns whether another's is there.
 * What it says itself (`securityContext`) must not be another's.
 */
export function makeAnswerBinary(deps: {
  readonly served: Served;
  /** Whether the EHR, as far as is known, has both. */
  readonly isOffered: () => boolean;
  readonly isSearchable: (type: string) => boolean;
  readonly ehrBase: string;
  readonly reader: EhrReader;
  readonly judge: Judge;
  readonly runSearch: RunSearch;
  readonly record: RecordRead;
  readonly rewrite: RewriteAddresses;
}): { readonly get: Handle } {
  const { served, ehrBase, reader, judge, runSearch, record, rewrite } = deps;

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

  async function find(
    plans: readonly Plan<Search>[],
    patient: string,
    id: string,
    caller: Caller,
  ): Promise<Result<Resource, Fault | 'hidden' | 'absent'>> {
    const attached = await isAttached(plans, id, caller);
    if (!attached.ok) return attached;
    if (!attached.value) return fail('hidden');
    const read = await reader.read(`Binary/${id}`, 'Binary', id, caller);
    if (!read.ok) return read;
    if (read.value === null) return fail('absent');
    const own = await isOf(patient, read.value.resource, caller);
    if (!own.ok) return own;
    return own.value ? ok(rewrite(read.value.resource)) : fail('hidden');
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
      if (patient === null) return refuse(isScoped ? 'no-patient' : 'scope', of, record, caller);
      const decisions = HOLDERS.filter(deps.isSearchable).map((type) => decide(grant, searchOf(type, patient), served));
      const plans = decisions.flatMap((decision) => (decision.allow ? [decision.plan] : []));
      if (!isScoped || plans.length === 0) return refuse('scope', of, record, caller);
      const found = await find(plans, patient, id, caller);
      const act = { type: 'fhir.read', interaction: 'read', resourceType: 'Binary', id } as const;
      if (found.ok) {
        const kept = await record({ ...act, outcome: '0', patients: [patient], count: 1 }, caller);
        if (!kept.ok) return kept;
        return form === 'content'
          ? contentAnswer(found.value)
          : ok({
              status: 200,
              headers: { 'Content-Type': FHIR_JSON, Vary: 'Accept, Origin' },
              body: JSON.stringify(found.value),
            });
      }
      const why = found.fault;
      const isEhr = typeof why === 'object';
      const kept = await record({ ...act, outcome: isEhr ? '8' : '4', why: isEhr ? why.code : why }, caller);
      return kept.ok ? fail(isEhr ? why : fault('read.not-found')) : kept;
    },
  };
}
