import type { OperationOutcome } from '@medplum/fhirtypes';
import { detailOfFault, HANDLING, type Answer, type Fault } from '../kernel/index.ts';
import { hasHeader, type Head } from './head.ts';

const FHIR_BASE = /^\/fhir(\/|\?|$)/;

/** Seconds; the source comes back only three times, so a refusal asks for an early return, not a late one. */
const RETRY_AFTER: Partial<Record<Fault['kind'], number>> = {
  overloaded: 120,
  'store-unavailable': 120,
  'store-uncertain': 120,
  'too-many': 60,
  'ehr-unavailable': 30,
  'issuer-unavailable': 30,
  'source-unavailable': 30,
};

/** RFC 6750 3.1. A token that no scope would help (`read.shared-search`) is not told to ask for more. */
const CHALLENGES: Partial<Record<Fault['code'], string>> = {
  'read.scope': 'Bearer error="insufficient_scope"',
  'read.no-patient': 'Bearer error="insufficient_scope"',
  'read.other-patient': 'Bearer error="insufficient_scope"',
};

/** Who came with a token that is none learns that it is the token; who came without one, what kind is wanted. */
const unauthenticated = (authorization: string | undefined): string =>
  /^bearer /i.test(authorization ?? '') ? 'Bearer error="invalid_token"' : 'Bearer';

/** What the answer to a fault depends on beside it. */
export interface Refused {
  readonly target: string;
  readonly authorization: string | undefined;
  readonly requestId: string;
}

export interface Problem {
  readonly type: string;
  readonly title: string;
  readonly detail?: string;
  readonly status: number;
  readonly code: string;
  readonly at?: string;
  readonly problems?: readonly string[];
  readonly count?: number;
  readonly request_id: string;
}

/** RFC 9457. The title is a constant of the fault table; `code` leads to docs/faults.md. */
export function toProblem(fault: Fault, requestId: string): Problem {
  const { status, text } = HANDLING[fault.kind];
  const detail = detailOfFault(fault);
  return {
    type: `urn:chartgate:fault:${fault.code}`,
    title: text,
    ...(detail === null ? {} : { detail }),
    status,
    code: fault.code,
    ...(fault.at === undefined ? {} : { at: fault.at }),
    ...(fault.problems === undefined ? {} : { problems: fault.problems }),
    ...(fault.count === undefined ? {} : { count: fault.count }),
    request_id: requestId,
  };
}

/** One issue for each problem; `at` is the place of the first. What is to be done stands in the words of its code. */
export function toOutcome(fault: Fault, requestId: string): OperationOutcome {
  const { kind, code, at, problems = [] } = fault;
  const { issue, text: sentence, status } = HANDLING[kind];
  const text = detailOfFault(fault) ?? sentence;
  const issueOf = (problem: string | null, isFirst: boolean): OperationOutcome['issue'][number] => ({
    severity: status === 500 ? 'fatal' : 'error',
    code: issue,
    details: { coding: [{ system: 'urn:chartgate:fault', code }], text },
    diagnostics: problem === null ? `request ${requestId}` : `request ${requestId}: ${problem}`,
    ...(at === undefined || !isFirst ? {} : { expression: [at] }),
  });
  return {
    resourceType: 'OperationOutcome',
    issue: problems.length === 0 ? [issueOf(null, true)] : problems.map((problem, i) => issueOf(problem, i === 0)),
  };
}

/**
 * FHIR routes answer OperationOutcome, everything else problem+json: both from the one table. What the fault says
 * replaces what `head` says, but for a challenge and for methods that are there already.
 */
export function answerOf(fault: Fault, { target, authorization, requestId }: Refused, head: Head): Answer {
  const { status } = HANDLING[fault.kind];
  const isFhir = FHIR_BASE.test(target);
  const headers: Record<string, string> = {
    'Content-Type': isFhir ? 'application/fhir+json; charset=utf-8' : 'application/problem+json; charset=utf-8',
    'Cache-Control': 'no-store',
  };
  const retryAfter = fault.retryAfterMs === undefined ? RETRY_AFTER[fault.kind] : Math.ceil(fault.retryAfterMs / 1000);
  if (retryAfter !== undefined) headers['Retry-After'] = String(retryAfter);
  if (status === 401 && !hasHeader(head, 'WWW-Authenticate'))
    headers['WWW-Authenticate'] = unauthenticated(authorization);
  const challenge = CHALLENGES[fault.code];
  if (challenge !== undefined) headers['WWW-Authenticate'] = challenge;
  if (status === 405 && !hasHeader(head, 'Allow')) headers['Allow'] = 'GET, HEAD, POST, PUT, DELETE, OPTIONS';
  if (fault.kind === 'overloaded') headers['Connection'] = 'close';
  const body = JSON.stringify(isFhir ? toOutcome(fault, requestId) : toProblem(fault, requestId));
  return { status, headers, body };
}
