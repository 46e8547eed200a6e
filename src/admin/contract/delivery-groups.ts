import { z } from 'zod';
import { defineContract } from './define-contract.ts';
import { named } from './fields.ts';
import { Total } from './shapes.ts';
import { STUCK } from './states.ts';

const DeliveryGroups = named(
  'DeliveryGroups',
  z.strictObject({
    groups: z.array(
      z.strictObject({
        state: z.enum(STUCK),
        reason: z.string(),
        faultCode: z.string().nullable().describe('The fault that led to the state, as docs/faults.md lists it'),
        detail: z.string().nullable().describe('What happened and what a person can do about it'),
        deliveries: Total.describe('Counted up to 10,000, and up to fewer where there are more than ten groups'),
        oldestAt: z.string().describe('When the first of them came'),
        newestAt: z.string(),
        examples: z.array(z.string()).describe('Ids of the newest, up to three'),
      }),
    ),
  }),
);

const groups = defineContract({
  id: 'deliveries.groups',
  method: 'get',
  path: '/admin/api/deliveries/groups',
  summary: 'What waits for a person: parked and quarantined deliveries by state, reason and fault',
  group: 'Deliveries',
  permission: 'deliveries.read',
  audited: { kind: 'later', name: 'delivery groups' },
  answer: DeliveryGroups,
  answers: 'The groups',
  errors: [],
});

export const deliveryGroupsContract = { 'deliveries.groups': groups } as const;
