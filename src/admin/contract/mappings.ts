import { z } from 'zod';
import { defineContract } from './define-contract.ts';
import { anyId, anyObject, anyObjectOrNull, cursor, limit, named, time } from './fields.ts';
import { STATES } from './states.ts';

/** What FHIR misses of a profile or of the definition of an extension. */
const ProfileFindings = z.array(
  named(
    'ProfileFinding',
    z.strictObject({
      rule: z.string().describe('The rule that is broken, as docs/validation.md lists it, or the key of an invariant'),
      at: z.string().describe('FHIRPath of the place'),
      profile: z.string().nullable().describe('The profile that asks for it; null: the definition of an extension'),
      text: z.string(),
    }),
  ),
);

export const Explanation = named(
  'Explanation',
  z.strictObject({
    id: z.string(),
    dataStructure: z.string(),
    documentVersion: z.int(),
    link: z
      .strictObject({ mrnSystem: z.string().optional(), mrn: z.string().optional() })
      .nullable()
      .describe('The patient; null where the source user has no confirmed link'),
    mappings: z.string().describe('Version of the mapping data'),
    dialect: z.string(),
    dialectBecause: z
      .enum(['setting', 'recognised', 'nothing-fits', 'not-asked-yet'])
      .describe('not-asked-yet: the EHR has not said what it is, so it may be written in another dialect'),
    delivery: z
      .strictObject({
        state: z.string(),
        reason: z.string().nullable(),
        faultCode: z.string().nullable().describe('The fault that led to the state, as docs/faults.md lists it'),
        detail: z.string().nullable().describe('What happened and what a person can do about it'),
      })
      .nullable()
      .describe('Where the delivery stands'),
    template: z
      .string()
      .nullable()
      .describe('The template that read it: of the site (custom/) or of the gateway (templates/)'),
    trouble: z
      .string()
      .nullable()
      .describe(
        'Why nothing would be sent: not-ready (the source has not finished the document), unmapped, not-profile (it does not meet a profile that the dialect asks for), implausible, suspicious, unlinked',
      ),
    leftOut: z
      .array(
        z.strictObject({
          at: z.string(),
          why: z.enum(['unmapped', 'implausible']),
          name: z.string(),
          group: z.string(),
          chartDay: z.string().nullable(),
        }),
      )
      .describe('What waits by itself while the rest of the document is written')
      .optional(),
    patient: anyObject.describe('The re-keyed Patient, which serves references'),
    resources: z.array(
      z.strictObject({
        change: z.enum(['create', 'update', 'keep', 'skip', 'retract', 'conflict']),
        name: z.string(),
        resourceType: z.string(),
        group: z.string(),
        chartDay: z.string().nullable(),
        resource: anyObjectOrNull,
        chart: z
          .record(z.string(), z.string())
          .nullable()
          .describe(
            'Of what a parked delivery would withdraw: what stood in the chart when it was parked, part by part; null where nobody has looked',
          ),
        profiles: z.array(z.string()).describe('The profiles that the dialect asks of it'),
        profileFindings: ProfileFindings.describe('What it misses of the profiles; anything here keeps it back'),
      }),
    ),
    provenance: anyObjectOrNull,
    decisions: z.array(
      z.strictObject({
        at: z.string(),
        what: z.string(),
        from: z.string(),
        to: z.string().nullable(),
        row: z.string().nullable().describe('The row of the mapping data'),
        source: z.string().nullable(),
        reviewer: z.string().nullable(),
      }),
    ),
    findings: z.array(z.strictObject({ code: z.string(), at: z.string(), what: z.string().nullable() })),
    issues: z.array(z.string()).describe("Where the source's FHIR, or what was made of it, is not valid R4"),
    claimFindings: ProfileFindings.describe(
      'What the FHIR of the source misses of the profiles that it claims; looked for where CHARTGATE_INCOMING_PROFILES asks for it',
    ),
  }),
);

const Reloaded = named(
  'Reloaded',
  z.strictObject({ version: z.string(), changed: z.enum(['changed', 'same']), templates: z.int() }),
);

