import { z } from 'zod';
import { defineContract } from './define-contract.ts';
import { anyObject, cursor, instant, limit, limitUpTo, mrnLike, named, plain, taken } from './fields.ts';

const AuditRecord = named(
  'AuditRecord',
  z.strictObject({
    chain: z.string(),
    at: z.string(),
    type: z.string(),
    tenant: z.string(),
    requestId: z.string(),
    action: z.string(),
    outcome: z.string(),
    why: z.string().optional(),
    reason: z.string().optional().describe('What the caller said they wanted it for'),
    actor: z.string().optional(),
    addressHash: z.string().optional(),
    operatorId: z.string().optional().describe('The operator or API key that the act was about'),
    roles: z.array(z.string()).optional().describe('What the person was allowed by, at that time'),
    deliveryId: z.string().optional(),
    linkId: z.string().optional(),
    attemptId: z.string().optional(),
    userHash: z.string().optional(),
    patientHash: z.string().optional(),
    chartHash: z.string().optional(),
    subjectHash: z.string().optional(),
    resourceHash: z.string().optional(),
    bodyDigest: z.string().optional(),
    from: z.string().optional(),
    to: z.string().optional(),
    steps: z
      .array(z.strictObject({ from: z.string(), to: z.string(), why: z.string().optional() }))
      .optional()
      .describe("Every change of the delivery's state that was written with this record, in their order"),
    client: z.string().optional(),
    issuer: z.string().optional(),
    tokenId: z.string().optional(),
    interaction: z.string().optional(),
    resourceType: z.string().optional(),
    traceId: z.string().optional(),
    version: z.string().optional(),
    seq: z.int(),
    count: z.int().optional(),
    counts: anyObject.optional(),
    settings: anyObject.optional(),
    resources: z.array(z.string()).optional(),
    changed: z.array(z.string()).optional(),
    hasSealed: z.boolean(),
  }),
);

const AuditPage = named('AuditPage', z.strictObject({ records: z.array(AuditRecord), next: z.string().nullable() }));

const hash = z.string().describe('SHA-256, hexadecimal');

const ProvenRecord = named(
  'ProvenRecord',
  z.strictObject({
    record: AuditRecord,
    proof: z.strictObject({
      state: z
        .enum(['proven', 'waiting', 'broken'])
        .describe(
          'proven: it and all that follows lead to a head that a checkpoint signed. waiting: it fits into its chain, and no checkpoint covers it yet. broken: something of that does not fit',
        ),
      leaf: hash.describe('SHA-256 of the record, hexadecimal'),
      previous: hash.nullable().describe('What the chain had come to before; null where that was exported and is gone'),
      link: hash.describe('What the chain has come to with it'),
      checkpoint: z
        .strictObject({
          n: z.int(),
          at: z.string(),
          records: z.int().describe('How many records it signs, of all chains'),
          root: hash.nullable().describe('Null where none of our keys signed it'),
          note: z.string().describe('The checkpoint as it was signed'),
        })
        .nullable(),
    }),
  }),
);

const AuditVerified = named(
  'AuditVerified',
  z.strictObject({
    sound: z.boolean(),
    flaw: z
      .strictObject({
        what: z.string(),
        chain: z.string().nullable(),
        seq: z.int().nullable(),
        checkpoint: z.int().nullable(),
      })
      .nullable(),
    records: z.int(),
    proven: z.int(),
    chains: z.int(),
    checkpoints: z.int(),
    lastCheckpointAt: z.string().nullable(),
    unproven: z.array(z.strictObject({ chain: z.string(), from: z.int(), to: z.int() })),
    anchor: z.enum(['none', 'read', 'unreadable']),
    anchoredUntil: z.int().nullable(),
    key: z.string().nullable(),
    segments: z.array(z.strictObject({ upto: z.int(), digest: z.string() })),
  }),
);

export const auditPatient = mrnLike(
  z.string().regex(/^[^\p{Cc}\p{Cs}]*$/u),
  'an MRN, or `Patient/` and an id of the EHR',
  {
    type: 'string',
    pattern: '^[^\\u0000-\\u001F\\u007F-\\u009F]*$',
  },
);

export const AUDIT_FILTERS = {
  patient: auditPatient.optional(),
  actor: plain('the name of an operator or of an API key')
    .describe('Who acted, as records name them; what the gateway does by itself is not found by it')
    .optional(),
  client: plain().optional(),
  delivery: plain().optional(),
  request: plain().optional(),
  type: z
    .enum([
      'hook.accept',
      'hook.reject',
      'delivery.change',
      'link.change',
      'ehr.read',
      'ehr.write',
      'fhir.read',
      'fhir.search',
      'fhir.validate',
      'fhir.subscribe',
      'fhir.notify',
      'fhir.export',
      'fhir.deny',
      'auth.sign-in',
      'auth.grant',
      'auth.reject',
      'operator.sign-in',
      'admin',
      'config',
      'process',
    ])
    .optional(),
  outcome: z.enum(['0', '4', '8', '12', 'refused']).optional(),
  from: instant.describe('An instant with its zone').optional(),
  to: instant.describe('An instant with its zone').optional(),
};

