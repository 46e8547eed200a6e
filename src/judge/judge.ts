import { hash } from 'node:crypto';
import { canonicalJson, openCanonicalTexts, type CanonicalTexts, type Fault, type Result } from '../kernel/index.ts';
import type { DocumentFacts, Facts, QuarantineReason, UnmappedWord, Verdict } from '../inbox/index.ts';
import {
  KNOWN_STRUCTURES,
  parseNotification,
  parsePayload,
  type Document,
  type Notification,
  type Payload,
} from '../payloads/index.ts';
import { hasByteOrderMark, parseLossless, type Issue, type JsonRule, type Validator } from '../r4/index.ts';
import {
  NOT_RECEIVED,
  translate,
  type DeliveryFacts,
  type LinkedPatient,
  type Translation,
  type TranslationFinding,
} from '../translate/index.ts';
import {
  fhirOf,
  issuesOfSource,
  readDocument,
  toBundle,
  type ReadDocument,
  type TranslationContext,
} from './read-document.ts';

type Hook = 'data' | 'notification';

/** What a delivery tells beside what goes to the chart: of a connection, or that something asked for has come. */
export type SourceEvent =
  | ({ readonly kind: 'notification' } & Pick<Notification, 'dataSource' | 'action' | 'level' | 'message' | 'at'>)
  | { readonly kind: 'lab' | 'profile'; readonly id: string };

export interface Judgement {
  readonly facts: Facts;
  readonly verdict: Verdict;
  readonly told?: SourceEvent;
}

/** Judging for a patient who is likely the right one, so that the translation can be used again. */
export interface JudgePretranslated {
  readonly delivery: DeliveryFacts;
  readonly patientOf: (payload: Payload) => LinkedPatient | null;
  readonly keep: (payload: Payload, patient: LinkedPatient, translation: Translation) => void;
}

export interface JudgeDeps {
  readonly translationContext: TranslationContext;
  readonly pretranslated?: JudgePretranslated | undefined;
  /** Nothing was received where it is absent. */
  readonly delivery?: DeliveryFacts | undefined;
  /** Of what comes in: R4 and no more, since a source need not know of profiles. */
  readonly validator: Validator;
  /** Of what would go out: with the profiles that EHRs impose. */
  readonly outValidator: Validator;
}

const FINDINGS_MAX = 50;
const UNMAPPED_MAX = 100;
const sha256 = (text: string): Uint8Array => new Uint8Array(hash('sha256', text, 'buffer'));
const digest = (value: unknown): Uint8Array => sha256(canonicalJson(value));

const REASONS: Partial<Record<Fault['code'], QuarantineReason>> = {
  'payload.shape': 'shape',
  'payload.identity': 'identity',
  'payload.foreign-client': 'foreign-client',
};

const NOTHING: Facts = {
  dataStructure: null,
  client: null,
  user: null,
  documentVersion: null,
  contentDigest: null,
  findings: [],
  unmapped: [],
};

/** Of a delivery over which judging threw. It waits for a person and, more likely, for a new release. */
export const FAILED: Judgement = {
  facts: NOTHING,
  verdict: { kind: 'quarantine', reason: 'failed' },
};

/**
 * Names that are kept in clear. Any other is a text of the sender's, which may be anything; the list of unmapped words
 * has it, sealed.
 */
const NAMED_STRUCTURES = new Set([...KNOWN_STRUCTURES, 'lab_result']);
const UNKNOWN_STRUCTURE = 'unknown';
const structureOf = (name: string, { templates }: TranslationContext, document?: Document): string => {
  if (NAMED_STRUCTURES.has(name) || templates.has(name)) return name;
  return document?.kind === 'lab_result' ? document.kind : UNKNOWN_STRUCTURE;
};

