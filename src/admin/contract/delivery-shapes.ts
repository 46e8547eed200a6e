import { z } from 'zod';
import { named } from './fields.ts';
import { Assignee, Total } from './shapes.ts';
import { STATES } from './states.ts';

/** What every look at a delivery shows. */
const LISTED = {
  id: z.string(),
  hook: z.enum(['data', 'notification']),
  receivedAt: z.string(),
  state: z.enum(STATES),
  reason: z.string().nullable().optional(),
  faultCode: z.string().nullable().describe('The fault that led to the state, as docs/faults.md lists it'),
  detail: z.string().nullable().describe('What happened and what a person can do about it'),
  stateAt: z.string(),
  dataStructure: z.string().nullable().optional(),
  documentVersion: z.int().nullable().optional(),
  bodyBytes: z.int(),
  findings: z.array(z.string()),
  userId: z.string().nullable().describe('The user at the source; null for who may not see patients'),
  mrn: z
    .string()
    .nullable()
    .describe('Of the patient to whom the user has a confirmed link; null for who may not see patients'),
};

export const DeliveryDetail = named(
  'DeliveryDetail',
  z.strictObject({
    ...LISTED,
    requestId: z.string(),
    sender: z.string(),
    duplicateOf: z.string().nullable().optional(),
    hasBody: z.boolean(),
    conflicts: z
      .array(
        z.strictObject({
          resourceType: z.string(),
          name: z.string(),
          versionId: z.string().nullable(),
          seenAt: z.string(),
          ours: z
            .record(z.string(), z.string())
            .nullable()
            .describe(
              'What the document says now, part by part (status, code, subject, time, value, unit, components, interpretation, notes, other); null: it no longer says anything of it',
            ),
          theirs: z
            .record(z.string(), z.string())
            .nullable()
            .describe('What stood in the chart then; null: it was removed'),
        }),
      )
      .describe(
        'Where it is parked as conflict: what somebody else changed, by our name for it (identifier urn:chartgate:measurement); versionId null: removed',
      )
      .optional(),
    withdrawals: z
      .array(
        z.strictObject({
          resourceType: z.string(),
          name: z.string(),
          versionId: z.string().nullable(),
          seenAt: z.string(),
          chart: z
            .record(z.string(), z.string())
            .nullable()
            .describe(
              'What stood in the chart when the delivery was parked, part by part as in conflicts; null: it was removed',
            ),
        }),
      )
      .describe('Where it is parked as suspicious: what it would take out of the chart, up to a hundred resources')
      .optional(),
    assignedTo: Assignee.nullable().describe('Who looks after it'),
    notes: z
      .array(z.strictObject({ at: z.string(), actor: z.string(), text: z.string() }))
      .describe('What operators wrote down, oldest first'),
    attempts: z
      .array(
        z.strictObject({
          id: z.string(),
          kind: z.enum(['deliver', 'retract']).describe('Into the chart, or out of it'),
          startedAt: z.string(),
          endedAt: z.string().nullable().describe('Null while it is under way'),
          durationMs: z.int().nullable(),
          outcome: z
            .string()
            .nullable()
            .describe('delivered, retry, unknown, parked or put-back; lost where nobody ended it'),
          faultCode: z.string().nullable(),
          httpStatus: z.int().nullable().describe('What the EHR answered last; null where it did not'),
          issues: z
            .array(
              z.strictObject({
                code: z.string().describe('Of the OperationOutcome, as FHIR lists them'),
                at: z.string().nullable().describe('The path of the place, where the EHR names one'),
              }),
            )
            .describe('What the EHR said was wrong; never its texts'),
        }),
      )
      .describe('The last 20, newest first'),
    wrote: z
      .array(
        z.strictObject({
          resourceType: z.string(),
          reference: z.string().nullable().describe('At the EHR; null where it is not known, or not for this caller'),
          address: z
            .string()
            .nullable()
            .describe(
              'The same with the base of the EHR, which may ask for a sign-in of its own; null where reference is',
            ),
          versionId: z.string().nullable(),
          writtenAt: z.string(),
          retractedAt: z.string().nullable(),
        }),
      )
      .describe('What it was the last to write; what a later delivery wrote over is shown there'),
    steps: z.array(
      z.strictObject({
        at: z.string(),
        from: z.string().nullable(),
        to: z.enum(STATES),
        reason: z.string().nullable(),
        faultCode: z.string().nullable(),
        actor: z.string(),
      }),
    ),
  }),
);

export const DeliveryPage = named(
  'DeliveryPage',
  z.strictObject({
    deliveries: z.array(named('Delivery', z.strictObject(LISTED))),
    next: z
      .string()
      .nullable()
      .describe('Null at the end. Where several filters meet, a page may hold few or none and yet have a next'),
    total: Total.describe('Only with with_total=true').optional(),
  }),
);
