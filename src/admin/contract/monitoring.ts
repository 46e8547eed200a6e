import { z } from 'zod';
import { defineContract } from './define-contract.ts';
import { SOURCE_FAULTS } from './source-faults.ts';
import { anyObjectOrNull, mrn, named, taken } from './fields.ts';

const MonitoringRule = named('MonitoringRule', z.strictObject({ rule: anyObjectOrNull }));

/** Others judge its fields, of which there must be some. */
const givenRule = taken(
  z.record(z.string(), z.unknown()).refine((rule) => Object.keys(rule).length > 0),
  'a JSON object with at least one field',
  { type: 'object', minProperties: 1 },
);

const rule = defineContract({
  id: 'patients.rule',
  method: 'get',
  path: '/admin/api/patients/:mrn/monitoring-rules',
  summary: "The patient's own monitoring rule, as stored at the service",
  group: 'Patients',
  permission: 'patients.read',
  audited: { kind: 'act', names: ['rules'] },
  params: z.object({ mrn }),
  answer: MonitoringRule,
  answers: 'Null where none is stored',
  errors: [...SOURCE_FAULTS, 'enrol.not-found'],
});

const replaceRule = defineContract({
  id: 'patients.replaceRule',
  method: 'put',
  path: '/admin/api/patients/:mrn/monitoring-rules',
  summary: "Replace the patient's own monitoring rule",
  group: 'Patients',
  permission: 'patients.enrol',
  audited: { kind: 'act', names: ['rules'] },
  params: z.object({ mrn }),
  body: { kind: 'json', schema: givenRule, bytesMax: 64 * 1_024, isRequired: true },
  answer: MonitoringRule,
  answers: 'As stored now',
  errors: [...SOURCE_FAULTS, 'enrol.not-found', 'source.rule'],
});

const generalRule = defineContract({
  id: 'monitoring.rule',
  method: 'get',
  path: '/admin/api/monitoring-rules',
  summary: 'The general monitoring rule, of every patient without an own one',
  group: 'Patients',
  permission: 'patients.read',
  audited: { kind: 'act', names: ['general rules'] },
  answer: MonitoringRule,
  answers: 'Null where none is stored',
  errors: [...SOURCE_FAULTS],
});

const replaceGeneralRule = defineContract({
  id: 'monitoring.replaceRule',
  method: 'put',
  path: '/admin/api/monitoring-rules',
  summary: 'Replace the general monitoring rule',
  group: 'Patients',
  permission: 'patients.enrol',
  audited: { kind: 'act', names: ['general rules'] },
  body: { kind: 'json', schema: givenRule, bytesMax: 64 * 1_024, isRequired: true },
  answer: MonitoringRule,
  answers: 'As stored now',
  errors: [...SOURCE_FAULTS, 'source.rule'],
});

export const monitoringContract = {
  'patients.rule': rule,
  'patients.replaceRule': replaceRule,
  'monitoring.rule': generalRule,
  'monitoring.replaceRule': replaceGeneralRule,
} as const;
