import type { AnswerBody, AnswerHeaders, BackgroundShare, Ehr, EhrRequest, OwnAddress, Pairs } from '../ehr/index.ts';
import { fail, fault, isObject, ok, type Budget, type Fault, type Result } from '../kernel/index.ts';
import type { ScannedSearchset } from '../r4/index.ts';
import type { Asking } from './caller.ts';
import { meterAnswer } from './meter-answer.ts';
import type { PassPage } from './pass-page.ts';
import { isResource, type Json, type Resource } from './whose.ts';

const ENTRIES_MAX = 1_000;
/**
 * What all apps together may have under way at the EHR; the others are asked to come again. Two thirds of the
 * connections there are, so that delivery always finds one.
 */
const IN_FLIGHT_MAX = 64;

export interface Read {
  readonly resource: Resource;
  readonly headers: AnswerHeaders;
}

export interface BundlePage {
  readonly bundle: Json;
  readonly next: OwnAddress | null;
}

/** A page that was checked on its bytes. */
export interface PassedPage {
  readonly passed: ScannedSearchset;
  readonly next: OwnAddress | null;
}

export type AnyPage = BundlePage | PassedPage;

/**
 * The EHR as the read API asks it: with the gateway's own credential, and with nothing of the caller's but what was
 * parsed.
 */
export interface EhrReader {
  /** Null: missing, deleted or not permitted. The caller does not learn which. */
  read(path: string, type: string, id: string, asking: Asking): Promise<Result<Read | null>>;
  search(type: string, params: Pairs, asking: Asking): Promise<Result<BundlePage>>;
  /** The same, and what `pass` finds beyond doubt is not parsed. */
  search(type: string, params: Pairs, asking: Asking, pass: PassPage | null): Promise<Result<AnyPage>>;
  /** A page that the EHR itself named, or the first page of a history. */
  page(at: OwnAddress, type: 'searchset' | 'history', asking: Asking): Promise<Result<BundlePage | null>>;
  page(at: OwnAddress, type: 'searchset', asking: Asking, pass: PassPage | null): Promise<Result<AnyPage | null>>;
}

const EHR_KINDS: readonly Fault['kind'][] = ['ehr-rejected', 'ehr-unavailable', 'ehr-timeout'];
/** The EHR's status is about our request, not the caller's, so it is not passed on as it is. */
const ofEhr = (why: Fault): Fault =>
  EHR_KINDS.includes(why.kind) || why.kind === 'overloaded' ? why : fault('ehr.rejected');
/** Only this much of the caller is passed on. */
function by({ requestId, signal, span }: Asking): Asking {
  const asking = signal === undefined ? { requestId } : { requestId, signal };
  return span === undefined ? asking : { ...asking, span };
}
const ABSENT = ['ehr.not-found', 'ehr.gone', 'ehr.forbidden'];

