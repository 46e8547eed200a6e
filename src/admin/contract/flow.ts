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

export const flowContract = { 'flow.series': series } as const;
