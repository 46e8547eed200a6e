import type { z } from 'zod';
import { canonicalJson, fail, fault, ok, openCanonicalTexts, type Result } from '../kernel/index.ts';
import { readAlertEvent, readAlertSummary, type AlertEvent, type AlertSummary } from './alerts.ts';
import { readClinicalReady, type ClinicalReady } from './clinical-ready.ts';
import { readDevices, type SourceDevice } from './device.ts';
import { readEnvelope, type Envelope } from './envelope.ts';
import type { Finding, Read } from './finding.ts';
import { readLabResult, type LabResult } from './lab-result.ts';
import { readStepsEvent, type StepsEvents } from './steps-event.ts';
import { readUserProfile, type UserProfile } from './user-profile.ts';

/** A structure that nobody has taught us: kept, counted and shown, never refused. */
export interface UnknownDocument {
  readonly kind: 'unknown';
}

export type Document =
  ClinicalReady | LabResult | StepsEvents | UserProfile | AlertEvent | AlertSummary | UnknownDocument;

export interface Payload {
  readonly envelope: Envelope;
  readonly document: Document;
  readonly devices: readonly SourceDevice[];
  readonly findings: readonly Finding[];
  /** Names the document among all of its client's: what a later version has in common with an earlier one. */
  readonly documentKey: string;
  /** What orders the versions: the document_version, or the document's own ascending value. */
  readonly order: { readonly by: 'version' | 'ascending'; readonly value: number };
  readonly clinical: Read<Document>['clinical'];
  readonly clinicalPart: object | null;
}

export interface PayloadOptions {
  /** Our client at the source; null takes any. */
  readonly clientUuid: string | null;
  readonly documentKey: 'bundle-id' | 'user-day';
  /** Where the FHIR content of a laboratory result stands; null looks for it. */
  readonly labPath: string | null;
  /** The identifier system of the source's users; absent where nobody has said it. */
  readonly userSystem?: string;
}

type Reader = (value: unknown, options: PayloadOptions) => z.ZodSafeParseResult<Read<Document>>;

const READERS: Readonly<Record<string, Reader>> = {
  clinical_ready: (value, { documentKey }) => readClinicalReady(value, documentKey),
  steps_event: readStepsEvent,
  user_profile: readUserProfile,
  alert_event: readAlertEvent,
  alert_summary: readAlertSummary,
};

/** The structures whose shape is published; a laboratory result is found by what it holds. */
export const KNOWN_STRUCTURES: readonly string[] = Object.keys(READERS);

/**
 * Specification, section 9: the payload versions that were observed. Laboratory results and other structures have none
 * published.
 */
const PAYLOAD_VERSIONS: Readonly<Record<string, number>> = {
  clinical_ready: 1,
  user_profile: 1,
  steps_event: 2,
  alert_event: 2,
  alert_summary: 2,
};

const shapeFault = (error: z.ZodError): Result<never> =>
  fail(fault('payload.shape', { at: error.issues[0]?.path.join('.') ?? '' }));

function readOther(
  value: unknown,
  { dataStructure }: Envelope,
  { labPath, userSystem }: PayloadOptions,
): Read<Document> {
  const unknown: Read<Document> = {
    document: { kind: 'unknown' },
    userIds: [],
    findings: [],
    // Nobody has told what makes two of them the same, so only the same content does.
    keyParts: ['content', canonicalJson(value)],
    order: { by: 'version' },
    clinical: (texts = openCanonicalTexts(false)) => texts.of(value),
  };
  return readLabResult(value, dataStructure, labPath, userSystem ?? null) ?? unknown;
}

/**
 * Reads one delivery of the Data Webhook. A fault says why it cannot be believed: its shape, the identities inside it,
 * or its client. What merely does not add up is a finding, and the document goes on.
 */
export function parsePayload(value: unknown, options: PayloadOptions): Result<Payload> {
  const envelope = readEnvelope(value);
  if (!envelope.success) return shapeFault(envelope.error);
  const { dataStructure, clientUuid, userId, documentVersion } = envelope.data;
  const devices = readDevices(value);
  if (!devices.success) return shapeFault(devices.error);

  const reader = Object.hasOwn(READERS, dataStructure) ? READERS[dataStructure] : undefined;
  const parsed = reader?.(value, options);
  if (parsed !== undefined && !parsed.success) return shapeFault(parsed.error);
  const read = parsed?.data ?? readOther(value, envelope.data, options);

  if (options.clientUuid !== null && clientUuid !== options.clientUuid)
    return fail(fault('payload.foreign-client', { at: 'client_uuid' }));
  const stranger = read.userIds.find(({ id }) => id !== userId);
  if (stranger !== undefined) return fail(fault('payload.identity', { at: stranger.at }));
  if (read.fault !== undefined) return fail(read.fault);

  const findings: Finding[] = [...read.findings];
  // It may mean something else by the same fields: a person can see which deliveries it concerns.
  if (reader !== undefined && envelope.data.version !== PAYLOAD_VERSIONS[dataStructure])
    findings.push({ code: 'version.unknown', at: 'version' });
  if (read.document.kind === 'alert_event' && documentVersion !== 1)
    findings.push({ code: 'version.unexpected', at: 'document_version' });
  return ok({
    envelope: envelope.data,
    document: read.document,
    devices: devices.data,
    findings,
    documentKey: JSON.stringify([clientUuid, userId, dataStructure, ...read.keyParts]),
    order: read.order.by === 'ascending' ? read.order : { by: 'version', value: documentVersion },
    clinical: read.clinical,
    clinicalPart: read.clinicalPart ?? null,
  });
}
