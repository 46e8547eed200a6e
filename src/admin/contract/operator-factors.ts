import { z } from 'zod';
import { defineContract } from './define-contract.ts';
import { anyId, named, taken, time } from './fields.ts';
import { Removed } from './shapes.ts';

const id = anyId('the id of an operator');

const factors = defineContract({
  id: 'operators.factors',
  method: 'get',
  path: '/admin/api/operators/:id/factors',
  summary: 'The second factors of an operator, without what proves them',
  group: 'Operators',
  permission: 'operators.read',
  audited: { kind: 'later', name: 'operator factors' },
  params: z.object({ id }),
  answer: named(
    'OperatorFactors',
    z.strictObject({
      factors: z.array(
        z.strictObject({
          id: z.string(),
          kind: z.enum(['totp', 'passkey']),
          label: z.string().describe('What the person calls it'),
          madeAt: time,
          usedAt: time.nullable(),
        }),
      ),
    }),
  ),
  answers: 'All of them',
  errors: ['operator.not-found'],
});

const remove = defineContract({
  id: 'operators.removeFactor',
  method: 'delete',
  path: '/admin/api/operators/:id/factors/:factor',
  summary: 'Take one second factor of an operator away, and end their sessions',
  description:
    'For who lost one and has another. The last one stays where the roles ask for a second factor: without it whoever knows the password could add their own. Then the operator is reset.',
  group: 'Operators',
  permission: 'operators.change',
  proof: 'second',
  audited: { kind: 'by-command' },
  params: z.object({ id, factor: taken(z.string().regex(/^[\w-]{1,64}$/), '`id` of a second factor, as it is') }),
  answer: Removed,
  answers: 'It proves nothing any more',
  errors: ['operator.escalation', 'operator.not-found', 'operator.factor-not-found', 'operator.last-factor'],
});

export const operatorFactorsContract = { 'operators.factors': factors, 'operators.removeFactor': remove } as const;
