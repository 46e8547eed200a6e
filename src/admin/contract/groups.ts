import { z } from 'zod';
import { defineContract } from './define-contract.ts';
import { anyId, bareMrn, cursor, displayName, limit, named, taken, time } from './fields.ts';

/** How many MRNs one request takes, and how many a group has at most. */
const MRNS_MAX = 10_000;

const Group = named(
  'PatientGroup',
  z.strictObject({
    id: z.string().describe('As `/fhir/Group/{id}` has it'),
    name: z.string(),
    kind: z
      .enum(['all', 'connection', 'list'])
      .describe('all: every linked patient. connection: those with this data source. list: those of these MRNs'),
    linked: z.int().describe('How many patients with a confirmed link are in it; nobody else is exported'),
    members: z.int().nullable().describe('Of a list: how many MRNs it has'),
    madeBy: z.string().nullable().describe('Of a list'),
    changedAt: time.nullable().describe('Of a list'),
  }),
);

const GroupPage = named(
  'PatientGroupPage',
  z.strictObject({
    standard: z.array(Group).describe('Those that the gateway makes by itself; on the first page alone'),
    groups: z.array(Group).describe('Lists, newest first'),
    next: z.string().nullable(),
  }),
);

const mrns = taken(z.array(bareMrn).max(MRNS_MAX), `a list of at most ${MRNS_MAX} MRNs as the EHR has them`);

const list = defineContract({
  id: 'groups.list',
  method: 'get',
  path: '/admin/api/groups',
  summary: 'Groups of patients that apps can export',
  group: 'Patients',
  permission: 'patients.read',
  audited: { kind: 'later', name: 'groups' },
  query: z.strictObject({ cursor: cursor.optional(), limit: limit() }),
  answer: GroupPage,
  answers: 'A page; next is the cursor of the next one',
  errors: [],
});

const params = z.object({ id: anyId('the id of a group') });

const get = defineContract({
  id: 'groups.get',
  method: 'get',
  path: '/admin/api/groups/:id',
  summary: 'One group of patients',
  group: 'Patients',
  permission: 'patients.read',
  audited: { kind: 'later', name: 'group' },
  params,
  answer: Group,
  answers: 'The group',
  errors: ['group.not-found'],
});

const members = defineContract({
  id: 'groups.members',
  method: 'get',
  path: '/admin/api/groups/:id/members',
  summary: 'The MRNs of a list',
  group: 'Patients',
  permission: 'patients.read',
  audited: { kind: 'act', names: ['group members'] },
  params,
  query: z.strictObject({ cursor: cursor.optional(), limit: limit() }),
  answer: named(
    'PatientGroupMembers',
    z.strictObject({
      members: z.array(
        z.strictObject({ mrn: z.string(), isLinked: z.boolean().describe('Whether the patient has a confirmed link') }),
      ),
      next: z.string().nullable(),
    }),
  ),
  answers: 'A page; next is the cursor of the next one',
  errors: ['group.not-found'],
});

const add = defineContract({
  id: 'groups.add',
  method: 'post',
  path: '/admin/api/groups',
  summary: 'Make a group of patients from a list of MRNs',
  description: 'MRNs without a confirmed link may be in it; such patients are neither shown nor exported until then.',
  group: 'Patients',
  permission: 'links.change',
  audited: { kind: 'by-command' },
  body: {
    kind: 'json',
    schema: z.strictObject({ name: displayName, mrns }),
    bytesMax: 1024 * 1_024,
    isRequired: true,
  },
  status: 201,
  answer: Group,
  answers: 'It is made',
  errors: ['group.name-taken', 'group.too-many'],
  example: { name: 'Heart failure clinic', mrns: ['100001', '100002'] },
});

const change = defineContract({
  id: 'groups.change',
  method: 'post',
  path: '/admin/api/groups/:id',
  summary: 'Change the name of a list, add MRNs to it, take MRNs out of it',
  group: 'Patients',
  permission: 'links.change',
  audited: { kind: 'by-command' },
  params,
  body: {
    kind: 'json',
    schema: z.strictObject({ name: displayName.optional(), add: mrns.optional(), remove: mrns.optional() }),
    bytesMax: 1024 * 1_024,
    isRequired: true,
  },
  answer: Group,
  answers: 'It is changed',
  errors: ['group.not-found', 'group.name-taken', 'group.too-many'],
  example: { add: ['100003'], remove: ['100001'] },
});

const remove = defineContract({
  id: 'groups.remove',
  method: 'delete',
  path: '/admin/api/groups/:id',
  summary: 'Remove a list; exports of it that run go on',
  group: 'Patients',
  permission: 'links.change',
  audited: { kind: 'by-command' },
  params,
  answer: z.strictObject({ id: z.string(), state: z.literal('removed') }),
  answers: 'Removed',
  errors: ['group.not-found'],
});

export const groupsContract = {
  'groups.list': list,
  'groups.get': get,
  'groups.members': members,
  'groups.add': add,
  'groups.change': change,
  'groups.remove': remove,
} as const;
