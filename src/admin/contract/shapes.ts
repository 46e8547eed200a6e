import { z } from 'zod';
import { named } from './fields.ts';

export const Accepted = named('Accepted', z.strictObject({ id: z.string() }));

export const Count = named('Count', z.strictObject({ count: z.int() }));

export const Assignee = named(
  'Assignee',
  z.strictObject({ id: z.string(), name: z.string().nullable().describe('null: the account is gone') }),
);

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

/** Whether an app or a person is let in. */
export const Disabled = z.strictObject({ id: z.string(), state: z.literal('disabled') });
export const Enabled = z.strictObject({ id: z.string(), state: z.literal('active') });

export const Removed = named('Removed', z.strictObject({ id: z.string(), state: z.literal('removed') }));

/** Counted exactly up to ten thousand. */
export const Total = named(
  'Total',
  z.strictObject({
    count: z.int(),
    isExact: z.boolean().describe('False: there are more than `count`, or there may be'),
  }),
);

export const HistoryChange = named(
  'HistoryChange',
  z.strictObject({
    what: z.string(),
    from: z.string().nullable().describe('Null where it was not there'),
    to: z.string().nullable().describe('Null where it is not there any more'),
  }),
);
