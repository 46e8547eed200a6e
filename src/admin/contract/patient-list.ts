import { z } from 'zod';
import { defineContract } from './define-contract.ts';
import { cursor, limit, mrn, named, time } from './fields.ts';

const EnrolledPatients = named(
  'EnrolledPatients',
  z.strictObject({
    patients: z.array(
      z.strictObject({
        mrn: z.string(),
        users: z.int().describe('Source users who are this patient'),
        connections: z.int().describe('Data sources that are connected now'),
        linkedAt: time,
        lastDeliveryAt: z.string().nullable(),
      }),
    ),
    next: z.string().nullable(),
  }),
);

const PatientEvent = named(
  'PatientEvent',
  z.discriminatedUnion('kind', [
    z.strictObject({
      kind: z.literal('delivery'),
      at: time,
      deliveryId: z.string(),
      dataStructure: z.string().nullable(),
      documentVersion: z.int().nullable(),
      state: z.string(),
      reason: z.string().nullable(),
    }),
    z.strictObject({
      kind: z.literal('link'),
      at: time,
      linkId: z.string(),
      status: z.string().describe('As it is now'),
      by: z.string().describe('Who changed it last'),
      changedAt: time,
    }),
    z.strictObject({
      kind: z.literal('request'),
      at: time,
      id: z.string(),
      what: z.enum(['lab', 'profile']).describe('A laboratory document that was submitted, or a profile asked for'),
      deliveryId: z.string().nullable().describe('What brought the result; null while it is waited for'),
      arrivedAt: z.string().nullable(),
    }),
  ]),
);

const list = defineContract({
  id: 'patients.list',
  method: 'get',
  path: '/admin/api/patients',
  summary: 'Patients with a confirmed link, the last linked first',
  group: 'Patients',
  permission: 'patients.read',
  audited: { kind: 'act', names: ['patients'] },
  query: z.strictObject({ cursor: cursor.optional(), limit: limit() }),
  answer: EnrolledPatients,
  answers: 'A page; next is the cursor of the next one',
  errors: [],
});

const timeline = defineContract({
  id: 'patients.timeline',
  method: 'get',
  path: '/admin/api/patients/:mrn/timeline',
  summary: 'What happened to a patient: links, deliveries and documents, newest first',
  description:
    'Deliveries and documents are those of the source users whose last link is to this patient. What came of a user who was linked to somebody else since is not shown.',
  group: 'Patients',
  permission: 'patients.read',
  audited: { kind: 'act', names: ['patient timeline'] },
  params: z.object({ mrn }),
  query: z.strictObject({ cursor: cursor.optional(), limit: limit() }),
  answer: z.strictObject({ events: z.array(PatientEvent), next: z.string().nullable() }),
  answers: 'A page; empty where nobody is linked to this MRN',
  errors: [],
});

export const patientListContract = { 'patients.list': list, 'patients.timeline': timeline } as const;
