import { z } from 'zod';
import { defineContract } from './define-contract.ts';
import { anyId, anyObjectOrNull, named } from './fields.ts';
import { Forwarding } from './shapes.ts';

const TargetState = named(
  'TargetState',
  z.strictObject({ id: z.string(), state: z.enum(['paused', 'running', 'shadow', 'held']) }),
);

const Targets = named(
  'Targets',
  z.strictObject({
    targets: z.array(
      z.strictObject({
        id: z.string(),
        state: z.enum(['paused', 'running', 'shadow', 'held']),
        pausedAt: z.string().nullable().optional(),
        pausedBy: z.string().nullable().optional(),
        breaker: z.string(),
        openForMs: z.number().optional(),
        limit: z.int().describe('How many requests may be under way at this moment'),
        inFlight: z.int(),
        concurrency: z
          .strictObject({
            limit: z.int().describe('The best as far as is known'),
            trial: z.int().nullable().describe('Another limit that is in force for a moment, to be compared with it'),
            inFlight: z.int(),
            because: z
              .enum(['untried', 'growing', 'steady', 'queueing', 'overload'])
              .describe(
                'untried: nothing was compared yet. growing: the last trial of more raised throughput. steady: neither more nor less is better. queueing: more at once only took longer, so the limit was lowered. overload: halved, and nothing was compared since',
              ),
            latencyMs: z.number().nullable().describe('Mean time of an answer when the limit was last measured'),
            lastTrial: z
              .strictObject({ from: z.int(), to: z.int(), fromMs: z.number(), toMs: z.number(), gain: z.number() })
              .nullable()
              .describe(
                'Two limits, how long the same mixture of requests took at each, and which share of the change in concurrency became throughput',
              ),
          })
          .describe('What the limit is judged by'),
        probedAt: z.string().nullable().describe('When the EHR last said what it can; null: never'),
        probeFault: z.string().nullable(),
        dialect: z.strictObject({
          name: z.string().nullable().describe('Null while the EHR has not said what it is'),
          because: z.enum(['setting', 'recognised', 'nothing-fits', 'not-asked-yet']),
        }),
        plan: anyObjectOrNull.describe(
          'How it is written to, with the reason of each choice; null while the EHR has not said what it can',
        ),
        habits: z
          .strictObject({
            changes: z
              .record(z.string(), z.array(z.string()))
              .describe('By type, the parts of the content that it gives back otherwise'),
            search: z.enum(['immediate', 'delayed', 'not seen yet']),
            unmetConditions: z
              .record(z.string(), z.int())
              .describe(
                'By type and search parameter (`Encounter.location`), how many entries it found for apps since the start that do not meet it by any reading of R4; they were left out',
              ),
          })
          .describe('What it was seen to do with what it is given'),
        waiting: z.strictObject({
          lanes: z.int().describe('Patients for whom something waits, counted up to 10,000'),
          isExact: z.boolean().describe('False: more lanes wait than were counted'),
          jobs: z.int(),
          oldestAt: z.string().nullable(),
          retractionsParked: z.int().describe('Documents that must leave a chart and cannot'),
          leftOut: z
            .int()
            .describe(
              'Deliveries of which a part was left out and still waits for mapping data or a person, among the last 1,000',
            ),
        }),
        forwarding: Forwarding,
      }),
    ),
  }),
);

const list = defineContract({
  id: 'targets.list',
  method: 'get',
  path: '/admin/api/targets',
  summary: 'The EHR: what it can, how it is written to and why, whether it is left alone, what waits for it',
  group: 'Targets',
  permission: 'targets.read',
  audited: { kind: 'later', name: 'targets' },
  answer: Targets,
  answers: 'The targets',
  errors: [],
});

const pause = defineContract({
  id: 'targets.pause',
  method: 'post',
  path: '/admin/api/targets/:id/pause',
  summary: 'Stop sending to the EHR; deliveries wait in their lanes',
  group: 'Targets',
  permission: 'targets.act',
  audited: { kind: 'by-command' },
  params: z.object({ id: anyId('the id of a target') }),
  answer: TargetState,
  answers: 'Its state',
  errors: ['target.not-found'],
});

const resume = defineContract({
  id: 'targets.resume',
  method: 'post',
  path: '/admin/api/targets/:id/resume',
  summary: 'Go on',
  group: 'Targets',
  permission: 'targets.act',
  audited: { kind: 'by-command' },
  params: z.object({ id: anyId('the id of a target') }),
  answer: TargetState,
  answers: 'Its state',
  errors: ['target.not-found'],
});

export const targetsContract = { 'targets.list': list, 'targets.pause': pause, 'targets.resume': resume } as const;
