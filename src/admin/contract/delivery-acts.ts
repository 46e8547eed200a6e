import { z } from 'zod';
import { defineContract } from './define-contract.ts';
import { anyId, plain, sentence, taken, yesOrNo } from './fields.ts';
import { Accepted, Count } from './shapes.ts';

const replay = defineContract({
  id: 'deliveries.replay',
  method: 'post',
  path: '/admin/api/deliveries/:id/replay',
  summary:
    'Judge a parked or quarantined delivery again, from its stored bytes; a plan that was parked as suspicious, ambiguous or identity is approved by it',
  group: 'Deliveries',
  permission: 'deliveries.act',
  audited: { kind: 'by-command' },
  params: z.object({ id: anyId('the id of a delivery') }),
  body: {
    kind: 'json',
    schema: z.strictObject({
      conflict: z
        .enum(['keep-theirs', 'overwrite'])
        .describe(
          'For one that is parked as conflict: theirs stays and is known from now on, or ours is written over the version that was shown',
        )
        .optional(),
    }),
    bytesMax: 16 * 1_024,
    isRequired: false,
  },
  answer: Accepted,
  answers: 'Done',
  errors: ['delivery.not-found', 'delivery.state'],
  example: { conflict: 'keep-theirs' },
});

const replayMany = defineContract({
  id: 'deliveries.replayMany',
  method: 'post',
  path: '/admin/api/replay',
  summary: 'Judge many again',
  group: 'Deliveries',
  permission: 'deliveries.act',
  audited: { kind: 'by-command' },
  query: z
    .strictObject({
      state: z.enum(['parked', 'quarantined', 'delivered']),
      reason: plain().optional(),
      approve: taken(
        yesOrNo(false).describe('With state=parked: the plans that were parked as suspicious or ambiguous are wanted'),
        'one of true, false; true only with state=parked',
      ),
    })
    .refine(({ state, approve }) => !approve || state === 'parked', { path: ['approve'] }),
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

export const deliveryActsContract = {
  'deliveries.replay': replay,
  'deliveries.replayMany': replayMany,
  'deliveries.discard': discard,
} as const;
