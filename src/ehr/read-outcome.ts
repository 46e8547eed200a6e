import { isOperationOutcome } from '@medplum/core';

/**
 * FHIR's issue types, http://hl7.org/fhir/R4/valueset-issue-type.html: words of the standard, so they may be logged.
 */
const ISSUE_CODES = new Set(
  (
    'invalid structure required value invariant security login unknown expired forbidden suppressed processing not-supported ' +
    'duplicate multiple-matches not-found deleted too-long code-invalid extension too-costly business-rule conflict transient ' +
    'lock-error no-store exception timeout incomplete throttled informational'
  ).split(' '),
);

interface Issue {
  readonly severity?: unknown;
  readonly code?: unknown;
}

/** A server may send anything below the name of an OperationOutcome. */
function issuesOf(value: unknown): readonly (Issue | null)[] {
  const issue: unknown = isOperationOutcome(value) ? value.issue : null;
  return Array.isArray(issue) ? (issue as (Issue | null)[]) : [];
}

/** Whether it is an OperationOutcome that tells of a failure, whatever the status above it says. */
export const tellsOfFailure = (value: unknown): boolean =>
  issuesOf(value).some((one) => one?.severity === 'error' || one?.severity === 'fatal');

/** The issue codes of an OperationOutcome, and nothing else of it: its texts quote patients. */
export function readOutcome(value: unknown): readonly string[] {
  const codes = issuesOf(value).map((one) => one?.code);
  return [...new Set(codes.filter((code): code is string => typeof code === 'string' && ISSUE_CODES.has(code)))];
}
