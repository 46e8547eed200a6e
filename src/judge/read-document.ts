import { ok, type Result } from '../kernel/index.ts';
import { parsePayload, type Payload, type PayloadOptions } from '../payloads/index.ts';
import type { Issue, Validator } from '../r4/index.ts';
import type { RunTemplate, Template, Templates } from '../templates/index.ts';
import { isZoned, type CustomContent, type Setting, type Translation } from '../translate/index.ts';

/** What deliveries are read with: the settings, and the mapping data as it is now. */
export interface TranslationContext {
  readonly payloads: PayloadOptions;
  readonly setting: Setting;
  readonly templates: Templates;
  readonly runTemplate: RunTemplate;
}

export interface ReadDocument {
  readonly payload: Payload;
  /** Of a template; null where none is needed or none is there. */
  readonly custom: CustomContent | null;
}

const wantsTemplate = ({ document }: Payload): boolean =>
  document.kind === 'unknown' || (document.kind === 'lab_result' && document.format === 'service');

/**
 * By its structure; a laboratory result under another name in the form of `lab_result` has the template of that one.
 */
export const templateOf = (templates: Templates, { envelope, document }: Payload): Template | undefined =>
  templates.get(envelope.dataStructure) ?? (document.kind === 'lab_result' ? templates.get('lab_result') : undefined);

/** A template names its documents; before, only the same content was the same document. */
const rekeyed = (payload: Payload, { key }: CustomContent): Payload => ({
  ...payload,
  documentKey: JSON.stringify([
    payload.envelope.clientUuid,
    payload.envelope.userId,
    payload.envelope.dataStructure,
    'custom',
    key,
  ]),
});

async function readByTemplate(
  payload: Payload,
  value: unknown,
  translationContext: TranslationContext,
): Promise<Result<ReadDocument>> {
  const template = templateOf(translationContext.templates, payload);
  if (template === undefined) return ok({ payload, custom: null });
  const mapped = await translationContext.runTemplate(template, value);
  return mapped.ok ? ok({ payload: rekeyed(payload, mapped.value), custom: mapped.value }) : mapped;
}

/** The document of a payload. At once, but for one that a template of the site reads. */
export function readDocument(
  value: unknown,
  translationContext: TranslationContext,
): Result<ReadDocument> | Promise<Result<ReadDocument>> {
  const { userIdentifier } = translationContext.setting.mappings.uris;
  const parsed = parsePayload(value, { ...translationContext.payloads, userSystem: userIdentifier });
  if (!parsed.ok) return parsed;
  if (wantsTemplate(parsed.value) && translationContext.templates.size > 0)
    return readByTemplate(parsed.value, value, translationContext);
  return ok({ payload: parsed.value, custom: null });
}

/**
 * When a document was made: by its own word, else when it came. Orders what two documents say of one measurement. An
 * alert_event says when it was raised, in no case after it came. An alert_summary says when its day ends, which is not
 * when it was made: it can come before that, and again days later.
 */
export function saidAtOf({ document }: Payload, receivedAt: Date): number {
  const came = receivedAt.getTime();
  if (document.kind === 'alert_event') {
    const raised = isZoned(document.triggeredAt) ? Date.parse(document.triggeredAt) : NaN;
    return Number.isNaN(raised) ? came : Math.min(raised, came);
  }
  const said = document.kind === 'clinical_ready' ? document.bundle['timestamp'] : undefined;
  const ms = typeof said === 'string' ? Date.parse(said) : NaN;
  return Number.isNaN(ms) ? came : ms;
}

/**
 * Broken in deliveries without harm: a laboratory sends results in a Bundle without fullUrl, or in a list that we make
 * one of, and the translation tells entries apart by their ids and content.
 */
const HARMLESS = new Set(['fullurl-required']);

/** What is wrong with the FHIR of a delivery, and matters. */
export const issuesOfSource = (validator: Validator, fhir: unknown): Issue[] =>
  validator.validate(fhir).filter(({ rule }) => !HARMLESS.has(rule));

/** The FHIR content of a document, which must be valid R4 before anything is made of it. */
export function fhirOf({ document }: Payload): unknown {
  if (document.kind === 'clinical_ready') return document.bundle;
  return document.kind === 'lab_result' && document.format === 'fhir' ? document.resource : null;
}

/** All of a translation as one Bundle, in which every reference must resolve. */
export function toBundle({ patient, wanted, provenance }: Translation): unknown {
  const all = [patient, ...wanted, ...(provenance === null ? [] : [provenance])];
  return {
    resourceType: 'Bundle',
    type: 'collection',
    entry: all.map(({ reference, resource }) => ({ fullUrl: reference, resource })),
  };
}
