import { createHash } from 'node:crypto';
import { canonicalJson, type Fault } from '../kernel/index.ts';
import type { DocumentFacts, Facts, QuarantineReason, Verdict } from '../inbox/index.ts';
import { parseNotification, parsePayload, type Payload, type PayloadOptions } from '../payloads/index.ts';
import { parseLossless, type Validator } from '../r4/index.ts';

type Hook = 'data' | 'notification';

export interface Judgement {
  readonly facts: Facts;
  readonly verdict: Verdict;
}

const FINDINGS_MAX = 50;
const sha256 = (text: string): Uint8Array => new Uint8Array(createHash('sha256').update(text).digest());
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
};

/** Of a delivery over which judging threw. It waits for a person and, more likely, for a new release. */
export const FAILED: Judgement = {
  facts: NOTHING,
  verdict: { kind: 'quarantine', reason: 'failed' },
};

/** What can be said of a payload that was not believed: its envelope, where that is text. */
function factsOf(hook: Hook, value: unknown, findings: readonly string[]): Facts {
  const {
    data_structure: structure,
    client_uuid: client,
    user_id: user,
    document_version: version,
  } = (typeof value === 'object' && value !== null ? value : {}) as Record<string, unknown>;
  const text = (one: unknown, max: number): string | null =>
    typeof one === 'string' && one.length <= max && !/\p{Cc}/u.test(one) ? one : null;
  return {
    dataStructure: text(structure, 100),
    client: text(client, 100),
    user: text(user, 50),
    documentVersion: typeof version === 'number' && Number.isSafeInteger(version) ? version : null,
    contentDigest: digest([hook, value]),
    findings,
  };
}

const quarantine = (facts: Facts, reason: QuarantineReason): Judgement => ({ facts, verdict: { kind: 'quarantine', reason } });

function judgeNotification(value: unknown, options: PayloadOptions): Judgement {
  const parsed = parseNotification(value);
  if (!parsed.ok) return quarantine(factsOf('notification', value, [`${parsed.fault.code} ${parsed.fault.at ?? ''}`]), 'shape');
  const facts: Facts = { ...factsOf('notification', value, []), dataStructure: 'notification' };
  if (options.clientUuid !== null && parsed.value.clientUuid !== options.clientUuid) return quarantine(facts, 'foreign-client');
  return { facts, verdict: { kind: 'handled' } };
}

/** The FHIR content of a document, which must be valid R4 before anything is made of it. */
function fhirOf({ document }: Payload): unknown {
  if (document.kind === 'clinical_ready') return document.bundle;
  return document.kind === 'lab_result' && document.format === 'fhir' ? document.resource : null;
}

function judgeData(value: unknown, options: PayloadOptions, validator: Validator): Judgement {
  const parsed = parsePayload(value, options);
  if (!parsed.ok)
    return quarantine(
      factsOf('data', value, [`${parsed.fault.code} ${parsed.fault.at ?? ''}`]),
      REASONS[parsed.fault.code] ?? 'shape',
    );
  const payload = parsed.value;
  const fhir = fhirOf(payload);
  const issues = fhir === null ? [] : validator.validate(fhir).filter(({ severity }) => severity === 'error');
  const findings = [
    ...payload.findings.map(({ code, at }) => `${code} ${at}`),
    ...issues.map(({ rule, expression }) => `${rule} ${expression}`),
  ].slice(0, FINDINGS_MAX);
  const facts: Facts = {
    dataStructure: payload.envelope.dataStructure,
    client: payload.envelope.clientUuid,
    user: payload.envelope.userId,
    documentVersion: payload.envelope.documentVersion,
    contentDigest: digest(['data', value]),
    findings,
  };
  if (issues.length > 0) return quarantine(facts, 'not-r4');
  const document: DocumentFacts = {
    key: payload.documentKey,
    version: payload.order.value,
    clinicalDigest: sha256(payload.clinical),
    order: payload.order.by,
  };
  const isUnmapped =
    payload.document.kind === 'unknown' || (payload.document.kind === 'lab_result' && payload.document.format === 'service');
  return { facts, verdict: { kind: 'park', reason: isUnmapped ? 'unmapped' : 'unlinked', document } };
}

/** What a stored delivery is, from its bytes alone. The same bytes and settings give the same answer. */
export function judge(hook: Hook, body: Uint8Array, options: PayloadOptions, validator: Validator): Judgement {
  const parsed = parseLossless(body);
  if (!parsed.ok) return quarantine({ ...NOTHING, findings: [parsed.fault.rule] }, 'not-json');
  return hook === 'notification' ? judgeNotification(parsed.value, options) : judgeData(parsed.value, options, validator);
}
