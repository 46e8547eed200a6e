import { z } from 'zod';
import { named } from './fields.ts';

export const Accepted = named('Accepted', z.strictObject({ id: z.string() }));

export const Count = named('Count', z.strictObject({ count: z.int() }));

export const Forwarding = named(
  'Forwarding',
  z.strictObject({
    state: z
      .enum(['running', 'shadow', 'held'])
      .describe('held: shadow mode was on, and nobody has confirmed what waits'),
    since: z.string().nullable(),
    waiting: z.int(),
    next: z.string().nullable().describe('What a person can do'),
  }),
);

export const Removed = named('Removed', z.strictObject({ id: z.string(), state: z.literal('removed') }));

export const HistoryChange = named(
  'HistoryChange',
  z.strictObject({
    what: z.string(),
    from: z.string().nullable().describe('Null where it was not there'),
    to: z.string().nullable().describe('Null where it is not there any more'),
  }),
);
