import { errorCode, isError } from './is-error.ts';
import type { Fault } from './fault.ts';

/** Every event that may be logged: `noun.past-verb`. docs/operate.md says what each one means. */
export const LOG_EVENTS = [
  'process.started',
  'process.draining',
  'process.stopped',
  'process.failed',
  'process.part-late',
  'process.part-failed',
  'worker.started',
  'worker.ended',
  'config.unverified',
  'request.answered',
  'webhook.learned',
  'delivery.settled',
  'delivery.waiting',
  'delivery.failed',
  'delivery.sent',
  'job.ended',
  'job.failed',
  'subscription.ended',
  'subscription.refused',
  'subscription.failed',
  'export.ended',
  'export.failed',
  'export.patient-failed',
  'lane.lost',
  'lane.failed',
  'shadow.entered',
  'shadow.held',
  'shadow.left',
  'shadow.evaluated',
  'shadow.failed',
  'clock.jumped',
  'mappings.left-out',
  'guides.loaded',
  'guides.not-checked',
  'mappings.loaded',
  'mappings.refused',
  'links.followed',
  'persons.not-read',
  'persons.not-kept',
  'auth.failed',
  'auth.provider-failed',
  'audit.lost',
  'audit.unsigned',
  'audit.unanchored',
  'audit.closed',
  'audit.key-changed',
  'ledger.unequal',
  'ledger.equal',
  'bodies.shredded',
  'figures.not-stored',
  'stream.waiting',
  'stream.failed',
  'history.not-stored',
  'ehr.probed',
  'ehr.probe-failed',
  'ehr.dialect-chosen',
  'ehr.altered',
  'ehr.breaker-opened',
  'ehr.breaker-closed',
  'read.refused',
  'read.left-out',
  'data-key.retired',
  'data-key.kept',
  'store.opened',
  'store.migrated',
  'store.lost',
  'store.recovered',
  'journal.recovered',
  'journal.put-aside',
  'telemetry.failed',
  'telemetry.recovered',
] as const;

export type LogEvent = (typeof LOG_EVENTS)[number];

/**
 * The closed set of fields. None can hold patient data: ids are our own, texts are constants of the code base.
 * A new field is a reviewed change to this type.
 */
export interface LogFields {
  readonly requestId?: string;
  /** W3C Trace Context: what other systems' logs are joined by. */
  readonly traceId?: string;
  readonly instance?: string;
  /** The number of the worker, where several serve the same port. */
  readonly worker?: number;
  readonly pid?: number;
  readonly component?: 'gateway' | 'ops';
  readonly method?: string;
  /** The route's template, never the URL. */
  readonly route?: string;
  readonly status?: number;
  readonly durationMs?: number;
  readonly faultCode?: string;
  readonly engine?: 'sqlite' | 'postgres';
  readonly version?: string;
  readonly migration?: string;
  /** What the store was asked to do, by its name in the code. */
  readonly command?: string;
  readonly deliveryId?: string;
  readonly state?: string;
  /** A word of ours: why a delivery is in its state. */
  readonly reason?: string;
  readonly count?: number;
  readonly exitCode?: number;
  readonly setting?: string;
  /** Host and port of a server that a setting names; never a path, a query or a credential. */
  readonly address?: string;
  /** The name of a dialect file. */
  readonly dialect?: string;
  /** A FHIR type. */
  readonly resourceType?: string;
  readonly port?: number;
  /** Of what is told to a collector. */
  readonly signal?: 'traces' | 'metrics';
  readonly error?: SafeError;
}

/** What may be told of a thrown thing: its kind and where it came from, never its message, which may quote data. */
export interface SafeError {
  readonly name: string;
  readonly code?: string;
  readonly stack?: readonly string[];
}

export interface Log {
  debug(event: LogEvent, fields?: LogFields): void;
  info(event: LogEvent, fields?: LogFields): void;
  warn(event: LogEvent, fields?: LogFields): void;
  error(event: LogEvent, fields?: LogFields): void;
  /** The same log with these fields on every line. */
  with(fields: LogFields): Log;
}

export function safeError(thrown: unknown): SafeError {
  if (!isError(thrown)) return { name: typeof thrown };
  const code = errorCode(thrown) ?? undefined;
  // A stack begins with the message, which may run over several lines and may itself look like frames.
  const whole = thrown.stack ?? '';
  const message = whole.indexOf(thrown.message);
  const stack = (message < 0 ? whole : whole.slice(message + thrown.message.length))
    .split('\n')
    .filter((line) => /^\s+at .*[:/)\w]$/.test(line))
    .map((line) => line.trim())
    .slice(0, 8);
  return { name: thrown.name, ...(code === undefined ? {} : { code }), stack };
}

/** The fields that tell of a fault in a line. */
export function faultFields(fault: Fault): LogFields {
  return { faultCode: fault.code, ...(fault.cause === undefined ? {} : { error: safeError(fault.cause) }) };
}

const SILENT: Log = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
  with: () => SILENT,
};
export const silentLog: Log = SILENT;
