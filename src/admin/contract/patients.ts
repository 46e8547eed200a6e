import { z } from 'zod';
import { defineContract } from './define-contract.ts';
import { mrn, named, taken, webAddress } from './fields.ts';
import { SOURCE_FAULTS } from './source-faults.ts';

const dataSource = taken(z.string().regex(/^[A-Za-z0-9_-]{1,64}$/), '1 to 64 letters, digits, "_" and "-"');
const timezone = taken(
  z.string().regex(/^(Z|[+-](0\d|1[0-3]):[0-5]\d|[+-]14:00)$/),
  'Z, or an offset such as +02:00; it is required',
);

const Connection = named(
  'Connection',
  z.strictObject({
    dataSource: z.string(),
    state: z.enum(['asked', 'connected', 'ended', 'revoked']),
    askedAt: z.string().nullable(),
    changedAt: z.string(),
    failure: z.strictObject({ at: z.string(), action: z.string(), message: z.string() }).nullable(),
  }),
);

const SourceRequests = named(
  'SourceRequests',
  z.strictObject({
    userId: z.string(),
    requests: z.array(
      z.strictObject({
        id: z.string(),
        kind: z.string(),
        state: z.enum(['received', 'overdue', 'arrived']),
        askedAt: z.string(),
        arrivedAt: z.string().nullable(),
        deliveryId: z.string().nullable(),
        deliveryState: z.string().nullable(),
      }),
    ),
  }),
);

const connections = defineContract({
  id: 'patients.connections',
  method: 'get',
  path: '/admin/api/patients/:mrn/connections',
  summary: "A patient's connections at the health data service",
  group: 'Patients',
  permission: 'patients.read',
  audited: { kind: 'act', names: ['connections'] },
  params: z.object({ mrn }),
  answer: z.strictObject({
    userId: z.string(),
    connections: z.array(Connection),
    revokedAt: z.string().nullable(),
    lateDeliveries: z.int(),
  }),
  answers: 'What is known of them',
  errors: [...SOURCE_FAULTS, 'enrol.not-found'],
});

const connection = defineContract({
  id: 'patients.connection',
  method: 'get',
  path: '/admin/api/patients/:mrn/connections/:data_source',
  summary: 'One of them, and what the service says now',
  group: 'Patients',
  permission: 'patients.read',
  audited: { kind: 'act', names: ['connection'] },
  params: z.object({ mrn, data_source: dataSource }),
  answer: z.strictObject({
    userId: z.string(),
    dataSource: z.string(),
    authorized: z.boolean(),
    known: Connection.nullable(),
  }),
  answers: 'Whether the patient has authorised it',
  errors: [...SOURCE_FAULTS, 'enrol.not-found'],
});

const connect = defineContract({
  id: 'patients.connect',
  method: 'post',
  path: '/admin/api/patients/:mrn/connections/:data_source',
  summary: 'Connect a data source',
  description:
    'A patient who has no source user gets one, of chance and without meaning, and a confirmed link. The address must be opened in the system browser, never in an embedded web view.',
  group: 'Patients',
  permission: 'patients.enrol',
  audited: { kind: 'act', names: ['connect'] },
  params: z.object({ mrn, data_source: dataSource }),
  body: {
    kind: 'json',
    schema: z.strictObject({ redirect_url: webAddress.optional() }),
    bytesMax: 64 * 1_024,
    isRequired: false,
  },
  answer: z.strictObject({
    userId: z.string(),
    dataSource: z.string(),
    authorized: z.boolean(),
    authorizationUrl: z.string().nullable(),
    warning: z.string().nullable(),
  }),
  answers: 'Where the patient authorises it',
  errors: [...SOURCE_FAULTS, 'enrol.not-found', 'enrol.mrn-unknown'],
  example: { redirect_url: 'https://portal.example/connected' },
});

const revoke = defineContract({
  id: 'patients.revoke',
  method: 'post',
  path: '/admin/api/patients/:mrn/revoke',
  summary: 'Disconnect the patient from all data sources',
  group: 'Patients',
  permission: 'patients.enrol',
  audited: { kind: 'act', names: ['revoke'] },
  params: z.object({ mrn }),
  answer: z.strictObject({
    userId: z.string(),
    revoked: z.literal(true),
    retracting: z.int().describe('Documents that are taken out of the chart').optional(),
  }),
  answers:
    'Disconnected. The link stays, and what still arrives is taken and marked; with CHARTGATE_ON_REVOKE=retract the link is revoked too and what was charted is withdrawn',
  errors: [...SOURCE_FAULTS, 'enrol.not-found'],
});

