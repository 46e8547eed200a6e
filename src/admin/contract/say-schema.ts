import type { z } from 'zod';
import { SAID } from './fields.ts';

interface Def {
  readonly type: string;
  readonly innerType?: z.ZodType;
  readonly in?: z.ZodType;
  readonly entries?: Readonly<Record<string, string>>;
  readonly values?: readonly unknown[];
}
const PLAIN: Readonly<Record<string, string>> = {
  boolean: 'true or false',
  int: 'a whole number',
  number: 'a number',
  array: 'a list',
  object: 'a JSON object',
  string: 'a text',
};

/** What a schema takes, in words that follow "must be". Nothing of what was given. */
export function saySchema(schema: z.ZodType): string {
  const said = SAID.get(schema);
  if (said !== undefined) return said.words;
  const def = schema.def as unknown as Def;
  if (def.entries !== undefined) return `one of ${Object.values(def.entries).join(', ')}`;
  if (def.values !== undefined) return `one of ${def.values.join(', ')}`;
  const inner = def.innerType ?? def.in;
  if (inner === undefined) return PLAIN[def.type] ?? 'another value';
  return def.type === 'nullable' ? `${saySchema(inner)}, or null` : saySchema(inner);
}

/** In words, what is taken under a name. */
export const sayField = (name: string, schema: z.ZodType): string => `\`${name}\` must be ${saySchema(schema)}.`;