export function makeEhrReader(deps: {
  readonly ehr: Ehr;
  /** Whether the EHR is to be left alone for the moment. */
  readonly isPaused: () => boolean;
  readonly searchBy: () => 'post' | 'get';
  readonly budget: Budget;
  /** For what nobody waits for: it waits for its turn instead of being refused. */
  readonly share?: BackgroundShare;
}): EhrReader & { /** How many requests are under way. */ inFlight(): number } {
  const { ehr, share } = deps;
  let inFlight = 0;

  async function askInTurn(request: EhrRequest, turns: BackgroundShare): ReturnType<Ehr['ask']> {
    const leave = await turns.enter();
    try {
      return await askNow(request);
    } finally {
      leave();
    }
  }
  const ask = (request: EhrRequest): ReturnType<Ehr['ask']> =>
    share === undefined ? askNow(request) : askInTurn(request, share);

  async function askNow(request: EhrRequest): ReturnType<Ehr['ask']> {
    if (deps.isPaused()) return fail(fault('ehr.paused'));
    if (inFlight >= IN_FLIGHT_MAX) return fail(fault('read.busy'));
    inFlight += 1;
    const metered = meterAnswer(deps.budget);
    const meter = metered instanceof Promise ? await metered : metered;
    try {
      if (meter === null) return fail(fault('read.busy'));
      const answer = await ehr.ask({ ...request, admit: meter.admit });
      return meter.isRefused() ? fail(fault('read.busy')) : answer;
    } finally {
      meter?.release();
      inFlight -= 1;
    }
  }

  function withNext<P extends object>(
    page: P,
    { entry, link }: { readonly entry?: unknown; readonly link?: unknown },
  ): Result<P & { readonly next: OwnAddress | null }> {
    if (Array.isArray(entry) && entry.length > ENTRIES_MAX) return fail(fault('ehr.answer-too-large'));
    const links = Array.isArray(link) ? (link as unknown[]).filter(isObject) : [];
    const url = links.find(({ relation }) => relation === 'next')?.['url'];
    if (typeof url !== 'string') return ok({ ...page, next: null });
    const next = ehr.guard.own(url);
    return next.ok ? ok({ ...page, next: next.value }) : next;
  }

  function toPage(body: AnswerBody, type: string): Result<AnyPage> {
    if (body.kind === 'taken') {
      const passed = body.value as ScannedSearchset;
      return withNext({ passed }, { entry: passed.entries, link: passed.link });
    }
    const bundle = body.kind === 'json' ? body.value : null;
    return isObject(bundle) && bundle['resourceType'] === 'Bundle' && bundle['type'] === type
      ? withNext({ bundle }, bundle)
      : fail(fault('ehr.unreadable'));
  }

  const isSearch = ({ path }: OwnAddress): boolean => /^[A-Z][A-Za-z]+$/.test(path);

  const takenBy = (pass: PassPage | null): { readonly take?: PassPage } => (pass === null ? {} : { take: pass });

  function search(type: string, params: Pairs, asking: Asking): Promise<Result<BundlePage>>;
  function search(type: string, params: Pairs, asking: Asking, pass: PassPage | null): Promise<Result<AnyPage>>;
  async function search(
    type: string,
    params: Pairs,
    asking: Asking,
    pass: PassPage | null = null,
  ): Promise<Result<AnyPage>> {
    const asked = { ...by(asking), ...takenBy(pass) };
    // In a form, so that no search value is in an address, where access logs would keep it.
    const answer = await ask(
      deps.searchBy() === 'post'
        ? { method: 'POST', path: `${type}/_search`, form: params, ...asked }
        : { method: 'GET', path: type, query: params, ...asked },
    );
    return answer.ok ? toPage(answer.value.body, 'searchset') : fail(ofEhr(answer.fault));
  }

  type PageKind = 'searchset' | 'history';
  function page(at: OwnAddress, type: PageKind, asking: Asking): Promise<Result<BundlePage | null>>;
  function page(
    at: OwnAddress,
    type: 'searchset',
    asking: Asking,
    pass: PassPage | null,
  ): Promise<Result<AnyPage | null>>;
  async function page(
    at: OwnAddress,
    type: PageKind,
    asking: Asking,
    pass: PassPage | null = null,
  ): Promise<Result<AnyPage | null>> {
    const asked = { ...by(asking), ...takenBy(pass) };
    const answer = await ask(
      type === 'searchset' && isSearch(at) && deps.searchBy() === 'post'
        ? { method: 'POST', path: `${at.path}/_search`, form: at.query, ...asked }
        : { method: 'GET', path: at.path, query: at.query, ...asked },
    );
    if (!answer.ok) return ABSENT.includes(answer.fault.code) ? ok(null) : fail(ofEhr(answer.fault));
    return toPage(answer.value.body, type);
  }

  return {
    inFlight: () => inFlight,
    search,
    page,
    async read(path, type, id, asking) {
      const answer = await ask({ method: 'GET', path, ...by(asking) });
      if (!answer.ok) return ABSENT.includes(answer.fault.code) ? ok(null) : fail(ofEhr(answer.fault));
      const { body, headers } = answer.value;
      if (body.kind !== 'json' || !isResource(body.value)) return fail(fault('ehr.unreadable'));
      // Ids are case-sensitive, though not at every EHR. An answer with another spelling counts as not found.
      if (body.value.id !== id && body.value.id.toLowerCase() === id.toLowerCase()) return ok(null);
      if (body.value.resourceType !== type || body.value.id !== id) return fail(fault('read.foreign'));
      return ok({ resource: body.value, headers });
    },
  };
}
