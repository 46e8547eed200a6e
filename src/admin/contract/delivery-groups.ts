import { z } from 'zod';
import { defineContract } from './define-contract.ts';
import { named, plain } from './fields.ts';
import { UnmappedWord } from './mappings.ts';
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
        deliveries: Total.describe('Counted up to 10,000, and up to fewer where there are more than five groups'),
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

const OneGroup = z.strictObject({
  state: z.enum(STUCK),
  reason: plain().max(100),
  fault: plain().max(100).describe('As the group has it; left out where it has none').optional(),
});
/** Those of a group that have something in common. */
const part = {
  deliveries: z.int(),
  oldestAt: z.string(),
  newestAt: z.string(),
  example: z.string().describe('The id of the newest'),
} as const;
const isWhole = z.boolean().describe('False: the group has more deliveries than were looked at');

const patients = defineContract({
  id: 'deliveries.groupPatients',
  method: 'get',
  path: '/admin/api/deliveries/groups/patients',
  summary: 'Whose the deliveries of one group are: the users with the most of them',
  description: 'The newest 5,000 deliveries of the group are looked at. Who is restricted is counted and not named.',
  group: 'Deliveries',
  permission: 'deliveries.read',
  audited: { kind: 'act', names: ['delivery group patients'] },
  query: OneGroup,
  answer: named(
    'GroupPatients',
    z.strictObject({
      patients: z
        .array(
          z.strictObject({
            userId: z.string().nullable().describe('Null for who may not see patients'),
            mrn: z.string().nullable().describe('Null without a confirmed link, and for who may not see patients'),
            ...part,
          }),
        )
        .describe('Up to 50, most deliveries first'),
      isWhole,
    }),
  ),
  answers: 'The users',
  errors: [],
});

const words = defineContract({
  id: 'deliveries.groupWords',
  method: 'get',
  path: '/admin/api/deliveries/groups/words',
  summary: 'Which codes, units and structures the deliveries of one group wait for: those of the most deliveries',
  description:
    'The newest 5,000 deliveries of the group are looked at. One that waits for several words counts for each.',
  group: 'Deliveries',
  permission: 'mappings.read',
  audited: { kind: 'act', names: ['delivery group words'] },
  query: OneGroup,
  answer: named(
    'GroupWords',
    z.strictObject({
      words: z.array(z.strictObject({ ...UnmappedWord, ...part })).describe('Up to 50, most deliveries first'),
      wordless: z
        .int()
        .describe('How many were parked before words were kept, or wait for something else: judged again, they tell'),
      isWhole,
    }),
  ),
  answers: 'The words',
  errors: [],
});

export const deliveryGroupsContract = {
  'deliveries.groups': groups,
  'deliveries.groupPatients': patients,
  'deliveries.groupWords': words,
} as const;
