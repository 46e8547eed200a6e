import { z } from 'zod';
import { defineContract } from './define-contract.ts';
import { anyObject, anyObjectOrNull, cursor, limit, named, taken } from './fields.ts';
import { Count } from './shapes.ts';

const SHADOW_KINDS = ['write', 'nothing-to-write', 'park', 'refuse', 'not-yet'] as const;

const ShadowLeft = named(
  'ShadowLeft',
  z.strictObject({ state: z.literal('running'), outcome: z.enum(['left', 'not-held']), waiting: z.int() }),
);

const ShadowPage = named(
  'ShadowPage',
  z.strictObject({
    deliveries: z.array(
      z.strictObject({
        id: z.string(),
        job: z.enum(['deliver', 'retract']),
        dataStructure: z.string().nullable(),
        documentVersion: z.int().nullable(),
        receivedAt: z.string(),
        kind: z.enum(SHADOW_KINDS),
        reason: z.string().nullable(),
        faultCode: z.string().nullable(),
        counts: anyObject.describe('By kind of change, then by resource type'),
        evaluatedAt: z.string(),
      }),
    ),
    next: z.string().nullable(),
  }),
);

const ShadowReport = named(
  'ShadowReport',
  z.strictObject({
    mode: z.enum(['live', 'shadow']),
    state: z.enum(['running', 'shadow', 'held']),
    since: z.string().nullable(),
    next: z.string().nullable().describe('What a person can do'),
    waiting: z.strictObject({
      total: z.int().describe('The number to confirm'),
      deliveries: z.int(),
      retractions: z.int().describe('Documents to be taken out of another chart'),
      lanes: z.int(),
      oldestAt: z.string().nullable(),
    }),
    evaluated: z.int().describe('By the mapping data, dialect and plan that are in force'),
    pending: z.int(),
    outcomes: z.array(
      z.strictObject({
        kind: z.enum(SHADOW_KINDS),
        reason: z.string().nullable(),
        faultCode: z.string().nullable(),
        count: z.int(),
        example: z.string(),
      }),
    ),
    resources: z
      .array(
        z.strictObject({
          resourceType: z.string(),
          create: z.int(),
          update: z.int(),
          withdraw: z.int(),
          present: z.int().describe('The EHR holds it already'),
          leftOut: z.int().describe('The EHR takes none of this type'),
        }),
      )
      .describe('Each resource once, however many deliveries speak of it'),
    newPatients: z.int(),
    parked: z.array(
      z.strictObject({ reason: z.string().nullable(), count: z.int(), example: z.string().describe('A delivery') }),
    ),
    quarantined: z.array(
      z.strictObject({ reason: z.string().nullable(), count: z.int(), example: z.string().describe('A delivery') }),
    ),
    ehr: z.strictObject({
      breaker: z.string(),
      probedAt: z.string().nullable(),
      probeFault: z.string().nullable(),
      dialect: z.strictObject({
        name: z.string().nullable(),
        because: z.enum(['setting', 'recognised', 'nothing-fits', 'not-asked-yet']),
      }),
      plan: anyObjectOrNull,
    }),
  }),
);

const reason = taken(z.string().regex(/^[a-z.-]{1,64}$/), 'a word that the shadow report has');

const report = defineContract({
  id: 'shadow.report',
  method: 'get',
  path: '/admin/api/shadow',
  summary: 'Shadow mode: what waits, what would be written, refused and parked, and why',
  group: 'Shadow mode',
  permission: 'targets.read',
  audited: { kind: 'later', name: 'shadow' },
  answer: ShadowReport,
  answers: 'The report',
  errors: [],
});

const deliveries = defineContract({
  id: 'shadow.deliveries',
  method: 'get',
  path: '/admin/api/shadow/deliveries',
  summary: 'What would become of each waiting delivery, newest first',
  group: 'Shadow mode',
  permission: 'deliveries.read',
  audited: { kind: 'act', names: ['shadow deliveries'] },
  query: z.strictObject({
    kind: z.enum(SHADOW_KINDS).optional(),
    reason: reason.describe('A reason or a fault code of the report').optional(),
    cursor: cursor.optional(),
    limit: limit(),
  }),
  answer: ShadowPage,
  answers: 'A page of them',
  errors: [],
});

const evaluate = defineContract({
  id: 'shadow.evaluate',
  method: 'post',
  path: '/admin/api/shadow/evaluate',
  summary: 'Evaluate waiting deliveries again, for example after a patient was registered at the EHR',
  group: 'Shadow mode',
  permission: 'targets.act',
  audited: { kind: 'act', names: ['shadow evaluate'] },
  query: z.strictObject({
    kind: z.enum(SHADOW_KINDS).optional(),
    reason: reason.describe('A reason or a fault code of the report').optional(),
  }),
  answer: Count,
  answers: 'How many',
  errors: [],
});

const leave = defineContract({
  id: 'shadow.leave',
  method: 'post',
  path: '/admin/api/shadow/leave',
  summary: 'Forward what waits since shadow mode, in order; the number that waits is to be confirmed',
  group: 'Shadow mode',
  permission: 'targets.act',
  audited: { kind: 'by-command', also: ['shadow.mode'] },
  body: {
    kind: 'json',
    schema: z.strictObject({
      confirm: taken(
        z.int().min(0).max(1_000_000_000),
        'the number of deliveries that wait, as `GET /admin/api/shadow` tells it',
      ).describe('How many wait, as the report showed it within the last 15 minutes'),
    }),
    bytesMax: 1_024,
    isRequired: true,
  },
  answer: ShadowLeft,
  answers: 'They are forwarded',
  errors: ['shadow.mode', 'shadow.unconfirmed'],
  example: { confirm: 42 },
});

export const shadowContract = {
  'shadow.report': report,
  'shadow.deliveries': deliveries,
  'shadow.evaluate': evaluate,
  'shadow.leave': leave,
} as const;
