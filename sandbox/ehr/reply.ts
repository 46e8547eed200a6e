import type { Version } from './repository.ts';

/** An answer before it is sent. */
export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

const FHIR_JSON = 'application/fhir+json; charset=utf-8';

export const replyJson = (status: number, body: string, headers: Record<string, string> = {}): Reply => ({
  status,
  headers: { 'content-type': FHIR_JSON, ...headers },
  body,
});

export const outcomeJson = (severity: 'error' | 'information', code: string, text: string): string =>
  JSON.stringify({ resourceType: 'OperationOutcome', issue: [{ severity, code, diagnostics: text }] });

export const refuse = (status: number, code: string, text: string): Reply =>
  replyJson(status, outcomeJson('error', code, text));

/** Null where this server names no versions. */
export const etagOf = ({ versionId }: Version): string | null => (versionId === null ? null : `W/"${versionId}"`);

/** As a part of an object: absent where there is none. */
export function etagPart(version: Version): { readonly etag?: string } {
  const etag = etagOf(version);
  return etag === null ? {} : { etag };
}

export const headersOf = (version: Version): Record<string, string> => ({
  ...etagPart(version),
  'last-modified': new Date(version.lastUpdated).toUTCString(),
});

export const isReply = (value: unknown): value is Reply =>
  typeof value === 'object' && value !== null && 'status' in value && 'headers' in value;
