import type { z } from 'zod';
import { HANDLED } from './contract/fields.ts';
import { isHandle } from './contract/handle-shape.ts';
import type { OpenHandle } from './handles.ts';

interface Def {
  readonly innerType?: z.ZodType;
  readonly element?: z.ZodType;
}
/** No field of text takes it, so that the field is named as the problem. */
const FORGED = false;

/** What was given, with the value itself in the place of each handle where the schema marks that one may stand. */
export function openHandles(schema: z.ZodType, given: unknown, open: OpenHandle): unknown {
  const { innerType, element } = schema.def as unknown as Def;
  const handled = HANDLED.get(schema);
  if (handled !== undefined && typeof given === 'string')
    return isHandle(given) ? (open(handled.of, given) ?? FORGED) : given;
  if (innerType !== undefined) return openHandles(innerType, given, open);
  if (typeof given !== 'object' || given === null) return given;
  if (Array.isArray(given)) return element === undefined ? given : given.map((one) => openHandles(element, one, open));
  if (!('shape' in schema)) return given;
  const shape = schema.shape as Readonly<Record<string, z.ZodType>>;
  return Object.fromEntries(
    Object.entries(given).map(([name, value]: [string, unknown]) => {
      const field = Object.hasOwn(shape, name) ? shape[name] : undefined;
      return [name, field === undefined ? value : openHandles(field, value, open)];
    }),
  );
}