/** What can be said of a payload that was not believed: its envelope, where that is text. */
function factsOf(
  hook: Hook,
  value: unknown,
  findings: readonly string[],
  translationContext: TranslationContext,
): Facts {
  const {
    data_structure: structure,
    client_uuid: client,
    user_id: user,
    document_version: version,
  } = (typeof value === 'object' && value !== null ? value : {}) as Record<string, unknown>;
  const text = (one: unknown, max: number): string | null =>
    typeof one === 'string' && one.length <= max && !/[\p{Cc}\p{Cs}]/u.test(one) ? one : null;
  return {
    ...NOTHING,
    dataStructure: typeof structure === 'string' ? structureOf(structure, translationContext) : null,
    client: text(client, 100),
    user: text(user, 50),
    documentVersion: typeof version === 'number' && Number.isSafeInteger(version) ? version : null,
    contentDigest: digest([hook, value]),
    findings,
  };
}

const quarantine = (facts: Facts, reason: QuarantineReason): Judgement => ({
  facts,
  verdict: { kind: 'quarantine', reason },
});

function judgeNotification(value: unknown, { translationContext }: JudgeDeps): Judgement {
  const parsed = parseNotification(value);
  if (!parsed.ok)
    return quarantine(
      factsOf('notification', value, [`${parsed.fault.code} ${parsed.fault.at ?? ''}`], translationContext),
      'shape',
    );
  // Of another environment than ours: somebody has given our address to the wrong one.
  const { environment } = parsed.value;
  const isOurs = environment === null || environment.toLowerCase() === translationContext.setting.environment;
  const findings = isOurs ? [] : ['notification.environment environment'];
  const facts: Facts = {
    ...factsOf('notification', value, findings, translationContext),
    dataStructure: 'notification',
  };
  const { clientUuid } = translationContext.payloads;
  if (clientUuid !== null && parsed.value.clientUuid !== clientUuid) return quarantine(facts, 'foreign-client');
  const { dataSource, action, level, message, at } = parsed.value;
  return {
    facts,
    verdict: { kind: 'handled' },
    told: { kind: 'notification', dataSource, action, level, message, at },
  };
}

const ID = /^[A-Za-z0-9-]{1,100}$/;

/** Results that were asked for name what they answer. */
function toldOf(document: Document): SourceEvent | null {
  const kind = document.kind === 'lab_result' ? 'lab' : 'profile';
  const id =
    document.kind === 'lab_result' ? document.documentId : document.kind === 'user_profile' ? document.requestId : null;
  return id !== null && ID.test(id) ? { kind, id } : null;
}

/** Nobody: what can be translated at all can be translated for anyone. */
const ANYONE = {
  patient: { mrnSystem: 'urn:chartgate:anyone', mrn: 'anyone' },
  delivery: { id: 'dlv_trial', receivedAt: NOT_RECEIVED },
};

const errorsIn = (issues: readonly Issue[]): string[] =>
  issues.filter(({ severity }) => severity === 'error').map(({ rule, expression }) => `${rule} ${expression}`);

/**
 * What would go out must be as sound as what came in; that it is not is for whoever keeps the mapping data or the
 * template.
 */
const faultsOfOutput = (translation: Translation, validator: Validator): string[] =>
  errorsIn(validator.validate(toBundle(translation))).map((text) => `output.${text}`);

const KINDS: Partial<Record<TranslationFinding['code'], UnmappedWord['kind']>> = {
  'code.unmapped': 'code',
  'context.unmapped': 'context',
  'unit.unmapped': 'unit',
};

function unmappedOf(findings: readonly TranslationFinding[]): UnmappedWord[] {
  const words = new Map<string, UnmappedWord>();
  for (const { code, at, what } of findings) {
    const kind = at === 'data_structure' ? 'structure' : KINDS[code];
    if (kind !== undefined && what !== null) words.set(`${kind} ${what}`, { kind, what: what.slice(0, 200) });
  }
  return [...words.values()].slice(0, UNMAPPED_MAX);
}

/** The bytes of a delivery, parsed, and the canonical texts of it. */
interface Parsed {
  readonly value: unknown;
  readonly texts: CanonicalTexts;
}