/** A word of the source that nobody has mapped. */
export const UnmappedWord = {
  id: z.string().describe('By it the deliveries are found that are parked for it'),
  kind: z.enum(['code', 'context', 'unit', 'structure']),
  what: z.string().describe('As the source says it'),
  dataStructure: z.string(),
} as const;

const UnmappedPage = named(
  'UnmappedPage',
  z.strictObject({
    unmapped: z.array(
      z.strictObject({
        ...UnmappedWord,
        count: z.int(),
        firstAt: time,
        lastAt: time,
        proposals: z
          .array(
            z.strictObject({
              system: z.string(),
              code: z.string(),
              display: z.string().nullable(),
              row: z.string().describe('The row of the mapping data that led to it'),
            }),
          )
          .describe(
            'Codes that it might be, by the words of LOINC’s texts and of what is mapped; nobody reviewed them',
          ),
      }),
    ),
    next: z.string().nullable(),
  }),
);

const explain = defineContract({
  id: 'deliveries.explain',
  method: 'get',
  path: '/admin/api/deliveries/:id/explain',
  summary: 'What would be written for a delivery and why; nothing is sent',
  group: 'Deliveries',
  permission: 'deliveries.read',
  audited: { kind: 'act', names: ['explain'] },
  params: z.object({ id: anyId('the id of a delivery') }),
  answer: Explanation,
  answers: 'The explanation',
  errors: [
    'delivery.not-found',
    'delivery.no-body',
    'delivery.unopenable',
    'payload.shape',
    'payload.identity',
    'payload.foreign-client',
    'template.timeout',
    'template.failed',
    'template.output',
  ],
});

const said = z.record(z.string(), z.string()).nullable();
const changes = defineContract({
  id: 'deliveries.changes',
  method: 'get',
  path: '/admin/api/deliveries/:id/changes',
  summary: 'What a delivery says otherwise than the version before of the same document; nothing is sent',
  description: 'Both versions are translated by the mapping data in force, whatever they were written by.',
  group: 'Deliveries',
  permission: 'deliveries.read',
  audited: { kind: 'act', names: ['changes'] },
  params: z.object({ id: anyId('the id of a delivery') }),
  answer: named(
    'VersionChanges',
    z.strictObject({
      id: z.string(),
      before: z
        .strictObject({ id: z.string(), documentVersion: z.int(), receivedAt: time, state: z.enum(STATES) })
        .nullable()
        .describe('The version before; null where this is the first'),
      changes: z
        .array(
          z.strictObject({
            kind: z.enum(['added', 'changed', 'withdrawn']),
            resourceType: z.string(),
            group: z.string(),
            chartDay: z.string().nullable(),
            what: z.string().nullable().describe('In words, where the resource has any'),
            before: said.describe('Part by part, as in the conflicts of a delivery; null: it was not there'),
            after: said.describe('The same; null: it is not there any more'),
          }),
        )
        .describe('Resource by resource'),
      unchanged: z.int().describe('How many resources say the same'),
    }),
  ),
  answers: 'The difference',
  errors: [
    'delivery.not-found',
    'delivery.no-body',
    'delivery.unopenable',
    'payload.shape',
    'payload.identity',
    'payload.foreign-client',
    'template.timeout',
    'template.failed',
    'template.output',
  ],
});

const unmapped = defineContract({
  id: 'mappings.unmapped',
  method: 'get',
  path: '/admin/api/unmapped',
  summary: 'Words of the source that nobody has mapped, newest first',
  group: 'Mappings',
  permission: 'mappings.read',
  audited: { kind: 'act', names: ['unmapped'] },
  query: z.strictObject({ cursor: cursor.optional(), limit: limit() }),
  answer: UnmappedPage,
  answers: 'A page of them',
  errors: [],
});

const reload = defineContract({
  id: 'mappings.reload',
  method: 'post',
  path: '/admin/api/mappings/reload',
  summary: 'Load mapping data and templates anew',
  group: 'Mappings',
  permission: 'mappings.change',
  audited: { kind: 'act', names: ['mappings reload'] },
  answer: Reloaded,
  answers: 'They are in force',
  errors: ['mappings.unsound'],
});

export const mappingsContract = {
  'deliveries.explain': explain,
  'deliveries.changes': changes,
  'mappings.unmapped': unmapped,
  'mappings.reload': reload,
} as const;
