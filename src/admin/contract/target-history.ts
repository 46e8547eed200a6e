import { z } from 'zod';
import { defineContract } from './define-contract.ts';
import { anyId, cursor, limit, named, time } from './fields.ts';
import { HistoryChange } from './shapes.ts';

const Probe = named(
  'Probe',
  z.strictObject({
    firstAt: time,
    lastAt: time.describe('The last time that the same was found'),
    count: z.int().describe('How many times in a row the same was found'),
    by: z.string().describe('gateway: by itself, at its start and every hour; else whoever asked'),
    outcome: z.enum(['ok', 'failed']),
    faultCode: z.string().nullable().describe('Why it failed, as docs/faults.md lists it'),
    changes: z.array(HistoryChange).describe('Against the last probe before it that succeeded'),
  }),
);

const WaitingLanes = named(
  'WaitingLanes',
  z.strictObject({
    waiting: z.strictObject({
      lanes: z.int().describe('Counted up to 10,000'),
      isExact: z.boolean().describe('False: more lanes wait than were counted'),
      jobs: z.int(),
      oldestAt: z.string().nullable(),
    }),
    lanes: z.array(
      z.strictObject({
        mrn: z.string().nullable().describe('For whoever may read patients; else null'),
        kind: z.enum(['deliver', 'retract']).describe('What the oldest is: to be written, or to leave the chart'),
        deliveryId: z.string(),
        since: time.describe('When the oldest was received'),
        jobs: z.int().describe('How much waits in this lane'),
        why: z
          .enum(['sending', 'paused', 'shadow', 'held', 'breaker', 'not-probed', 'retraction', 'retry', 'turn'])
          .describe(
            'sending: under way. paused, shadow, held: nothing is sent now. breaker: the EHR is left alone. not-probed: it has not said what it can. retraction: the document must leave another chart first. retry: after a failed attempt, not before nextAt. turn: it is next',
          ),
        attempts: z.int(),
        faultCode: z.string().nullable().describe('Of the last attempt, as docs/faults.md lists it'),
        nextAt: z.string().nullable(),
      }),
    ),
    next: z.string().nullable(),
  }),
);

const id = z.object({ id: anyId('the id of a target') });

const probe = defineContract({
  id: 'targets.probe',
  method: 'post',
  path: '/admin/api/targets/:id/probe',
  summary: 'Ask the EHR now what it can, and wait for the answer',
  description: 'Reads alone. Whoever asks while a probe is under way is told of that one.',
  group: 'Targets',
  permission: 'targets.act',
  audited: { kind: 'act', names: ['target probe'] },
  params: id,
  answer: Probe,
  answers: 'What was found; a failed probe is an answer too',
  errors: ['target.not-found'],
});

const probes = defineContract({
  id: 'targets.probes',
  method: 'get',
  path: '/admin/api/targets/:id/probes',
  summary: 'What each probe of the EHR found, and what had changed, newest first',
  description: 'Probes in a row that found the same are one entry. The last 500 entries are kept.',
  group: 'Targets',
  permission: 'targets.read',
  audited: { kind: 'later', name: 'target probes' },
  params: id,
  query: z.strictObject({ cursor: cursor.optional(), limit: limit() }),
  answer: z.strictObject({ probes: z.array(Probe), next: z.string().nullable() }),
  answers: 'A page of them',
  errors: ['target.not-found'],
});

const lanes = defineContract({
  id: 'targets.lanes',
  method: 'get',
  path: '/admin/api/targets/:id/lanes',
  summary: 'Patients whose deliveries wait for the EHR, the longest wait first, and why',
  description:
    'A page may be shorter than `limit` and lead on all the same: a long backlog is looked through part by part.',
  group: 'Targets',
  permission: 'targets.read',
  audited: { kind: 'act', names: ['target lanes'] },
  params: id,
  query: z.strictObject({ cursor: cursor.optional(), limit: limit() }),
  answer: WaitingLanes,
  answers: 'A page of them, and how many wait in all',
  errors: ['target.not-found'],
});

export const targetHistoryContract = {
  'targets.probe': probe,
  'targets.probes': probes,
  'targets.lanes': lanes,
} as const;
