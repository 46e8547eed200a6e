import { z } from 'zod';
import { defineContract } from './define-contract.ts';
import { anyId, taken, clientUuid, cursor, limit, named, plain, userId } from './fields.ts';
import { Assignee } from './shapes.ts';
import { STATES } from './states.ts';

const DeliveryDetail = named(
  'DeliveryDetail',
  z.strictObject({
    id: z.string(),
    hook: z.enum(['data', 'notification']),
    receivedAt: z.string(),
    state: z.enum(STATES),
    reason: z.string().nullable().optional(),
    faultCode: z.string().nullable().describe('The fault that led to the state, as docs/faults.md lists it'),
    detail: z.string().nullable().describe('What happened and what a person can do about it'),
    stateAt: z.string(),
    dataStructure: z.string().nullable().optional(),
    documentVersion: z.int().nullable().optional(),
    bodyBytes: z.int(),
    findings: z.array(z.string()),
    requestId: z.string(),
    sender: z.string(),
    userId: z.string().nullable().optional(),
    duplicateOf: z.string().nullable().optional(),
    hasBody: z.boolean(),
    conflicts: z
      .array(
        z.strictObject({
          resourceType: z.string(),
          name: z.string(),
          versionId: z.string().nullable(),
          seenAt: z.string(),
          ours: z
            .record(z.string(), z.string())
            .nullable()
            .describe(
              'What the document says now, part by part (status, code, subject, time, value, unit, components, interpretation, notes, other); null: it no longer says anything of it',
            ),
          theirs: z
            .record(z.string(), z.string())
            .nullable()
            .describe('What stood in the chart then; null: it was removed'),
        }),
      )
      .describe(
        'Where it is parked as conflict: what somebody else changed, by our name for it (identifier urn:chartgate:measurement); versionId null: removed',
      )
      .optional(),
    withdrawals: z
      .array(
        z.strictObject({
          resourceType: z.string(),
          name: z.string(),
          versionId: z.string().nullable(),
          seenAt: z.string(),
          chart: z
            .record(z.string(), z.string())
            .nullable()
            .describe(
              'What stood in the chart when the delivery was parked, part by part as in conflicts; null: it was removed',
            ),
        }),
      )
      .describe('Where it is parked as suspicious: what it would take out of the chart, up to a hundred resources')
      .optional(),
    assignedTo: Assignee.nullable().describe('Who looks after it'),
    notes: z
      .array(z.strictObject({ at: z.string(), actor: z.string(), text: z.string() }))
      .describe('What operators wrote down, oldest first'),
    steps: z.array(
      z.strictObject({
        at: z.string(),
        from: z.string().nullable(),
        to: z.enum(STATES),
        reason: z.string().nullable(),
        faultCode: z.string().nullable(),
        actor: z.string(),
      }),
    ),
  }),
);

const Delivery = named(
  'Delivery',
  z.strictObject({
    id: z.string(),
    hook: z.enum(['data', 'notification']),
    receivedAt: z.string(),
    state: z.enum(STATES),
    reason: z.string().nullable().optional(),
    faultCode: z.string().nullable().describe('The fault that led to the state, as docs/faults.md lists it'),
    detail: z.string().nullable().describe('What happened and what a person can do about it'),
    stateAt: z.string(),
    dataStructure: z.string().nullable().optional(),
    documentVersion: z.int().nullable().optional(),
    bodyBytes: z.int(),
    findings: z.array(z.string()),
  }),
);

const DeliveryPage = named(
  'DeliveryPage',
  z.strictObject({ deliveries: z.array(Delivery), next: z.string().nullable() }),
);

const Ledger = named(
  'Ledger',
  z.strictObject({
    tenant: z.string(),
    acknowledged: z.int(),
    addsUp: z.boolean(),
    byState: z.strictObject({
      received: z.int(),
      queued: z.int(),
      sending: z.int(),
      unknown: z.int(),
      delivered: z.int(),
      superseded: z.int(),
      duplicate: z.int(),
      parked: z.int(),
      quarantined: z.int(),
      discarded: z.int(),
    }),
  }),
);

const faultCode = taken(z.string().regex(/^[a-z]+\.[a-z-]+$/), 'a code that docs/faults.md lists');

const ledger = defineContract({
  id: 'flow.ledger',
  method: 'get',
  path: '/admin/api/ledger',
  summary: 'Deliveries by state, and whether they add up',
  group: 'Flow',
  permission: 'flow.read',
  audited: { kind: 'later', name: 'ledger' },
  answer: Ledger,
  answers: 'The ledger',
  errors: [],
});

const list = defineContract({
  id: 'deliveries.list',
  method: 'get',
  path: '/admin/api/deliveries',
  summary: 'Deliveries, newest first',
  group: 'Deliveries',
  permission: 'deliveries.read',
  audited: { kind: 'act', names: ['deliveries'] },
  query: z.strictObject({
    state: z.enum(STATES).optional(),
    reason: plain().optional(),
    fault: faultCode.describe('A fault code behind the state, such as patient.none').optional(),
    user_id: userId.optional(),
    client_uuid: clientUuid.optional(),
    data_structure: plain().optional(),
    cursor: cursor.optional(),
    limit: limit(),
  }),
  answer: DeliveryPage,
  answers: 'A page; next is the cursor of the next one',
  errors: [],
});

const get = defineContract({
  id: 'deliveries.get',
  method: 'get',
  path: '/admin/api/deliveries/:id',
  summary: 'One delivery with its steps and findings',
  group: 'Deliveries',
  permission: 'deliveries.read',
  audited: { kind: 'act', names: ['delivery'] },
  params: z.object({ id: anyId('the id of a delivery') }),
  answer: DeliveryDetail,
  answers: 'The delivery',
  errors: ['delivery.not-found'],
});

export const deliveriesContract = {
  'flow.ledger': ledger,
  'deliveries.list': list,
  'deliveries.get': get,
} as const;
