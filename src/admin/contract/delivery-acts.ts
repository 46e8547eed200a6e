import { z } from 'zod';
import { defineContract } from './define-contract.ts';
import { anyId, named, noteText, operatorOrNull, plain, sentence } from './fields.ts';
import { Accepted, Assignee, Count } from './shapes.ts';
import { APPROVABLE } from './states.ts';

const Replayed = named(
  'Replayed',
  z.strictObject({
    id: z.string(),
    undecided: z
      .boolean()
      .describe(
        'It was parked for a person to decide on (conflict, suspicious, ambiguous, identity). To judge it again approves nothing: see POST /admin/api/deliveries/{id}/decide',
      ),
  }),
);

const replay = defineContract({
  id: 'deliveries.replay',
  method: 'post',
  path: '/admin/api/deliveries/:id/replay',
  summary: 'Judge a parked or quarantined delivery again, from its stored bytes; nothing is approved by it',
  group: 'Deliveries',
  permission: 'deliveries.act',
  audited: { kind: 'by-command' },
  params: z.object({ id: anyId('the id of a delivery') }),
  answer: Replayed,
  answers: 'Done',
  errors: ['delivery.not-found', 'delivery.state'],
});

const decide = defineContract({
  id: 'deliveries.decide',
  method: 'post',
  path: '/admin/api/deliveries/:id/decide',
  summary: 'Decide on a delivery that was parked for it: what becomes of a conflict, or that the plan is approved',
  description: 'Whoever says why, in the header Chartgate-Reason, has it kept in the audit.',
  group: 'Deliveries',
  permission: 'plans.decide',
  audited: { kind: 'by-command', also: ['decision'] },
  params: z.object({ id: anyId('the id of a delivery') }),
  body: {
    kind: 'json',
    schema: z.strictObject({
      decision: z
        .enum(['keep-theirs', 'overwrite', 'approve'])
        .describe(
          'Of one that is parked as conflict: theirs stays and is known from now on, or ours is written over the version that was shown. Of one that is parked as suspicious, ambiguous or identity: the plan as it was parked is approved',
        ),
    }),
    bytesMax: 16 * 1_024,
    isRequired: true,
  },
  answer: Accepted,
  answers: 'Decided, and judged again',
  errors: ['delivery.not-found', 'delivery.state'],
  example: { decision: 'keep-theirs' },
});

const replayMany = defineContract({
  id: 'deliveries.replayMany',
  method: 'post',
  path: '/admin/api/replay',
  summary: 'Judge many again; nothing is approved by it',
  group: 'Deliveries',
  permission: 'deliveries.act',
  audited: { kind: 'by-command' },
  query: z.strictObject({ state: z.enum(['parked', 'quarantined', 'delivered']), reason: plain().optional() }),
  answer: Count,
  answers: 'How many',
  errors: [],
});

const approveMany = defineContract({
  id: 'deliveries.approveMany',
  method: 'post',
  path: '/admin/api/approve',
  summary: 'Approve the plans of many that were parked as suspicious, ambiguous or identity, and judge these again',
  group: 'Deliveries',
  permission: 'plans.decide',
  audited: { kind: 'by-command' },
  query: z.strictObject({
    reason: z.enum(APPROVABLE).describe('Only those; all three where it is left out').optional(),
  }),
  answer: Count,
  answers: 'How many',
  errors: [],
});

const discard = defineContract({
  id: 'deliveries.discard',
  method: 'post',
  path: '/admin/api/deliveries/:id/discard',
  summary: 'Give a parked or quarantined delivery up, with a reason',
  group: 'Deliveries',
  permission: 'deliveries.act',
  audited: { kind: 'by-command' },
  params: z.object({ id: anyId('the id of a delivery') }),
  body: { kind: 'json', schema: z.strictObject({ reason: sentence }), bytesMax: 16 * 1_024, isRequired: true },
  answer: Accepted,
  answers: 'Done',
  errors: ['delivery.not-found', 'delivery.state'],
  example: { reason: 'Sent twice by mistake' },
});

const note = defineContract({
  id: 'deliveries.note',
  method: 'post',
  path: '/admin/api/deliveries/:id/notes',
  summary: 'Write down what others should know of a delivery',
  description: 'A note may tell of the patient: it is sealed as the delivery is, and goes when the patient is erased.',
  group: 'Deliveries',
  permission: 'deliveries.act',
  audited: { kind: 'by-command' },
  params: z.object({ id: anyId('the id of a delivery') }),
  body: { kind: 'json', schema: z.strictObject({ text: noteText }), bytesMax: 32 * 1_024, isRequired: true },
  status: 201,
  answer: Accepted,
  answers: 'Written down',
  errors: ['delivery.not-found', 'delivery.state', 'delivery.notes-full'],
  example: { text: 'Asked the laboratory on Monday' },
});

const assign = defineContract({
  id: 'deliveries.assign',
  method: 'put',
  path: '/admin/api/deliveries/:id/assignment',
  summary: 'Say who looks after a delivery',
  group: 'Deliveries',
  permission: 'deliveries.act',
  audited: { kind: 'by-command' },
  params: z.object({ id: anyId('the id of a delivery') }),
  body: { kind: 'json', schema: z.strictObject({ operator: operatorOrNull }), bytesMax: 16 * 1_024, isRequired: true },
  answer: named('Assigned', z.strictObject({ id: z.string(), assignedTo: Assignee.nullable() })),
  answers: 'Assigned',
  errors: ['delivery.not-found', 'operator.not-found'],
  example: { operator: 'ada' },
});

export const deliveryActsContract = {
  'deliveries.replay': replay,
  'deliveries.decide': decide,
  'deliveries.replayMany': replayMany,
  'deliveries.approveMany': approveMany,
  'deliveries.discard': discard,
  'deliveries.note': note,
  'deliveries.assign': assign,
} as const;
