import { z } from 'zod';
import { defineContract } from './define-contract.ts';
import { anyId, cursor, limit, named, taken, time } from './fields.ts';

const ONE_OF = 'one of client_id and account_id';
const ownerId = (whose: string) => taken(z.string().regex(/^[A-Za-z0-9_.-]{1,64}$/), `the id of ${whose}; ${ONE_OF}`);

const Grants = named(
  'Grants',
  z.strictObject({
    grants: z.array(
      z.strictObject({
        id: z.string(),
        kind: z
          .enum(['grant', 'session', 'token'])
          .describe(
            'grant: what a person allowed an app, with its tokens. session: a person signed in in a browser. token: of an app that acts for itself',
          ),
        clientId: z.string().nullable(),
        accountId: z.string().nullable(),
        scope: z.string().nullable(),
        madeAt: time,
        usedAt: time.nullable().describe('To the minute; null: never, or not since an upgrade'),
        until: time.describe('When the last token of it ends, unless it is renewed'),
      }),
    ),
    next: z
      .string()
      .nullable()
      .describe('Null at the end. Where most have ended, a page may hold few or none and yet have a next'),
  }),
);

const list = defineContract({
  id: 'grants.list',
  method: 'get',
  path: '/admin/api/grants',
  summary: 'What an app or a person was given and still has, newest first',
  group: 'Apps',
  permission: 'apps.read',
  audited: { kind: 'act', names: ['grants'] },
  query: z
    .strictObject({
      client_id: ownerId('an app').optional(),
      account_id: ownerId('a person').optional(),
      cursor: cursor.optional(),
      limit: limit(),
    })
    .refine((given) => (given.client_id === undefined) !== (given.account_id === undefined), { path: ['client_id'] }),
  answer: Grants,
  answers: 'A page; next is the cursor of the next one',
  errors: ['auth.external'],
});

const end = defineContract({
  id: 'grants.end',
  method: 'delete',
  path: '/admin/api/grants/:id',
  summary: 'End a grant with all its tokens, a session, or a token',
  group: 'Apps',
  permission: 'apps.change',
  proof: 'second',
  audited: { kind: 'by-command' },
  params: z.object({ id: anyId('the id of a grant') }),
  answer: z.strictObject({ id: z.string(), state: z.literal('ended') }),
  answers: 'Ended',
  errors: ['auth.external', 'grant.not-found'],
});

export const grantsContract = { 'grants.list': list, 'grants.end': end } as const;
