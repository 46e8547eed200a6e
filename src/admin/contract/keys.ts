import { z } from 'zod';
import { defineContract } from './define-contract.ts';
import { named, time } from './fields.ts';

const DataKeys = named(
  'DataKeys',
  z.strictObject({
    state: z
      .enum(['none', 'waiting', 'running', 'stuck', 'done'])
      .describe(
        'none: nothing was asked for. waiting: another process still seals by an older key. stuck: some values do not open, so that their key must stay',
      ),
    sealing: z
      .string()
      .regex(/^[0-9a-f]{8}$/)
      .describe('the id of the key that seals'),
    older: z
      .array(z.string().regex(/^[0-9a-f]{8}$/))
      .describe('the ids of the other keys without which a start is refused'),
    last: z
      .strictObject({
        from: z.array(z.string()),
        startedAt: time,
        at: time,
        table: z.string().nullable(),
        rows: z.int(),
        rowsInAll: z.int().describe('about as many'),
        resealed: z.int(),
        left: z.int().nullable().describe('values that are still sealed by an older key, counted at the end'),
        scrubbed: z
          .enum(['done', 'partly'])
          .nullable()
          .describe('whether freed space of the database files was overwritten too'),
      })
      .optional(),
  }),
);

const data = defineContract({
  id: 'keys.data',
  method: 'get',
  path: '/admin/api/keys/data',
  summary: 'Which data key seals, which older ones are still needed, and how far their retirement is',
  group: 'Keys',
  permission: 'keys.read',
  audited: { kind: 'later', name: 'data-key' },
  answer: DataKeys,
  answers: 'The data keys',
  errors: [],
});

const rotateData = defineContract({
  id: 'keys.rotateData',
  method: 'post',
  path: '/admin/api/keys/data/rotate',
  summary: 'Retires older data keys: what they sealed is sealed anew in the background',
  group: 'Keys',
  permission: 'keys.change',
  proof: 'second',
  audited: { kind: 'act', names: ['data-key'] },
  answer: DataKeys,
  answers: 'Begun, or nothing to do',
  errors: [],
});

const rotateIdToken = defineContract({
  id: 'keys.rotateIdToken',
  method: 'post',
  path: '/admin/api/keys/rotate',
  summary:
    'A new key signs id tokens from now on, at every replica; the one before is shown until its tokens have ended',
  group: 'Keys',
  permission: 'keys.change',
  proof: 'second',
  audited: { kind: 'by-command' },
  answer: z.strictObject({
    rotated: z.literal('id-token'),
    kid: z.string(),
    retiring: z.array(z.strictObject({ kid: z.string(), until: time })),
  }),
  answers: 'Rotated',
  errors: ['auth.external'],
});

export const keysContract = {
  'keys.data': data,
  'keys.rotateData': rotateData,
  'keys.rotateIdToken': rotateIdToken,
} as const;
