import { z } from 'zod';
import { defineContract } from './define-contract.ts';
import { anyId, cursor, limit, named, taken, time } from './fields.ts';

const STATES = ['running', 'complete', 'failed', 'deleted', 'ended', 'expired'] as const;

const Export = named(
  'Export',
  z.strictObject({
    id: z.string(),
    clientId: z.string().describe('The app that asked for it'),
    level: z.enum(['system', 'patient', 'group']).describe('What `$export` was asked of'),
    group: z.string().nullable().describe('The id of the Group; null for the other levels'),
    types: z.array(z.string()).nullable().describe('`_type`; null: all that the app may read'),
    since: time.nullable().describe('`_since`'),
    state: z
      .enum(STATES)
      .describe(
        'complete: its files can be fetched until expiresAt. failed: it was given up, see error. deleted: by the app. ended: by an operator. expired: its files are destroyed',
      ),
    patients: z.strictObject({
      total: z.int().describe('How many are known so far; it grows while they are looked up'),
      done: z.int(),
      failed: z.int().describe('How many of those done could not be read; the error file tells why'),
    }),
    resources: z.int(),
    bytes: z.int().describe('Of all files, as they are downloaded'),
    error: z.string().nullable().describe('A fault code: why it failed, or what its last try met'),
    requestId: z.string().describe('Of the start: the audit has what was read under it'),
    startedAt: time.describe('`transactionTime` of its manifest'),
    endedAt: time.nullable(),
    expiresAt: time.nullable().describe('When the files are destroyed; null while it runs'),
  }),
);

const ExportPage = named('ExportPage', z.strictObject({ exports: z.array(Export), next: z.string().nullable() }));

const list = defineContract({
  id: 'exports.list',
  method: 'get',
  path: '/admin/api/exports',
  summary: 'Bulk exports of apps, newest first',
  group: 'Apps',
  permission: 'apps.read',
  audited: { kind: 'later', name: 'exports' },
  query: z.strictObject({
    client_id: taken(z.string().regex(/^[A-Za-z0-9_.-]{1,64}$/), 'the id of an app').optional(),
    state: z.enum(STATES).optional(),
    cursor: cursor.optional(),
    limit: limit(),
  }),
  answer: ExportPage,
  answers: 'A page; next is the cursor of the next one',
  errors: [],
});

const params = z.object({ id: anyId('the id of an export') });

const get = defineContract({
  id: 'exports.get',
  method: 'get',
  path: '/admin/api/exports/:id',
  summary: 'One bulk export and how far it is',
  group: 'Apps',
  permission: 'apps.read',
  audited: { kind: 'later', name: 'export' },
  params,
  answer: Export,
  answers: 'The export',
  errors: ['export.not-found'],
});

const end = defineContract({
  id: 'exports.end',
  method: 'post',
  path: '/admin/api/exports/:id/end',
  summary: 'End a bulk export: it is read no further, and its files are destroyed',
  group: 'Apps',
  permission: 'apps.change',
  proof: 'second',
  audited: { kind: 'by-command' },
  params,
  answer: Export,
  answers: 'It is ended',
  errors: ['export.not-found', 'export.state'],
});

export const exportsContract = { 'exports.list': list, 'exports.get': get, 'exports.end': end } as const;
