import { hash } from 'node:crypto';
import { canonicalJson, type Fault, type Result } from '../kernel/index.ts';
import type { DocumentFacts, Facts, QuarantineReason, UnmappedWord, Verdict } from '../inbox/index.ts';
import {
  KNOWN_STRUCTURES,
  parseNotification,
  parsePayload,
  type Document,
  type Notification,
  type Payload,
} from '../payloads/index.ts';
import { hasByteOrderMark, type JsonRule } from '../r4/index.ts';
import {
  NOT_RECEIVED,
  translate,
  type DeliveryFacts,
  type LinkedPatient,
  type Translation,
  type TranslationFinding,
} from '../translate/index.ts';
import { checkIncoming, checkOutput, findingText, NO_FAULTS, troubleOfOutput, type Faults } from './check-profiles.ts';
import { parseDocument, type ParsedDocument } from './parse-document.ts';
import { fhirOf, readDocument, type ReadDocument, type TranslationContext } from './read-document.ts';
import type { Validators } from './validators.ts';

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

export interface JudgeDeps extends Validators {
  readonly translationContext: TranslationContext;
  readonly pretranslated?: JudgePretranslated | undefined;
  /** Nothing was received where it is absent. */
  readonly delivery?: DeliveryFacts | undefined;
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

/** What would go out must be as sound as what came in; that it is not is for whoever keeps the mapping data. */
const outputFindings = ({ r4, profile }: Faults): string[] =>
  [...r4, ...profile].map((issue) => `output.${findingText(issue)}`);

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

function judgeDocument(
  { value, texts }: ParsedDocument,
  { payload, custom }: ReadDocument,
  deps: JudgeDeps,
): Judgement {
  const { envelope } = payload;
  const clinical = hash('sha256', payload.clinical(texts));
  // Of these the digest of the whole has that digest: most of a document is hashed once.
  if (payload.clinicalPart !== null) texts.replace(payload.clinicalPart, `"${clinical}"`);
  const fhir = fhirOf(payload);
  const incoming = checkIncoming(fhir, deps);
  const facts: Facts = {
    ...NOTHING,
    dataStructure: structureOf(envelope.dataStructure, deps.translationContext, payload.document),
    client: envelope.clientUuid,
    user: envelope.userId,
    documentVersion: envelope.documentVersion,
    contentDigest: sha256(texts.of(['data', value])),
    findings: [...payload.findings.map(({ code, at }) => `${code} ${at}`), ...incoming.r4.map(findingText)].slice(
      0,
      FINDINGS_MAX,
    ),
  };
  if (incoming.r4.length > 0) return quarantine(facts, 'not-r4');
  const unmetClaims = incoming.profile.map((issue) => `input.${findingText(issue)}`);
  if (unmetClaims.length > 0 && deps.translationContext.incomingProfiles === 'quarantine')
    return quarantine(
      { ...facts, findings: [...facts.findings, ...unmetClaims].slice(0, FINDINGS_MAX) },
      'not-profile',
    );
  const { pretranslated } = deps;
  const patient = pretranslated?.patientOf(payload) ?? null;
  const { delivery = pretranslated?.delivery ?? ANYONE.delivery } = deps;
  const whose = { patient: patient ?? ANYONE.patient, delivery };
  const translation = translate({
    payload,
    custom,
    ...whose,
    setting: deps.translationContext.setting,
    decisions: 'left-out',
  });
  const wrong = translation.trouble === null ? checkOutput(translation, deps) : NO_FAULTS;
  const trouble = translation.trouble ?? troubleOfOutput(wrong);
  if (patient !== null && trouble === null) pretranslated?.keep(payload, patient, translation);
  const told = toldOf(payload.document);
  const document: DocumentFacts = {
    key: payload.documentKey,
    version: payload.order.value,
    clinicalDigest: translation.trouble === 'not-ready' ? null : new Uint8Array(Buffer.from(clinical, 'hex')),
    order: payload.order.by,
  };
  return {
    facts: {
      ...facts,
      findings: [
        ...facts.findings,
        ...translation.findings.map(({ code, at }) => `${code} ${at}`),
        ...outputFindings(wrong),
        ...unmetClaims,
      ].slice(0, FINDINGS_MAX),
      unmapped: unmappedOf(translation.findings),
    },
    verdict: { kind: 'sound', trouble, document },
    ...(told === null ? {} : { told }),
  };
}

function judgeRead(parsed: ParsedDocument, read: Result<ReadDocument>, deps: JudgeDeps): Judgement {
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
  const parsed = parseDocument(body);
  if (!parsed.ok) return notJson(parsed.fault.rule);
  const document = parsed.value;
  if (hook === 'notification') return judgeNotification(document.value, deps);
  const read = readDocument(document.value, deps.translationContext);
  return read instanceof Promise ? read.then((one) => judgeRead(document, one, deps)) : judgeRead(document, read, deps);
}
