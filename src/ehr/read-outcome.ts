import { isOperationOutcome } from '@medplum/core';
import { isResourceType } from '../r4/index.ts';
import type { Exchange } from './exchange.ts';

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
  readonly expression?: unknown;
  readonly location?: unknown;
}

/** A server may send anything below the name of an OperationOutcome. */
function issuesOf(value: unknown): readonly (Issue | null)[] {
  const issue: unknown = isOperationOutcome(value) ? value.issue : null;
  return Array.isArray(issue) ? (issue as (Issue | null)[]) : [];
}

/** Whether it is an OperationOutcome that tells of a failure, whatever the status above it says. */
export const tellsOfFailure = (value: unknown): boolean => issuesOf(value).some(isFailure);

/** The issue codes of an OperationOutcome, and nothing else of it: its texts quote patients. */
export function readOutcome(value: unknown): readonly string[] {
  const codes = issuesOf(value).map((one) => one?.code);
  return [...new Set(codes.filter((code): code is string => typeof code === 'string' && ISSUE_CODES.has(code)))];
}

/** What an EHR found wrong: a code of the standard, and the path of the place. */
export interface OutcomeIssue {
  readonly code: string;
  readonly at: string | null;
}

const ISSUES_MAX = 10;
const PATH_LENGTH_MAX = 200;
/** A path of elements alone: a name or a value that somebody wrote into it would not be one. */
const PATH = /^([A-Z][A-Za-z]+)(?:\.[a-z][A-Za-z]*(?:\[(?:\d{1,5}|x)\])?)*$/;

function pathIn({ expression, location }: Issue): string | null {
  const [path] = [expression, location].flat().filter((one): one is string => typeof one === 'string');
  if (path === undefined || path.length > PATH_LENGTH_MAX) return null;
  const [, type = ''] = PATH.exec(path) ?? [];
  return isResourceType(type) ? path : null;
}

const isFailure = (issue: Issue | null): issue is Issue => issue?.severity === 'error' || issue?.severity === 'fatal';

function failuresIn(value: unknown, within: string | null): OutcomeIssue[] {
  return issuesOf(value)
    .filter(isFailure)
    .flatMap((issue) =>
      typeof issue.code === 'string' && ISSUE_CODES.has(issue.code)
        ? [{ code: issue.code, at: pathIn(issue) ?? within }]
        : [],
    );
}

const NONE: readonly OutcomeIssue[] = [];

/** What an answer says was wrong, also with single entries of a Bundle; codes and paths, never texts. */
export function readIssues(exchange: Exchange | null): readonly OutcomeIssue[] {
  if (exchange?.kind !== 'answered' || exchange.body.kind !== 'json') return [];
  const { value } = exchange.body;
  const { entry } = (value ?? {}) as { readonly entry?: unknown };
  const found = Array.isArray(entry)
    ? (entry as readonly ({ readonly response?: { readonly outcome?: unknown } } | null)[]).flatMap((one, i) =>
        one?.response?.outcome === undefined ? NONE : failuresIn(one.response.outcome, `Bundle.entry[${i}]`),
      )
    : failuresIn(value, null);
  return found.slice(0, ISSUES_MAX);
}
