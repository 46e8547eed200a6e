import { z } from 'zod';
import type { FaultCode } from '../../kernel/index.ts';
import { named, taken, time } from './fields.ts';

export const text = (most: number, words = `text of 1 to ${most} characters`) =>
  taken(
    z
      .string()
      .min(1)
      .max(most)
      .refine((given) => !given.includes('\0')),
    words,
  );
export const password = text(200);
export const code = taken(z.string().regex(/^[0-9]{6}$/), 'the six digits that the app shows');
export const body = <S extends z.ZodType>(schema: S) =>
  ({ kind: 'json', schema, bytesMax: 64 * 1_024, isRequired: true }) as const;

export const OpenedSession = named(
  'OpenedSession',
  z.strictObject({
    stage: z
      .enum(['factor', 'enrol', 'signed-in'])
      .describe('What comes next: the second factor, adding one, or nothing'),
    csrf: z.string().describe('For the header X-Chartgate-Csrf of whatever changes something'),
    expiresAt: time,
  }),
);

export const Done = z.strictObject({ state: z.literal('done') });
export const WRONG_TRIES = ['operator.refused', 'operator.too-many'] as const satisfies readonly FaultCode[];