const bind = defineContract({
  id: 'patients.bind',
  method: 'post',
  path: '/admin/api/patients/:mrn/binding',
  summary: 'Bind the extraction app of the patient',
  group: 'Patients',
  permission: 'patients.enrol',
  audited: { kind: 'act', names: ['binding'] },
  params: z.object({ mrn }),
  body: {
    kind: 'json',
    schema: z.strictObject({
      client_name: taken(z.string().max(200).regex(/\S/), 'a text of 1 to 200 characters; it is required'),
      tyc_url: webAddress.optional(),
      support_url: webAddress.optional(),
      complete_log_out: taken(z.boolean().nullable(), 'true, false or null').optional(),
      salt: taken(z.string().regex(/^[^\p{Cc}]{4,6}$/u), '4 to 6 characters', {
        type: 'string',
        minLength: 4,
        maxLength: 6,
        pattern: '^[^\\u0000-\\u001F\\u007F-\\u009F]+$',
      }).optional(),
    }),
    bytesMax: 64 * 1_024,
    isRequired: true,
  },
  answer: z.strictObject({ userId: z.string(), qrCode: z.string(), universalLink: z.string(), salt: z.string() }),
  answers: 'A QR code (data URL of a PNG), its link, and the salt, which is shown this once',
  errors: [...SOURCE_FAULTS, 'enrol.not-found', 'enrol.mrn-unknown'],
  example: { client_name: 'First Clinic' },
});

const labs = defineContract({
  id: 'patients.labs',
  method: 'get',
  path: '/admin/api/patients/:mrn/labs',
  summary: 'Laboratory documents that were submitted, newest first',
  group: 'Patients',
  permission: 'patients.read',
  audited: { kind: 'act', names: ['labs'] },
  params: z.object({ mrn }),
  answer: SourceRequests,
  answers: 'Each with what became of it; overdue after 24 hours, since failures are silent',
  errors: [...SOURCE_FAULTS, 'enrol.not-found'],
});

const submitLab = defineContract({
  id: 'patients.submitLab',
  method: 'post',
  path: '/admin/api/patients/:mrn/labs',
  summary: 'Submit a laboratory document',
  group: 'Patients',
  permission: 'patients.enrol',
  audited: { kind: 'act', names: ['lab'] },
  params: z.object({ mrn }),
  query: z.strictObject({ timezone: timezone }),
  body: { kind: 'bytes', types: ['application/pdf', 'image/jpeg', 'image/png'] },
  status: 202,
  answer: z.strictObject({ userId: z.string(), documentId: z.string(), state: z.literal('received') }),
  answers: 'Received by the service',
  errors: [
    ...SOURCE_FAULTS,
    'enrol.not-found',
    'enrol.mrn-unknown',
    'enrol.document',
    'enrol.empty-document',
    'source.too-large',
  ],
});

const profiles = defineContract({
  id: 'patients.profiles',
  method: 'get',
  path: '/admin/api/patients/:mrn/profile',
  summary: 'Profiles that were asked for, newest first',
  group: 'Patients',
  permission: 'patients.read',
  audited: { kind: 'act', names: ['profiles'] },
  params: z.object({ mrn }),
  answer: SourceRequests,
  answers: 'Each with what became of it',
  errors: [...SOURCE_FAULTS, 'enrol.not-found'],
});

const requestProfile = defineContract({
  id: 'patients.requestProfile',
  method: 'post',
  path: '/admin/api/patients/:mrn/profile',
  summary: 'Ask for a user health profile',
  group: 'Patients',
  permission: 'patients.enrol',
  audited: { kind: 'act', names: ['profile'] },
  params: z.object({ mrn }),
  status: 202,
  answer: z.strictObject({ userId: z.string(), requestId: z.string(), state: z.literal('received') }),
  answers: 'Queued by the service',
  errors: [...SOURCE_FAULTS, 'enrol.not-found', 'source.too-many'],
});

const overdue = defineContract({
  id: 'patients.overdue',
  method: 'get',
  path: '/admin/api/overdue',
  summary: 'Documents and profiles that were asked for more than 24 hours ago and have not come, oldest first',
  group: 'Patients',
  permission: 'patients.read',
  audited: { kind: 'act', names: ['overdue'] },
  answer: z.strictObject({
    requests: z.array(
      z.strictObject({ id: z.string(), kind: z.enum(['lab', 'profile']), mrn: z.string(), askedAt: z.string() }),
    ),
  }),
  answers: 'At most 200',
  errors: [],
});

export const patientsContract = {
  'patients.connections': connections,
  'patients.connection': connection,
  'patients.connect': connect,
  'patients.revoke': revoke,
  'patients.bind': bind,
  'patients.labs': labs,
  'patients.submitLab': submitLab,
  'patients.profiles': profiles,
  'patients.requestProfile': requestProfile,
  'patients.overdue': overdue,
} as const;
