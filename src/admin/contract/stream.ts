import { z } from 'zod';
import { defineContract } from './define-contract.ts';
import { named, time } from './fields.ts';
import { STATES } from './states.ts';

const Rate = z.number().nullable().describe('A second, over the last ten seconds; null before there are two looks');

const FlowNow = named(
  'FlowNow',
  z.strictObject({
    at: time,
    acknowledged: z.int(),
    byState: z.record(z.enum(STATES), z.int()),
    rates: z.strictObject({ received: Rate, delivered: Rate }),
    waiting: z.strictObject({
      deliveries: z.int().describe('Received and not yet in the chart, nor decided otherwise'),
      oldestAt: time.nullable().describe('When the one that waits longest was received'),
    }),
    target: z.strictObject({
      breaker: z.enum(['closed', 'open', 'half-open']),
      forwarding: z.enum(['running', 'shadow', 'held']),
      inFlight: z.int().describe('Requests under way'),
      limit: z.int().describe('How many may be under way at this moment'),
    }),
  }),
);

const NewProblems = named(
  'NewProblems',
  z.strictObject({
    from: time.describe('Later than was asked for, where that was more than an hour ago'),
    to: time,
    problems: z.array(
      z.strictObject({
        state: z.enum(['parked', 'quarantined']),
        reason: z.string().nullable(),
        count: z.int(),
      }),
    ),
    isExact: z.boolean().describe('False where there were more than 10,000'),
  }),
);

const StreamEnd = named(
  'StreamEnd',
  z.strictObject({
    reason: z
      .enum(['stopping', 'signed-out', 'full', 'behind'])
      .describe(
        'The gateway stops; the session or key has ended; too many watch; the watcher takes less than it is sent',
      ),
  }),
);

const stream = defineContract({
  id: 'flow.stream',
  method: 'get',
  path: '/admin/api/stream',
  summary: 'What goes on now, as server-sent events: counts, rates, the breaker, new problems',
  description:
    'An event `flow` when something has changed, at most once a second; `problems` where deliveries were parked or quarantined; `end` before the stream ends. All watchers share one look at the store a second. Whoever comes again with `Last-Event-ID` is told of the problems since then, of the last hour, also by another replica. An open stream is no activity of a session: it goes on while the session is locked, and ends with it. At most 100 watch at once. Nothing in it tells of a patient.',
  group: 'Flow',
  permission: 'flow.read',
  audited: { kind: 'later', name: 'stream' },
  answer: { kind: 'events', events: { flow: FlowNow, problems: NewProblems, end: StreamEnd } },
  answers: 'Events, until either side ends them; a comment every 15 seconds where nothing happens',
  errors: ['admin.watchers'],
});

export const streamContract = { 'flow.stream': stream } as const;
