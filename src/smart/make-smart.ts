import type { CapabilityStatementRestResource } from '@medplum/fhirtypes';
import type { AuditReads, AuditWrites } from '../audit/index.ts';
import type { OauthUris, PatientDirectory, PractitionerDirectory, VerifyToken } from '../auth/index.ts';
import { makeBackgroundShare, type Capability, type Ehr } from '../ehr/index.ts';
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
import type { Persons, ReadByMrn } from '../persons/index.ts';
import type { Operate } from '../store/index.ts';
import { makeAnswerAudit } from './answer-audit.ts';
import { makeAnswerBinary } from './answer-binary.ts';
import { makeAnswerEverything } from './answer-everything.ts';
import { makeAnswerMatch } from './answer-match.ts';
import { makeAnswerRead } from './answer-read.ts';
import { makeAnswerValidate, type LoadedProfiles } from './answer-validate.ts';
import { makeAnswerSearch } from './answer-search.ts';
import { makeEhrReader } from './ask-ehr.ts';
import { makeAttend } from './attend.ts';
import { describeApi } from './describe-api.ts';
import { makeFindPatients } from './find-patients.ts';
import { makeFindShared } from './find-shared.ts';
import { makeFront, type Handle } from './front.ts';
import { isIncluded, isSearched, makeMayReverse, makeOtherParam, makeParamsOf } from './known-params.ts';
import { makeCheckedReader } from './checked-reader.ts';
import { checkFormat, FHIR_JSON } from './negotiate.ts';
import { noticePatients } from './notice-patients.ts';
import { makeParseFilter } from './parse-filter.ts';
import { makeOperationRoutes } from './operation-routes.ts';
import { makePassPages } from './pass-page.ts';
import { makePatientDirectory } from './patient-directory.ts';
import { isPersonParam } from './person-conditions.ts';
import { makePractitionerDirectory } from './practitioner-directory.ts';
import { makeReadByMrn } from './read-by-mrn.ts';
import { makeReadChart } from './read-chart.ts';
import type { ReadKit } from './read-kit.ts';
import { makeRecordLeftOut } from './record-left-out.ts';
import { makeRecordRead } from './record-read.ts';
import { makeRewriteAddresses, makeRewriteText } from './rewrite-addresses.ts';
import { makeRunEverything } from './run-everything.ts';
import { makeRunRead } from './run-read.ts';
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
  /** The linked patients by name and birth date. */
  readonly persons: Persons;
  readonly ehr: Ehr;
  /** Whether the EHR is to be left alone for the moment. */
  readonly isPaused: () => boolean;
  /** Whether a delivery is being written to the EHR at this moment. */
  readonly isDelivering: () => boolean;
  /** Requests to the EHR at once for what nobody waits for. */
  readonly backgroundRequests: number;
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
  readonly practitioners: PractitionerDirectory;
  /** What keeps the index of the linked patients fresh. */
  readonly readByMrn: ReadByMrn;
  /** `more`: routes of other parts, which come before those of every type. `own`: types that are not the EHR's. */
  serve(
    tokens: SmartTokens,
    more?: (kit: ReadKit) => readonly Route[],
    own?: readonly CapabilityStatementRestResource[],
  ): readonly Route[];
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
    // People are found by the index, whatever the EHR can search by.
    paramsOf: makeParamsOf(
      capability,
      (says, name, type) =>
        isSearched(says, name) || (type === 'Patient' && deps.patients === 'linked' && isPersonParam(name)),
    ),
    includesOf: makeParamsOf(capability, isIncluded),
    otherParam: makeOtherParam(capability),
    mayReverse: makeMayReverse(capability),
  };
  const asking = makeEhrReader(deps);
  const reader = noticePatients(asking, deps.persons, mrnSystem);
  const recordRead = makeRecordRead({ tenant, audit: deps.audit, clock });
  const recordLeftOut = makeRecordLeftOut(recordRead);
  const rewriteText = makeRewriteText({ ehrBase, ownBase });
  const rewrite = makeRewriteAddresses(rewriteText);
  const passPages = makePassPages(rewriteText);
  const { patients, persons } = deps;
  const unmet = makeUnmetConditions();
  const looks = {
    ...{ patients, persons, tenant, mrnSystem, served, ehrBase, identity, isSearchable, capability, clock },
    noteUnmet: unmet.note,
  };
  const checkedReader = makeCheckedReader({ ...looks, recordLeftOut, passPages, reader });
  const { links, judge, runSearch, runToPrint } = checkedReader;
  const share = makeBackgroundShare({
    most: deps.backgroundRequests,
    isOthersTurn: () => asking.inFlight() > 0 || deps.isDelivering(),
  });
  const background = makeCheckedReader({
    ...looks,
    recordLeftOut,
    passPages,
    reader: makeEhrReader({ ...deps, share }),
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
      provenances: checkedReader.provenances,
      findShared: makeFindShared({ findNamed: checkedReader.findNamed, ehrBase }),
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
    links,
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

  const match = makeAnswerMatch({ patients, isOffered, persons, reader, judge, record, rewrite, ownBase });

  const startedAt = clock.now().toISOString();
  async function metadata(
    { request, setHeader }: Parameters<Route['handle']>[0],
    tokens: SmartTokens,
    own: readonly CapabilityStatementRestResource[],
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
      own,
      oauthUris,
      version,
      date: startedAt,
    });
    return ok({ status: 200, headers: { 'Content-Type': FHIR_JSON }, body: JSON.stringify(statement) });
  }

  function serve(
    tokens: SmartTokens,
    more: (kit: ReadKit) => readonly Route[] = () => [],
    own: readonly CapabilityStatementRestResource[] = [],
  ): readonly Route[] {
    const front = makeFront({ ...deps, ...tokens, intermediary: `chartgate/${deps.version}` });
    const smart: ReadKit['route'] = (method, path, interaction, handle, offers) => ({
      method,
      path,
      access: 'smart',
      handle: front.handle(attend(interaction, handle), offers),
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
      reach: deps.patients,
      mrnSystem,
      background: {
        chart: makeReadChart({ ...looks, isOffered, rewrite, rules, checkedReader: background }),
        patients: makeFindPatients({ reader: background.reader, mrnSystem }),
      },
      patients: makeFindPatients({ reader, mrnSystem }),
      parseFilter: makeParseFilter(rules, served),
      ehrBase,
      ownBase,
    };
    return [
      ...more({ route: smart, ...kit }),
      { method: 'get', path: '/fhir/metadata', access: 'open', handle: (ask) => metadata(ask, tokens, own) },
      { method: 'options', path: '/fhir/{*path}', access: 'open', handle: front.preflight },
      smart('get', '/fhir/Patient/:id/$everything', 'operation', everything.get),
      ...operationRoutes(smart),
      smart('post', '/fhir/Patient/$match', 'operation', match.post),
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
    readByMrn: makeReadByMrn({ reader: background.reader, mrnSystem }),
    practitioners: makePractitionerDirectory({ reader }),
    patients: makePatientDirectory({
      mode: deps.patients,
      tenant,
      mrnSystem,
      ehrBase,
      served,
      identity,
      persons,
      links,
      reader,
    }),
  };
}
