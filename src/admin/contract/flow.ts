import { z } from 'zod';
import { defineContract } from './define-contract.ts';

const Counts = z.array(z.int()).describe('One number for each point; 0 where nothing happened');
const Quantile = z.array(z.int().nullable()).describe('Milliseconds for each point; null where nothing was measured');
const Times = z.strictObject({ p50: Quantile, p99: Quantile });

const Series = z.strictObject({
  from: z.iso.datetime().describe('When the first point begins'),
  widthSeconds: z.int().describe('How long a point is: 60 or 3600'),
  counts: z.strictObject({
    received: Counts,
    refused: Counts,
    delivered: Counts,
    parked: Counts,
    quarantined: Counts,
    'failed-attempts': Counts,
  }),
  times: z.strictObject({
    lag: Times.describe('From the first byte to the chart'),
    'ehr-latency': Times.describe('One attempt at the EHR'),
  }),
});

const series = defineContract({
  id: 'flow.series',
  method: 'get',
  path: '/admin/api/series',
  summary: 'What happened over the last hour, day or month',
  description:
    'Counts, and how long things took to within 41 %, never too short. Kept by the minute for a day and by the hour for 90 days; the point that is not over yet is the last. What was counted in the last ten seconds may be missing.',
  group: 'Flow',
  permission: 'flow.read',
  audited: { kind: 'later', name: 'series' },
  query: z.strictObject({ span: z.enum(['hour', 'day', 'month']).default('hour') }),
  answer: Series,
  answers: 'Every series',
  errors: [],
});

const Refusals = z.strictObject({
  from: z.iso.datetime().describe('When the first point begins'),
  widthSeconds: z.int().describe('How long a point is: 60 or 3600'),
  total: z.int(),
  refused: z.array(
    z.strictObject({
      reason: z
        .enum([
          'secret',
          'basic',
          'certificate',
          'signature',
          'not-configured',
          'too-large',
          'cut-short',
          'no-room',
          'store',
          'not-json',
          'foreign-client',
        ])
        .describe('not-json and foreign-client: acknowledged, since authentic, and quarantined once it was read'),
      total: z.int(),
      counts: Counts,
    }),
  ),
});

const refusedWebhooks = defineContract({
  id: 'flow.refused',
  method: 'get',
  path: '/admin/api/webhooks/refused',
  summary: 'Why webhooks were refused over the last hour, day or month',
  description:
    'Counts alone: nothing that a sender without a credential says is stored. Kept by the minute for a day and by the hour for 90 days; what was counted in the last ten seconds may be missing.',
  group: 'Flow',
  permission: 'flow.read',
  audited: { kind: 'later', name: 'webhooks.refused' },
  query: z.strictObject({ span: z.enum(['hour', 'day', 'month']).default('day') }),
  answer: Refusals,
  answers: 'Every reason, also those that did not occur',
  errors: [],
});

export const flowContract = { 'flow.series': series, 'flow.refused': refusedWebhooks } as const;
