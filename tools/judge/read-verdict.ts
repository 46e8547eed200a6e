import type { Answer, JudgeIssue } from './start-judge.ts';

/** What the judge's answer means for agreement. */
export interface Verdict {
  /** No error counts. */
  readonly valid: boolean;
  /** The errors that count. */
  readonly errors: readonly JudgeIssue[];
  readonly issues: readonly JudgeIssue[];
  /** The judge itself broke down: the case says nothing. */
  readonly failed?: string;
}

interface LeftOut {
  readonly of: (issue: JudgeIssue) => boolean;
  readonly why: string;
}

/** Errors that do not count. Only errors are read at all: warnings and information never decide. */
export const LEFT_OUT: readonly LeftOut[] = [
  {
    of: ({ messageId }) => /display/i.test(messageId ?? ''),
    why: 'Displays are texts for people: R4 lets them differ in case, language and edition, and we do not judge them.',
  },
  {
    of: ({ messageId, notExpandable }) => notExpandable !== undefined && /^Terminology_/.test(messageId ?? ''),
    why: 'Parts of the value set are in no package at hand. HAPI takes them for empty and refuses every code.',
  },
  {
    of: ({ messageId, message }) =>
      messageId === 'Terminology_PassThrough_TX_Message' && message.startsWith('Unable to expand ValueSet'),
    why: 'The value set filters a code system that is not at hand.',
  },
  {
    of: ({ messageId, message }) =>
      messageId === 'Terminology_PassThrough_TX_Message' &&
      message.includes('is not in valueset: http://hl7.org/fhir/'),
    why: 'R4 only prefers the common languages. HAPI refuses what its own list of them lacks (fr-LU).',
  },
  {
    of: ({ messageId, message }) =>
      messageId === 'Terminology_PassThrough_TX_Message' && /^Unknown code '.*#null'/.test(message),
    why: 'A Coding without code names no unknown code. Where a value set is required, another error says so.',
  },
  {
    of: ({ messageId, message }) =>
      messageId === 'Terminology_PassThrough_TX_Message' &&
      /^Inappropriate CodeSystem URL|www\.usps\.com/.test(message),
    why: 'HAPI has lists of its own (states of the USA), which no package holds, and uses them whatever the binding.',
  },
  {
    of: ({ hasMember }) => hasMember === true,
    why: 'A CodeableConcept needs one coding of the value set. HAPI overlooks it beside a coding of an unknown system.',
  },
  {
    of: ({ messageId, message }) =>
      messageId === 'SLICING_CANNOT_BE_EVALUATED' && message.includes('could not be resolved'),
    why: 'A slice names a profile of a package that is not loaded: the judge has no opinion.',
  },
  {
    of: ({ messageId }) => messageId === 'TEXT_LINK_DATA_NOT_FOUND',
    why: 'A rule of the judge about an extension of R5, which neither R4 nor a guide states.',
  },
];

export const isLeftOut = (issue: JudgeIssue): boolean => LEFT_OUT.some(({ of }) => of(issue));

export function readVerdict({ issues = [], failed }: Answer): Verdict {
  const errors = issues.filter(
    (issue) => (issue.severity === 'error' || issue.severity === 'fatal') && !isLeftOut(issue),
  );
  return { valid: errors.length === 0, errors, issues, ...(failed === undefined ? {} : { failed }) };
}
