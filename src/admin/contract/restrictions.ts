import { z } from 'zod';
import { defineContract } from './define-contract.ts';
import { cursor, limit, mrn, named, time } from './fields.ts';

const Restriction = named('Restriction', z.strictObject({ isRestricted: z.boolean() }));

const RestrictionPage = named(
  'RestrictionPage',
  z.strictObject({
    patients: z.array(z.strictObject({ mrn: z.string(), actor: z.string(), madeAt: time })),
    next: z.string().nullable(),
  }),
);

const list = defineContract({
  id: 'restrictions.list',
  method: 'get',
  path: '/admin/api/restrictions',
  summary: 'The patients whom the hospital has marked as restricted, newest first',
  group: 'Patients',
  permission: 'links.read',
  audited: { kind: 'act', names: ['restrictions'] },
  query: z.strictObject({ cursor: cursor.optional(), limit: limit() }),
  answer: RestrictionPage,
  answers: 'A page; next is the cursor of the next one',
  errors: [],
});

const get = defineContract({
  id: 'restrictions.get',
  method: 'get',
  path: '/admin/api/patients/:mrn/restriction',
  summary: 'Whether a patient is marked as restricted',
  group: 'Patients',
  permission: 'links.read',
  audited: { kind: 'act', names: ['restriction'] },
  params: z.object({ mrn }),
  answer: Restriction,
  answers: 'Whether',
  errors: [],
});

const restrict = defineContract({
  id: 'restrictions.put',
  method: 'put',
  path: '/admin/api/patients/:mrn/restriction',
  summary: 'Mark a patient as restricted',
  description: 'From then on nobody is shown anything of this patient without saying why (header Chartgate-Reason).',
  group: 'Patients',
  permission: 'links.change',
  audited: { kind: 'by-command' },
  params: z.object({ mrn }),
  answer: Restriction,
  answers: 'The patient is restricted',
  errors: [],
});

const lift = defineContract({
  id: 'restrictions.remove',
  method: 'delete',
  path: '/admin/api/patients/:mrn/restriction',
  summary: 'Mark a patient as restricted no longer',
  group: 'Patients',
  permission: 'links.change',
  audited: { kind: 'by-command' },
  params: z.object({ mrn }),
  answer: Restriction,
  answers: 'The patient is not restricted',
  errors: [],
});

export const restrictionsContract = {
  'restrictions.list': list,
  'restrictions.get': get,
  'restrictions.put': restrict,
  'restrictions.remove': lift,
} as const;
