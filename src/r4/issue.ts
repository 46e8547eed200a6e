import { RULES, type RuleId } from './rules.ts';

/** One finding. `expression` is the FHIRPath of the place, `rule` never changes its meaning between releases. */
export interface Issue {
  readonly severity: 'error' | 'warning';
  /** FHIR issue type, http://hl7.org/fhir/R4/valueset-issue-type.html */
  readonly code: string;
  readonly expression: string;
  readonly text: string;
  readonly rule: string;
  /** Whose rule it is, where a profile of a guide asks for it. */
  readonly profile?: string;
}

export function describeIssue(rule: RuleId, expression: string, text: string): Issue {
  return { severity: RULES[rule].severity, code: RULES[rule].code, expression, text, rule };
}
