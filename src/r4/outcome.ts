import type { OperationOutcome } from '@medplum/fhirtypes';
import type { Issue } from './issue.ts';

const RULE_SYSTEM = 'https://chartgate.dev/fhir/validation-rule';

/** Findings as FHIR says them. Without findings: one informational issue, because R4 demands at least one. */
export function toOperationOutcome(issues: readonly Issue[]): OperationOutcome {
  if (issues.length === 0)
    return {
      resourceType: 'OperationOutcome',
      issue: [{ severity: 'information', code: 'informational', diagnostics: 'No findings.' }],
    };
  return {
    resourceType: 'OperationOutcome',
    issue: issues.map(({ severity, code, expression, text, rule, profile }) => ({
      severity,
      code: code as OperationOutcome['issue'][number]['code'],
      details: { coding: [{ system: RULE_SYSTEM, code: rule }], text },
      diagnostics: profile === undefined ? `Rule ${rule}` : `Rule ${rule} of ${profile}`,
      ...(expression === '' ? {} : { expression: [expression] }),
    })),
  };
}
