import type { IncomingMessage } from 'node:http';
import { fail, fault, ok, readBody, type Result } from '../kernel/index.ts';
import { parseLossless } from '../r4/index.ts';

/** Half of a surrogate pair is no character: two texts that differ in it alone would be one once they are written. */
const isWhole = (value: unknown): boolean => {
  if (typeof value === 'string') return value.isWellFormed();
  if (typeof value !== 'object' || value === null) return true;
  return Object.entries(value).every(([name, part]) => name.isWellFormed() && isWhole(part));
};

/**
 * The JSON of a body: UTF-8, no property twice, nothing nested deeper than a person would. Undefined for an empty body.
 */
export async function readJson(request: IncomingMessage, bytesMax: number): Promise<Result<unknown>> {
  const body = await readBody(request, bytesMax);
  if (!body.ok) return body;
  if (body.value.length === 0) return ok(undefined);
  // For what it refuses: its numbers keep their digits, which nobody here counts with.
  if (!parseLossless(body.value).ok) return fail(fault('admin.parameter', { at: '' }));
  const value: unknown = JSON.parse(body.value.toString('utf8'));
  return isWhole(value) ? ok(value) : fail(fault('admin.parameter', { at: '' }));
}