function judgeDocument({ value, texts }: Parsed, { payload, custom }: ReadDocument, deps: JudgeDeps): Judgement {
  const { envelope } = payload;
  // First, since the text of the whole is made of what it writes.
  const clinical = payload.clinical(texts);
  const fhir = fhirOf(payload);
  const issues = fhir === null ? [] : errorsIn(issuesOfSource(deps.validator, fhir));
  const facts: Facts = {
    ...NOTHING,
    dataStructure: structureOf(envelope.dataStructure, deps.translationContext, payload.document),
    client: envelope.clientUuid,
    user: envelope.userId,
    documentVersion: envelope.documentVersion,
    contentDigest: sha256(texts.of(['data', value])),
    findings: [...payload.findings.map(({ code, at }) => `${code} ${at}`), ...issues].slice(0, FINDINGS_MAX),
  };
  if (issues.length > 0) return quarantine(facts, 'not-r4');
  const { pretranslated } = deps;
  const patient = pretranslated?.patientOf(payload) ?? null;
  const { delivery = pretranslated?.delivery ?? ANYONE.delivery } = deps;
  const whose = { patient: patient ?? ANYONE.patient, delivery };
  const translation = translate({ payload, custom, ...whose, setting: deps.translationContext.setting });
  const wrong = translation.trouble === null ? faultsOfOutput(translation, deps.outValidator) : [];
  if (patient !== null && translation.trouble === null && wrong.length === 0)
    pretranslated?.keep(payload, patient, translation);
  const told = toldOf(payload.document);
  const document: DocumentFacts = {
    key: payload.documentKey,
    version: payload.order.value,
    clinicalDigest: translation.trouble === 'not-ready' ? null : sha256(clinical),
    order: payload.order.by,
  };
  return {
    facts: {
      ...facts,
      findings: [...facts.findings, ...translation.findings.map(({ code, at }) => `${code} ${at}`), ...wrong].slice(
        0,
        FINDINGS_MAX,
      ),
      unmapped: unmappedOf(translation.findings),
    },
    verdict: { kind: 'sound', trouble: translation.trouble ?? (wrong.length > 0 ? 'unmapped' : null), document },
    ...(told === null ? {} : { told }),
  };
}

function judgeRead(parsed: Parsed, read: Result<ReadDocument>, deps: JudgeDeps): Judgement {
  if (read.ok) return judgeDocument(parsed, read.value, deps);
  const { value } = parsed;
  const { code, at } = read.fault;
  const facts = factsOf('data', value, [`${code} ${at ?? ''}`], deps.translationContext);
  // A template that fails is mended like a mapping, and the delivery is replayed.
  if (code.startsWith('template.')) {
    const payload = parsePayload(value, deps.translationContext.payloads);
    const told = payload.ok ? toldOf(payload.value.document) : null;
    const verdict = { kind: 'sound', trouble: 'unmapped', document: null } as const;
    return { facts, verdict, ...(told === null ? {} : { told }) };
  }
  return quarantine(facts, REASONS[code] ?? 'shape');
}

export const notJson = (rule: JsonRule): Judgement => quarantine({ ...NOTHING, findings: [rule] }, 'not-json');

const BACKSLASH = 0x5c;

/** What a stored delivery is, from its bytes alone. The same bytes, settings and mapping data give the same answer. */
export function judge(hook: Hook, body: Uint8Array, deps: JudgeDeps): Judgement | Promise<Judgement> {
  const judgement = judgeText(hook, body, deps);
  if (!hasByteOrderMark(body)) return judgement;
  return judgement instanceof Promise ? judgement.then(withMark) : withMark(judgement);
}

const withMark = ({ facts, ...rest }: Judgement): Judgement => ({
  ...rest,
  facts: { ...facts, findings: ['json-byte-order-mark', ...facts.findings].slice(0, FINDINGS_MAX) },
});

function judgeText(hook: Hook, body: Uint8Array, deps: JudgeDeps): Judgement | Promise<Judgement> {
  const json = parseLossless(body);
  if (!json.ok) return notJson(json.fault.rule);
  if (hook === 'notification') return judgeNotification(json.value, deps);
  const parsed: Parsed = { value: json.value, texts: openCanonicalTexts(!body.includes(BACKSLASH)) };
  const read = readDocument(json.value, deps.translationContext);
  return read instanceof Promise ? read.then((one) => judgeRead(parsed, one, deps)) : judgeRead(parsed, read, deps);
}
