import type { AuditReads, AuditWrites } from '../audit/index.ts';
import type { OauthUris, PatientDirectory, VerifyToken } from '../auth/index.ts';
import type { Capability, Ehr } from '../ehr/index.ts';
import type { IdentityReads, IdentityWrites } from '../identity/index.ts';
import {
  fail,
  fault,
  ok,
  type Answer,
  type Budget,
  type Chance,
  type Clock,
  type Result,
  type Route,
  type Secret,
} from '../kernel/index.ts';
import type { Operate } from '../store/index.ts';
import { makeAnswerAudit } from './answer-audit.ts';
import { makeAnswerBinary } from './answer-binary.ts';
import { makeAnswerEverything } from './answer-everything.ts';
import { makeAnswerRead } from './answer-read.ts';
import { makeAnswerValidate, type LoadedProfiles } from './answer-validate.ts';
import { makeAnswerSearch } from './answer-search.ts';
import { makeEhrReader } from './ask-ehr.ts';
import { makeAttend } from './attend.ts';
import { describeApi } from './describe-api.ts';
import { makeFindProvenances } from './find-provenances.ts';
import { makeFindShared } from './find-shared.ts';
import { makeFront, type Handle } from './front.ts';
import { makeJudge } from './judge.ts';
import { isIncluded, isSearched, makeMayReverse, makeOtherParam, makeParamsOf } from './known-params.ts';
import { keepLinkedPatients } from './linked-patients.ts';
import { makeListLinked } from './list-linked.ts';
import { checkFormat, FHIR_JSON } from './negotiate.ts';
import { makeOperationRoutes } from './operation-routes.ts';
import { makePassPages } from './pass-page.ts';
import { makePatientDirectory } from './patient-directory.ts';
import type { ReadKit } from './read-kit.ts';
import { makeRecordLeftOut } from './record-left-out.ts';
import { makeRecordRead } from './record-read.ts';
import { makeRewriteAddresses, makeRewriteText } from './rewrite-addresses.ts';
import { makeRunEverything } from './run-everything.ts';
import { makeRunRead } from './run-read.ts';
import { makeRunSearch } from './run-search.ts';
import { makeCursors } from './seal-cursor.ts';
import { loadServed } from './served-types.ts';
import { makeUnmetConditions } from './unmet-conditions.ts';

export interface SmartDeps {
  readonly budget: Budget;
  readonly tenant: string;
  /** How others reach us, without `/fhir`. */
  readonly publicUrl: string;
  readonly version: string;
  readonly mrnSystem: string;
  /** Whom a token may see that is not bound to a patient. */
  readonly patients: 'linked' | 'all';
  /** Types beside the standard ones. */
  readonly types: readonly string[];
  readonly keys: { readonly data: readonly Secret[]; readonly pseudonym: Secret };
  readonly audit: Operate<AuditWrites, AuditReads>;
  readonly identity: Operate<IdentityWrites, IdentityReads>;
  readonly ehr: Ehr;
  /** Whether the EHR is to be left alone for the moment. */
  readonly isPaused: () => boolean;
  /** What the EHR says it does; null before it was asked. */
  readonly capability: () => Capability | null;
  readonly searchBy: () => 'post' | 'get';
  /** The guides by which an app can have a resource judged. */
  readonly loadedProfiles: LoadedProfiles;
  readonly clock: Clock;
  readonly chance: Chance;
}

/** What the read API needs of whoever makes tokens, which in turn needs the patients. */
export interface SmartTokens {
  readonly verifyToken: VerifyToken;
  readonly isOrigin: (origin: string) => Promise<boolean>;
  /** Null: the issuer does not say. */
  readonly oauthUris: () => Promise<OauthUris | null>;
}

export interface Smart {
  /** By type and parameter, how many entries the EHR found that do not meet what it was asked. */
  readonly unmetConditions: () => Readonly<Record<string, number>>;
  readonly patients: PatientDirectory;
  /** `more`: routes of other parts, which come before those of every type. */
  serve(tokens: SmartTokens, more?: (kit: ReadKit) => readonly Route[]): readonly Route[];
}

/**
 * The SMART read API below `/fhir`, and the patients whom a token may be about. Throws a StartError for types without a
 * rule.
 */
