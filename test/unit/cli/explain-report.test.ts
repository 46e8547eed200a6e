import { expect, test } from '@jest/globals';
import { explanationText } from '../../../src/cli/explain-report.ts';
import type { Explanation } from '../../../src/forward/index.ts';

const explanation = (more: Partial<Explanation>): Explanation => ({
  dataStructure: 'clinical_ready',
  documentVersion: 1,
  link: { mrnSystem: 'urn:example:mrn', mrn: '1' },
  mappings: '0123456789abcdef',
  dialect: 'default',
  dialectBecause: 'setting',
  delivery: null,
  template: null,
  trouble: null,
  patient: { resourceType: 'Patient' },
  resources: [],
  provenance: null,
  decisions: [],
  findings: [],
  leftOut: [],
  issues: [],
  claimFindings: [],
  ...more,
});

test('a parked delivery says by which fault, and what to do', () => {
  const delivery = { state: 'parked', reason: 'patient', faultCode: 'patient.none', detail: 'Do this.' } as const;
  expect(explanationText(explanation({ delivery }))).toContain('\nIt is parked (patient, patient.none). Do this.\n');
  const unknown = { state: 'unknown', reason: 'ehr.timeout', faultCode: 'ehr.timeout', detail: null } as const;
  expect(explanationText(explanation({ delivery: unknown }))).toContain('\nIt is unknown (ehr.timeout).\n');
  const delivered = { state: 'delivered', reason: null, faultCode: null, detail: null } as const;
  expect(explanationText(explanation({ delivery: delivered }))).toContain('\nIt is delivered.\n');
});

test('the dialect of an EHR that was not asked yet is said to be a guess', () => {
  expect(explanationText(explanation({}))).toContain('\ndialect default, mappings');
  expect(explanationText(explanation({ dialectBecause: 'not-asked-yet' }))).toMatch(
    /dialect default \(the EHR was not asked yet/,
  );
});

test('what would be withdrawn is shown with its code, value and time', () => {
  const text = explanationText(
    explanation({
      trouble: 'suspicious',
      resources: [
        {
          change: 'retract',
          name: 'a'.repeat(64),
          resourceType: 'Observation',
          group: 'body',
          chartDay: '2026-11-14',
          resource: null,
          chart: {
            status: 'final',
            code: 'http://loinc.org|29463-7',
            value: '71.25',
            unit: 'kg',
            time: '2026-11-14T08:00:00.000Z',
          },
          profiles: [],
          profileFindings: [],
        },
      ],
    }),
  );
  expect(text).toContain('  - Observation  final  29463-7  71.25 kg  2026-11-14T08:00:00.000Z\n');
});

test('a resource is shown with the profiles that are asked of it, and with the rule and the place that it misses', () => {
  const profile = 'https://example.org/StructureDefinition/weight';
  const missed = { rule: 'profile-min', at: 'Observation.performer', profile, text: 'performer is required.' };
  const text = explanationText(
    explanation({
      trouble: 'not-profile',
      resources: [
        {
          change: 'create',
          name: 'a'.repeat(64),
          resourceType: 'Observation',
          group: 'body',
          chartDay: null,
          resource: { resourceType: 'Observation', status: 'final' },
          chart: null,
          profiles: [profile],
          profileFindings: [missed],
        },
      ],
      claimFindings: [{ ...missed, rule: 'extension-context', profile: null }],
    }),
  );
  expect(text).toContain('Nothing was sent, and nothing would be: not-profile.');
  expect(text).toContain(`
  + Observation  final
      profile ${profile}
      ! profile-min  Observation.performer  [${profile}]  performer is required.
`);
  expect(text).toContain(`
Not as the source claims
  extension-context  Observation.performer  performer is required.
`);
});
