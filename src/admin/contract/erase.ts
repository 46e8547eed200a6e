import { z } from 'zod';
import { defineContract } from './define-contract.ts';
import { clientUuid, named, pathUserId, yesOrNo } from './fields.ts';

const EraseReport = named(
  'EraseReport',
  z.strictObject({
    preview: z.boolean(),
    blocked: z.enum(['erase.linked', 'erase.busy']).nullable().describe('Why it cannot be done now'),
    erasedAt: z.string().nullable(),
    tables: z.array(
      z.strictObject({
        table: z.string(),
        what: z.string(),
        destroyed: z.int().describe('Rows of which something was destroyed; in a preview, would be'),
        remaining: z.int().describe('Rows that hold something that should be gone; 0 after an erasure'),
        left: z.int().describe('Rows that stay'),
        why: z.string().nullable().describe('Why they stay'),
      }),
    ),
    scrubbed: z
      .enum(['done', 'partly'])
      .nullable()
      .describe('Whether the files of the database were overwritten too; partly: ask again'),
  }),
);

const erase = defineContract({
  id: 'users.erase',
  method: 'post',
  path: '/admin/api/users/:user_id/erase',
  summary: 'Destroy what is stored of a source user, or tell what that would be',
  description:
    'Destroys bodies, user ids, MRN, findings and the key of the user. The audit stays under pseudonyms, and so do digests of what was written. The link must be revoked before. What comes later of the same user is dropped until the user is linked anew.',
  group: 'Erasure',
  permission: 'patients.erase',
  proof: 'second',
  audited: { kind: 'by-command', also: ['erase preview'] },
  params: z.object({ user_id: pathUserId }),
  query: z.strictObject({
    client_uuid: clientUuid.optional(),
    preview: yesOrNo(true).describe(
      'false destroys; anything else only tells what would be destroyed and what would be left',
    ),
  }),
  answer: EraseReport,
  answers: 'Table by table: what was (or would be) destroyed, what is left and why',
  errors: ['erase.not-found', 'erase.linked', 'erase.busy', 'link.client'],
});

export const eraseContract = { 'users.erase': erase } as const;