export function makeSmart(deps: SmartDeps): Smart {
  const { tenant, ehr, clock, capability, identity, mrnSystem } = deps;
  const served = loadServed(deps.types);
  const ehrBase = ehr.guard.base;
  const ownBase = `${deps.publicUrl}/fhir`;
  const isOffered = (type: string): boolean => {
    const known = capability();
    return served.has(type) && (known === null || known.types[type] !== undefined);
  };
  const isSearchable = (type: string): boolean => isOffered(type) && capability()?.types[type]?.search !== false;
  const rules = {
    served,
    isOffered,
    base: ownBase,
    paramsOf: makeParamsOf(capability, isSearched),
    includesOf: makeParamsOf(capability, isIncluded),
    otherParam: makeOtherParam(capability),
    mayReverse: makeMayReverse(capability),
  };
  const reader = makeEhrReader(deps);
  const links = keepLinkedPatients({ mode: deps.patients, tenant, mrnSystem, reader, identity, clock });
  const judge = makeJudge({ served, ehrBase, links, reader });
  const recordRead = makeRecordRead({ tenant, audit: deps.audit, clock });
  const recordLeftOut = makeRecordLeftOut(recordRead);
  const rewriteText = makeRewriteText({ ehrBase, ownBase });
  const rewrite = makeRewriteAddresses(rewriteText);
  const unmet = makeUnmetConditions();
  const { run: runSearch, runToPrint } = makeRunSearch({
    served,
    ehrBase,
    reader,
    links,
    listLinked: makeListLinked({ mode: deps.patients, tenant, mrnSystem, reader, identity, clock }),
    patients: deps.patients,
    judge,
    recordLeftOut,
    capability,
    noteUnmet: unmet.note,
    passPages: makePassPages(rewriteText),
  });
  const runRead = makeRunRead({ reader, judge });
  const { record, attend } = makeAttend({ served, isLinked: links.isLinked, record: recordRead });
  const cursors = makeCursors({ keys: deps.keys.data, chance: deps.chance, clock });
  const read = makeAnswerRead({ served, isOffered, ownBase, run: runRead, record, rewrite, cursors });
  const everything = makeAnswerEverything({
    served,
    isServed: (type) => (type === 'Patient' || type === 'Provenance' ? isOffered(type) : isSearchable(type)),
    ownBase,
    runRead,
    run: makeRunEverything({
      served,
      isOffered,
      isSearchable,
      capability,
      ehrBase,
      runSearch,
      provenances: makeFindProvenances({ served, capability, runSearch }),
      findShared: makeFindShared({ served, isSearchable, ehrBase, reader }),
    }),
    record,
    rewrite,
    cursors,
  });
  const isBinaryOffered = (): boolean =>
    isSearchable('DocumentReference') && (capability() === null || capability()?.types['Binary']?.read === true);
  const binary = makeAnswerBinary({
    served,
    isOffered: isBinaryOffered,
    isSearchable,
    ehrBase,
    reader,
    judge,
    runSearch,
    record,
    rewrite,
  });
  const readAny: Handle = (ask, target, caller) =>
    (target.segments[0] === 'Binary' ? binary.get : read.read)(ask, target, caller);
  const search = makeAnswerSearch({
    rules,
    run: runToPrint,
    record,
    rewrite,
    cursors,
    goOn: (of, caller) => (of.kind === 'everything' ? everything.goOn(of, caller) : read.continueHistory(of, caller)),
  });

  const operationRoutes = makeOperationRoutes({ rules, capability, runSearch, record, rewrite });

  const auditEvents = makeAnswerAudit({ tenant, publicUrl: deps.publicUrl, audit: deps.audit, record, cursors });

  const validate = makeAnswerValidate({ isOffered, current: deps.loadedProfiles, budget: deps.budget, record });

  const startedAt = clock.now().toISOString();
  async function metadata(
    { request, setHeader }: Parameters<Route['handle']>[0],
    tokens: SmartTokens,
  ): Promise<Result<Answer>> {
    setHeader('Access-Control-Allow-Origin', '*');
    setHeader('X-Intermediary', `chartgate/${deps.version}`);
    const query = [...new URLSearchParams((request.url ?? '').split('?')[1] ?? '')];
    const format = checkFormat(request.headers, query);
    if (!format.ok) return format;
    const { version } = deps;
    const oauthUris = await tokens.oauthUris();
    const statement = describeApi({
      rules,
      capability: capability(),
      profiles: deps.loadedProfiles().profiles,
      isShown: (canonical) => URL.parse(canonical)?.hostname !== new URL(ehrBase).hostname,
      binary: isBinaryOffered() ? 'read' : 'not-served',
      oauthUris,
      version,
      date: startedAt,
    });
    return ok({ status: 200, headers: { 'Content-Type': FHIR_JSON }, body: JSON.stringify(statement) });
  }

  function serve(tokens: SmartTokens, more: (kit: ReadKit) => readonly Route[] = () => []): readonly Route[] {
    const front = makeFront({ ...deps, ...tokens, intermediary: `chartgate/${deps.version}` });
    const smart: ReadKit['route'] = (method, path, interaction, handle) => ({
      method,
      path,
      access: 'smart',
      handle: front.handle(attend(interaction, handle)),
    });
    const kit = {
      record,
      served,
      isOffered,
      isSearchable,
      links,
      judge,
      runRead,
      runSearch,
      rewrite,
      ehrBase,
      ownBase,
    };
    return [
      ...more({ route: smart, ...kit }),
      { method: 'get', path: '/fhir/metadata', access: 'open', handle: (ask) => metadata(ask, tokens) },
      { method: 'options', path: '/fhir/{*path}', access: 'open', handle: front.preflight },
      smart('get', '/fhir/Patient/:id/$everything', 'operation', everything.get),
      ...operationRoutes(smart),
      smart('get', '/fhir/AuditEvent', 'search-type', auditEvents.get),
      smart('post', '/fhir/AuditEvent/_search', 'search-type', auditEvents.post),
      smart('get', '/fhir/AuditEvent/:id', 'read', auditEvents.read),
      smart('get', '/fhir/:type', 'search-type', search.get),
      smart('post', '/fhir/:type/_search', 'search-type', search.post),
      smart('post', '/fhir/:type/$validate', 'operation', validate.post),
      smart('get', '/fhir/:type/:id', 'read', readAny),
      smart('get', '/fhir/:type/:id/_history', 'history-instance', read.history),
      smart('get', '/fhir/:type/:id/_history/:version', 'vread', read.vread),
      smart('get', '/fhir/Patient/:id/:type', 'search-type', search.getOfPatient),
      smart('post', '/fhir/Patient/:id/:type/_search', 'search-type', search.postOfPatient),
      // Operations and whatever else is not served: looked for by nobody who has no token.
      smart('get', '/fhir/{*path}', 'unknown', () => Promise.resolve(fail(fault('read.not-found')))),
    ];
  }

  return {
    serve,
    unmetConditions: unmet.current,
    patients: makePatientDirectory({
      mode: deps.patients,
      tenant,
      mrnSystem,
      ehrBase,
      served,
      identity,
      links,
      reader,
    }),
  };
}
