import { z } from 'zod';
import { defineContract } from './define-contract.ts';
import {
  anyId,
  clientUuid,
  cursor,
  instant,
  limit,
  mrn,
  named,
  plain,
  sentence,
  taken,
  userId,
  wordId,
} from './fields.ts';
import { Total } from './shapes.ts';
import { STUCK } from './states.ts';

const ACTS = ['replay', 'discard'] as const;
const shortText = () => plain().max(100);

const common = {
  state: z.enum(STUCK),
  reason: shortText().optional(),
  fault: shortText().describe('A fault code behind the state, such as patient.none').optional(),
  data_structure: shortText().optional(),
  word: wordId.describe('A word that nobody has mapped and that they are parked for').optional(),
  received_from: instant.describe('Received then or later').optional(),
  received_to: instant.describe('Received before').optional(),
} as const;
const Filter = named(
  'JobFilter',
  z.strictObject({
    ...common,
    user_id: userId.optional(),
    client_uuid: clientUuid.optional(),
    mrn: mrn.describe('Of every user with a confirmed link to this patient; not beside user_id').optional(),
  }),
);
/** The same without the patient: a job outlives what may be known of whom it was about. */
const KeptFilter = named(
  'KeptJobFilter',
  z.strictObject({
    ...common,
    of_one: z.enum(['user', 'patient']).describe('It was about one user, or one patient; who is not kept').optional(),
  }),
);

const Preview = named(
  'JobPreview',
  z.strictObject({
    id: z.string().nullable().describe('By which it is started; null where there are none, or too many for one job'),
    act: z.enum(ACTS),
    deliveries: Total.describe('How many would be moved; a job is about 100,000 at most'),
    patients: z.int().describe('Of how many patients they are; a source user without a link counts as one'),
    ofNobody: z.int().describe('How many of them tell of no patient, such as what is not JSON'),
  }),
);

const Job = named(
  'Job',
  z.strictObject({
    id: z.string(),
    act: z.enum(ACTS),
    filter: KeptFilter,
    reason: z.string().nullable().describe('Of a discard: what the operator said'),
    state: z.enum(['running', 'done', 'stopped']),
    total: z.int(),
    done: z.int().describe('How many have had their turn'),
    skipped: z.int().describe('How many of them somebody else had moved before, so that they were left alone'),
    patients: z.int(),
    startedBy: z.string(),
    requestId: z.string().describe('Of the start: the audit has everything that the job moved under it'),
    startedAt: z.string(),
    endedAt: z.string().nullable(),
  }),
);

const JobPage = named('JobPage', z.strictObject({ jobs: z.array(Job), next: z.string().nullable() }));

const preview = defineContract({
  id: 'jobs.preview',
  method: 'post',
  path: '/admin/api/jobs/preview',
  summary: 'What a bulk act would move: how many deliveries, of how many patients',
  description:
    'Nothing is moved. What was counted is remembered, so that the start is about these deliveries and no other.',
  group: 'Jobs',
  permission: 'deliveries.act',
  audited: { kind: 'act', names: ['job preview'] },
  body: {
    kind: 'json',
    schema: z
      .strictObject({
        act: z.enum(ACTS),
        filter: taken(
          Filter,
          `an object with state (one of ${STUCK.join(', ')}) and any of reason, fault, data_structure, word, received_from, received_to, and user_id with client_uuid, or mrn`,
        ),
        reason: sentence.describe('Of a discard, which needs one: why').optional(),
      })
      .refine(({ act, reason }) => (act === 'discard') === (reason !== undefined), { path: ['reason'] }),
    bytesMax: 16 * 1_024,
    isRequired: true,
  },
  answer: Preview,
  answers: 'What it would move',
  errors: [],
  example: { act: 'replay', filter: { state: 'parked', reason: 'unmapped' } },
});

const start = defineContract({
  id: 'jobs.start',
  method: 'post',
  path: '/admin/api/jobs',
  summary: 'Start a bulk act as it was previewed; the number of deliveries is to be confirmed',
  description:
    'It moves the deliveries that the preview counted, and of these only such as nobody has moved since. It goes on in the background, also after a restart.',
  group: 'Jobs',
  permission: 'deliveries.act',
  audited: { kind: 'by-command' },
  body: {
    kind: 'json',
    schema: z.strictObject({
      preview: taken(z.string().regex(/^[\w-]{1,64}$/), '`id` of a preview of your own, as it is'),
      confirm: taken(
        z.int().min(1).max(100_000),
        'the number of deliveries that the preview counted, from 1 to 100000',
      ),
    }),
    bytesMax: 16 * 1_024,
    isRequired: true,
  },
  status: 201,
  answer: Job,
  answers: 'It runs',
  errors: ['job.not-found', 'job.unconfirmed', 'job.too-many'],
  example: { preview: 'job_01k00000000000000000000000', confirm: 312 },
});

const list = defineContract({
  id: 'jobs.list',
  method: 'get',
  path: '/admin/api/jobs',
  summary: 'Bulk acts, newest first',
  group: 'Jobs',
  permission: 'deliveries.read',
  audited: { kind: 'later', name: 'jobs' },
  query: z.strictObject({ cursor: cursor.optional(), limit: limit() }),
  answer: JobPage,
  answers: 'A page; next is the cursor of the next one',
  errors: [],
});

const params = z.object({ id: anyId('the id of a job') });

const get = defineContract({
  id: 'jobs.get',
  method: 'get',
  path: '/admin/api/jobs/:id',
  summary: 'One bulk act and how far it is',
  group: 'Jobs',
  permission: 'deliveries.read',
  audited: { kind: 'later', name: 'job' },
  params,
  answer: Job,
  answers: 'The job',
  errors: ['job.not-found'],
});

const stop = defineContract({
  id: 'jobs.stop',
  method: 'post',
  path: '/admin/api/jobs/:id/stop',
  summary: 'Stop a bulk act; what it has moved stays moved',
  group: 'Jobs',
  permission: 'deliveries.act',
  audited: { kind: 'by-command' },
  params,
  answer: Job,
  answers: 'It is stopped',
  errors: ['job.not-found', 'job.state'],
});

export const jobsContract = {
  'jobs.preview': preview,
  'jobs.start': start,
  'jobs.list': list,
  'jobs.get': get,
  'jobs.stop': stop,
} as const;
