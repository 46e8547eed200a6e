import { z } from 'zod';
import { AUDIT_FILTERS } from './audit.ts';
import { defineContract } from './define-contract.ts';
import { anyId, displayName, instant, mrnLike, named, plainUpTo, taken, time } from './fields.ts';
import { Removed } from './shapes.ts';

/** Of the counts of the audit: how many names are told apart, and how many points there are. */
export const COUNTS = { names: 100, points: 400, records: 200_000 } as const;

const AuditCounts = named(
  'AuditCounts',
  z.strictObject({
    from: time,
    to: time,
    intervalSeconds: z.int(),
    names: z
      .array(
        z.strictObject({
          name: z
            .string()
            .describe('Who acted, the id of the app, or the keyed hash of the patient as records have it'),
          total: z.int(),
          counts: z.array(z.int()).describe('One number for each point'),
        }),
      )
      .describe('Those with the most first, at most 100'),
    others: z.strictObject({ names: z.int(), total: z.int() }).describe('Those that are not told one by one'),
    counted: z.strictObject({
      count: z.int(),
      isExact: z.boolean().describe('False where there were more than 200,000 records: the newest were counted'),
    }),
  }),
);

const within = taken(
  instant.optional(),
  `an instant with its zone, such as 2026-01-31T08:00:00Z; from \`from\` to \`to\` there are 1 to ${COUNTS.points} intervals`,
  { type: 'string', format: 'date-time' },
);

const counts = defineContract({
  id: 'audit.counts',
  method: 'get',
  path: '/admin/api/audit/counts',
  summary: 'How often somebody acted, an app asked, or a patient’s data were seen, over time',
  description:
    'By actor: what operators and machines did, and who signed in. By app: what apps asked for, also what was refused. By patient: who was looked at or linked, by apps and operators; an MRN and an id of the EHR that are one person’s count together. What the gateway does by itself is not counted. Without times: the last 24 hours, or the last 30 days.',
  group: 'Audit',
  permission: 'audit.read',
  audited: { kind: 'act', names: ['audit.counts'] },
  query: z.strictObject({
    by: z.enum(['actor', 'app', 'patient']),
    interval: z.enum(['hour', 'day']).default('hour'),
    from: within.describe('Rounded down to a whole interval'),
    to: within,
  }),
  answer: AuditCounts,
  answers: 'Counts by name and point',
  errors: [],
});

const savedPatient = mrnLike(
  z.string().regex(/^[^\p{Cc}\p{Cs}]{1,100}$/u),
  'an MRN, or `Patient/` and an id of the EHR, of 1 to 100 characters',
  { type: 'string', minLength: 1, maxLength: 100, pattern: '^[^\\u0000-\\u001F\\u007F-\\u009F]*$' },
);
/** Only what a search takes, each bounded. */
const filters = z.strictObject({
  ...AUDIT_FILTERS,
  patient: savedPatient.optional(),
  actor: plainUpTo(100).optional(),
  client: plainUpTo(100).optional(),
  delivery: plainUpTo(100).optional(),
  request: plainUpTo(100).optional(),
});

const AuditSearches = named(
  'AuditSearches',
  z.strictObject({
    searches: z.array(
      z.strictObject({
        id: z.string(),
        name: z.string(),
        search: z.record(z.string(), z.string()).describe('Parameters of GET /admin/api/audit'),
        savedAt: time,
      }),
    ),
  }),
);

const searches = defineContract({
  id: 'audit.searches',
  method: 'get',
  path: '/admin/api/audit/searches',
  summary: 'The searches of the audit that the caller keeps, by name',
  group: 'Audit',
  permission: 'audit.read',
  audited: { kind: 'act', names: ['audit.searches'] },
  answer: AuditSearches,
  answers: 'At most 100; those of others are not shown to anybody',
  errors: [],
});

const saveSearch = defineContract({
  id: 'audit.saveSearch',
  method: 'post',
  path: '/admin/api/audit/searches',
  summary: 'Keep a search of the audit under a name, in place of one of the same name',
  group: 'Audit',
  permission: 'audit.read',
  audited: { kind: 'by-command' },
  body: {
    kind: 'json',
    schema: z.strictObject({
      name: displayName,
      search: taken(filters, 'a JSON object with parameters of GET /admin/api/audit, but for cursor and limit'),
    }),
    bytesMax: 8 * 1_024,
    isRequired: true,
  },
  status: 201,
  answer: named('SavedSearch', z.strictObject({ id: z.string() })),
  answers: 'It is kept, sealed, since it may name a patient',
  errors: ['search.too-many'],
  example: { name: 'Refused last week', search: { outcome: 'refused', from: '2026-01-24T00:00:00Z' } },
});

const removeSearch = defineContract({
  id: 'audit.removeSearch',
  method: 'delete',
  path: '/admin/api/audit/searches/:id',
  summary: 'Forget a search that the caller keeps',
  group: 'Audit',
  permission: 'audit.read',
  audited: { kind: 'by-command' },
  params: z.object({ id: anyId('the id of a saved search') }),
  answer: Removed,
  answers: 'It is gone',
  errors: ['search.not-found'],
});

export const auditCountsContract = {
  'audit.counts': counts,
  'audit.searches': searches,
  'audit.saveSearch': saveSearch,
  'audit.removeSearch': removeSearch,
} as const;