/** Of an export, the most lines of one answer. */
export const EXPORT_MOST = 1_000;

const search = defineContract({
  id: 'audit.search',
  method: 'get',
  path: '/admin/api/audit',
  summary: 'Who saw or wrote what: audit records, newest first',
  group: 'Audit',
  permission: 'audit.read',
  audited: { kind: 'act', names: ['audit.search'] },
  query: z.strictObject({
    ...AUDIT_FILTERS,
    cursor: cursor.optional(),
    limit: limit(),
  }),
  answer: AuditPage,
  answers: 'A page; next is the cursor of the next one',
  errors: [],
});

const get = defineContract({
  id: 'audit.get',
  method: 'get',
  path: '/admin/api/audit/records/:chain/:seq',
  summary: 'One record, what it stands on, and the signed checkpoint that holds it',
  group: 'Audit',
  permission: 'audit.read',
  audited: { kind: 'act', names: ['audit.record'] },
  params: z.object({
    chain: taken(z.string().regex(/^[\w.-]{1,64}$/), 'the name of a chain, as records have it'),
    seq: taken(z.string().regex(/^[1-9]\d{0,14}$/), 'the number of the record in its chain'),
  }),
  answer: ProvenRecord,
  answers: 'The record and its proof',
  errors: ['audit.not-found'],
});

const key = defineContract({
  id: 'audit.key',
  method: 'get',
  path: '/admin/api/audit/key',
  summary: 'The public key of the checkpoints, those before it, and the last checkpoint',
  group: 'Audit',
  permission: 'audit.read',
  audited: { kind: 'act', names: ['audit.key'] },
  answer: z.strictObject({
    key: z.string(),
    earlier: z.array(z.strictObject({ key: z.string(), until: z.int() })),
    checkpoint: z.string().nullable(),
  }),
  answers: "The key as C2SP's signed-note writes it",
  errors: [],
});

const verify = defineContract({
  id: 'audit.verify',
  method: 'get',
  path: '/admin/api/audit/verify',
  summary: 'Recomputes every record, link, root and signature',
  group: 'Audit',
  permission: 'audit.read',
  audited: { kind: 'act', names: ['audit.verify'] },
  answer: AuditVerified,
  answers: 'Sound, or the first thing that is not',
  errors: [],
});

const verifying = defineContract({
  id: 'audit.verifying',
  method: 'get',
  path: '/admin/api/audit/verify/progress',
  summary: 'How far the verification is that runs now, as the process that is asked knows it',
  group: 'Audit',
  permission: 'audit.read',
  audited: { kind: 'no', because: 'it tells how far a recorded act is, and nothing that was found' },
  answer: z.strictObject({
    running: z
      .strictObject({ records: z.int(), total: z.int().describe('Those of the last checkpoint; about as many') })
      .nullable(),
  }),
  answers: 'Records read so far; null where none runs',
  errors: [],
});

const exportLines = defineContract({
  id: 'audit.export',
  method: 'get',
  path: '/admin/api/audit/export',
  summary:
    'AuditEvents of IHE BALP, a table as CSV, or everything with its proofs, one a line; the header Next-Cursor leads on',
  group: 'Audit',
  permission: 'audit.export',
  proof: 'second',
  audited: {
    kind: 'act',
    names: ['audit.export-sealed', 'audit.export-open', 'audit.export-csv', 'audit.export-records'],
  },
  query: z.strictObject({
    ...AUDIT_FILTERS,
    cursor: cursor.optional(),
    limit: limitUpTo(EXPORT_MOST).optional(),
    form: z
      .enum(['events', 'csv', 'records'])
      .default('events')
      .describe('With records no other parameter than cursor goes; csv leaves out what was sealed'),
    particulars: z.enum(['sealed', 'open']).optional().describe('open: with what was sealed; default: sealed'),
  }),
  answer: { kind: 'lines', types: ['application/fhir+ndjson', 'application/x-ndjson', 'text/csv'] },
  answers: 'form=events (the default); form=records as application/x-ndjson; form=csv as text/csv',
  errors: [],
});

export const auditContract = {
  'audit.search': search,
  'audit.get': get,
  'audit.key': key,
  'audit.verify': verify,
  'audit.verifying': verifying,
  'audit.export': exportLines,
} as const;
