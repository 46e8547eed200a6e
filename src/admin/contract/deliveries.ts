import { z } from 'zod';
import { defineContract } from './define-contract.ts';
import { DeliveryDetail, DeliveryPage } from './delivery-shapes.ts';
import {
  anyId,
  taken,
  clientUuid,
  cursor,
  instant,
  limit,
  mrn,
  named,
  plain,
  userId,
  whoeverWorks,
  wordId,
  yesOrNo,
} from './fields.ts';
import { STATES } from './states.ts';

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

const finding = taken(
  z
    .string()
    .regex(/^[a-z0-9]+([.-][a-z0-9]+)*$/i)
    .max(100),
  'a code of a finding, such as code.unmapped',
);
const requestId = taken(z.string().regex(/^[\w-]{1,64}$/), '1 to 64 letters, digits, "-" and "_"');

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
    mrn: mrn.describe('Of every user with a confirmed link to this patient; for who may see patients').optional(),
    data_structure: plain().optional(),
    assigned_to: whoeverWorks.describe('Who looks after it').optional(),
    finding: finding.describe('A code among the findings, such as code.unmapped').optional(),
    word: wordId.describe('A word that nobody has mapped and that it is parked for').optional(),
    request_id: requestId.describe('Of the request that brought it, as X-Request-Id says it').optional(),
    received_from: instant.describe('Received then or later').optional(),
    received_to: instant.describe('Received before then').optional(),
    with_total: yesOrNo(false).describe(
      'Count them: exactly up to 10,000, then as at least so many; where several filters meet, among the 1,200 newest that one of them leads to',
    ),
    cursor: cursor.optional(),
    limit: limit(),
  }),
  answer: DeliveryPage,
  answers: 'A page; next is the cursor of the next one, for the same filters',
  errors: ['admin.cursor'],
});

const get = defineContract({
  id: 'deliveries.get',
  method: 'get',
  path: '/admin/api/deliveries/:id',
  summary: 'One delivery with its steps, findings and attempts, and what it wrote',
  group: 'Deliveries',
  permission: 'deliveries.read',
  audited: { kind: 'act', names: ['delivery'] },
  params: z.object({ id: anyId('the id of a delivery') }),
  answer: DeliveryDetail,
  answers: 'The delivery',
  errors: ['delivery.not-found'],
});

const raw = defineContract({
  id: 'deliveries.raw',
  method: 'get',
  path: '/admin/api/deliveries/:id/raw',
  summary: 'The bytes of a delivery as they were received',
  description: 'Without a reason it is refused, and the refusal is recorded. It is to be saved: nothing caches it.',
  group: 'Deliveries',
  permission: 'deliveries.raw',
  proof: 'second',
  reason: 'needed',
  audited: { kind: 'act', names: ['raw'] },
  params: z.object({ id: anyId('the id of a delivery') }),
  answer: { kind: 'bytes', types: ['application/octet-stream'] },
  answers: 'The bytes',
  errors: ['delivery.not-found', 'delivery.no-body', 'delivery.unopenable', 'admin.reason-needed'],
});

export const deliveriesContract = {
  'flow.ledger': ledger,
  'deliveries.list': list,
  'deliveries.get': get,
  'deliveries.raw': raw,
} as const;
