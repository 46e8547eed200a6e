import { z } from 'zod';
import { defineContract } from './define-contract.ts';
import {
  clientUuid,
  clientUuidOrNull,
  cursor,
  evidence,
  limit,
  mrn,
  named,
  pathUserId,
  sentence,
  userId,
  yesOrNo,
} from './fields.ts';

const LinkImport = named(
  'LinkImport',
  z.strictObject({
    dryRun: z.boolean(),
    rows: z.int(),
    confirmed: z.int(),
    changed: z.int(),
    proposed: z.int(),
    unchanged: z.int(),
    released: z.int(),
    requeued: z.int(),
    retracting: z.int(),
    unrepeatable: z.int(),
    unsettled: z.int(),
    bad: z.array(
      z.strictObject({
        line: z.int(),
        code: z.enum([
          'row.quotes',
          'row.columns',
          'row.user-id',
          'row.mrn',
          'row.client',
          'row.status',
          'row.evidence',
          'row.repeated',
        ]),
      }),
    ),
  }),
);

const LinkOutcome = named(
  'LinkOutcome',
  z.strictObject({
    id: z.string(),
    status: z.enum(['proposed', 'confirmed', 'revoked']),
    change: z.enum(['proposed', 'confirmed', 'changed', 'revoked', 'unchanged']),
    released: z.int(),
    requeued: z.int(),
    retracting: z.int(),
    unrepeatable: z.int(),
    parked: z.int(),
    isForeignClient: z
      .boolean()
      .describe('The user is of another client than the one that this gateway takes deliveries of')
      .optional(),
    isSettled: z.boolean(),
  }),
);

const Link = named(
  'Link',
  z.strictObject({
    id: z.string(),
    clientUuid: z.string(),
    userId: z.string(),
    mrn: z.string(),
    status: z.enum(['proposed', 'confirmed', 'revoked']),
    evidence: z.string(),
    actor: z.string(),
    madeAt: z.string(),
    changedAt: z.string(),
  }),
);

/** In a list of many, who is restricted is not named. */
const ListedLink = named(
  'ListedLink',
  z.strictObject({
    ...Link.shape,
    userId: z.string().nullable().describe('Null where it is withheld'),
    mrn: z.string().nullable().describe('Null where it is withheld'),
    evidence: z.string().nullable().describe('Null where it is withheld'),
    isWithheld: z
      .boolean()
      .describe('The patient is restricted: say why (header Chartgate-Reason) to be shown whose it is'),
  }),
);

const LinkPage = named('LinkPage', z.strictObject({ links: z.array(ListedLink), next: z.string().nullable() }));

const UserLinks = named('UserLinks', z.strictObject({ isSettled: z.boolean(), links: z.array(Link) }));

const list = defineContract({
  id: 'links.list',
  method: 'get',
  path: '/admin/api/links',
  summary: 'Links between source users and patients, newest first',
  group: 'Links',
  permission: 'links.read',
  audited: { kind: 'act', names: ['links'] },
  query: z.strictObject({
    status: z.enum(['proposed', 'confirmed', 'revoked']).optional(),
    user_id: userId.optional(),
    client_uuid: clientUuid.optional(),
    mrn: mrn.optional(),
    cursor: cursor.optional(),
    limit: limit(),
  }),
  answer: LinkPage,
  answers: 'A page; next is the cursor of the next one',
  errors: ['link.client'],
});

const get = defineContract({
  id: 'links.get',
  method: 'get',
  path: '/admin/api/links/:user_id',
  summary: 'The links of one source user, newest first',
  group: 'Links',
  permission: 'links.read',
  audited: { kind: 'act', names: ['link'] },
  params: z.object({ user_id: pathUserId }),
  query: z.strictObject({ client_uuid: clientUuid.optional() }),
  answer: UserLinks,
  answers: 'All of them, revoked ones too',
  errors: ['link.not-found', 'link.client'],
});

const put = defineContract({
  id: 'links.put',
  method: 'put',
  path: '/admin/api/links/:user_id',
  summary: 'Propose, confirm or change the link of a source user',
  description:
    'A confirmation releases what waited for it. Another MRN than the confirmed one takes what was written out of the old chart and writes it to the new one.',
  group: 'Links',
  permission: 'links.change',
  audited: { kind: 'by-command' },
  params: z.object({ user_id: pathUserId }),
  body: {
    kind: 'json',
    schema: z.strictObject({
      mrn: mrn,
      status: z.enum(['proposed', 'confirmed']).optional(),
      evidence: evidence.optional(),
      client_uuid: clientUuidOrNull.optional(),
    }),
    bytesMax: 16 * 1_024,
    isRequired: true,
  },
  answer: LinkOutcome,
  answers: "What changed, and what became of the user's deliveries",
  errors: ['link.not-found', 'link.client'],
  example: { mrn: '0001003', evidence: 'Wristband scanned at the desk' },
});

const charted = defineContract({
  id: 'links.charted',
  method: 'get',
  path: '/admin/api/links/:user_id/charted',
  summary: 'What stands in the chart because of a source user, before its link is revoked',
  group: 'Links',
  permission: 'links.read',
  audited: { kind: 'act', names: ['charted'] },
  params: z.object({ user_id: pathUserId }),
  query: z.strictObject({ client_uuid: clientUuid.optional() }),
  answer: z.strictObject({
    onRevoke: z.enum(['keep', 'retract']).describe('What becomes of it where the revocation does not say'),
    total: z.int(),
    waiting: z.int().describe('Deliveries on their way to the chart, which would wait for a link'),
    resources: z.array(
      z.strictObject({
        resourceType: z.string(),
        group: z.string().describe('body, physical, sleep, lab, alerts, profile, steps or other'),
        day: z.string().nullable(),
        count: z.int(),
      }),
    ),
  }),
  answers: 'Counted by type, summary and day; nothing was changed',
  errors: ['link.not-found', 'link.client'],
});

const revoke = defineContract({
  id: 'links.revoke',
  method: 'delete',
  path: '/admin/api/links/:user_id',
  summary: 'Revoke the link of a source user',
  group: 'Links',
  permission: 'links.change',
  audited: { kind: 'by-command' },
  params: z.object({ user_id: pathUserId }),
  query: z.strictObject({
    client_uuid: clientUuid.optional(),
    reason: sentence.optional(),
    charted: z
      .enum(['keep', 'retract'])
      .describe('What was written to the chart stays or is withdrawn; default: CHARTGATE_ON_REVOKE')
      .optional(),
  }),
  answer: LinkOutcome,
  answers: 'Revoked; what was queued waits for a link again, what was written stays or is withdrawn',
  errors: ['link.not-found', 'link.client', 'link.unsettled'],
});

const importCsv = defineContract({
  id: 'links.import',
  method: 'post',
  path: '/admin/api/links/import',
  summary: 'Many links at once, as CSV',
  description:
    'Columns user_id and mrn, and any of client_uuid, status, evidence, in any order. Good rows are applied, bad ones are listed. The same file may be sent again.',
  group: 'Links',
  permission: 'links.change',
  audited: { kind: 'by-command' },
  query: z.strictObject({ dry_run: yesOrNo(false) }),
  body: { kind: 'bytes', types: ['text/csv'] },
  answer: LinkImport,
  answers: 'What changed, and every row that was not taken',
  errors: ['links.csv', 'links.too-many', 'admin.no-room'],
});

export const linksContract = {
  'links.list': list,
  'links.get': get,
  'links.put': put,
  'links.charted': charted,
  'links.revoke': revoke,
  'links.import': importCsv,
} as const;
