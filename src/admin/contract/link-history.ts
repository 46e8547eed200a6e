import { z } from 'zod';
import { defineContract } from './define-contract.ts';
import { clientUuid, mrn, named, pathUserId, time } from './fields.ts';

const PatientPreview = named(
  'PatientPreview',
  z.strictObject({
    found: z
      .enum(['one', 'none', 'several', 'inactive', 'merged', 'unverified'])
      .describe(
        'one: the EHR has one active patient with this MRN. merged: into one that cannot be found. unverified: the EHR answered with what was not asked for',
      ),
    patient: z
      .strictObject({
        name: z.string().nullable(),
        birthDate: z.string().nullable(),
        gender: z.string().nullable(),
        isDeceased: z.boolean(),
        isMerged: z.boolean().describe('The MRN is of a chart that was merged into this one'),
      })
      .nullable(),
    linkedUsers: z.int().describe('Source users with a confirmed link to this MRN already; of many 500'),
  }),
);

const LinkHistory = named(
  'LinkHistory',
  z.strictObject({
    changes: z.array(
      z.strictObject({
        at: time,
        linkId: z.string(),
        mrn: z.string(),
        from: z.string().nullable().describe('Null where the link was made'),
        to: z.string(),
        why: z.string().nullable(),
        by: z.string(),
        roles: z.array(z.string()).describe('What the person was allowed by'),
      }),
    ),
  }),
);

const preview = defineContract({
  id: 'links.preview',
  method: 'get',
  path: '/admin/api/patients/:mrn/preview',
  summary: 'Who has this MRN at the EHR, before a link is made',
  description:
    'Asked of the EHR now: name, birth date and gender, by which a registrar sees that it is the right person.',
  group: 'Links',
  permission: 'links.change',
  audited: { kind: 'act', names: ['patient preview'] },
  params: z.object({ mrn }),
  answer: PatientPreview,
  answers: 'The patient, or why there is none to link to',
  errors: [
    'ehr.paused',
    'ehr.unreachable',
    'ehr.tls',
    'ehr.timeout',
    'ehr.cut',
    'ehr.unreadable',
    'ehr.busy',
    'ehr.failed',
    'ehr.unauthorized',
    'ehr.token',
    'ehr.token-unavailable',
    'ehr.forbidden',
    'ehr.rejected',
  ],
});

const history = defineContract({
  id: 'links.history',
  method: 'get',
  path: '/admin/api/links/:user_id/history',
  summary: 'Who linked a source user to whom, and when, newest first',
  description: 'As the audit has it: what was removed from there after its retention is missing here too.',
  group: 'Links',
  permission: 'links.read',
  audited: { kind: 'act', names: ['link history'] },
  params: z.object({ user_id: pathUserId }),
  query: z.strictObject({ client_uuid: clientUuid.optional() }),
  answer: LinkHistory,
  answers: 'The last 500 changes',
  errors: ['link.not-found', 'link.client'],
});

export const linkHistoryContract = { 'links.preview': preview, 'links.history': history } as const;
