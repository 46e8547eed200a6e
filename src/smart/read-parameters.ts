import type { Pairs } from '../ehr/index.ts';
import { fail, fault, isObject, ok, readBody, type Ask, type Result } from '../kernel/index.ts';
import { parseLossless } from '../r4/index.ts';
import { formOf } from './answer-search.ts';
import { LIMITS } from './parse-search.ts';
import type { Json } from './whose.ts';

const JSON_BODY = /^(application\/fhir\+json|application\/json)\s*(;\s*charset="?utf-8"?\s*)?;?$/i;
const BODY_BYTES_MAX = 16 * 1024;

const bad = () => fail(fault('read.body'));
const escaped = (text: string): string => text.replace(/[\\,|$]/g, '\\$&');
const objects = (value: unknown): Json[] => (Array.isArray(value) ? (value as unknown[]).filter(isObject) : []);

/** A coding as a search writes it. */
const tokenOf = ({ system, code }: Json): string | null =>
  typeof code === 'string' ? `${typeof system === 'string' ? `${escaped(system)}|` : ''}${escaped(code)}` : null;

/** A parameter's value as an address would say it; null for what has no such form. */
function textOf(parameter: Json): string | null {
  const [[name, value] = ['', null], ...more] = Object.entries(parameter).filter(([key]) => key.startsWith('value'));
  if (more.length > 0) return null;
  if (typeof value === 'string') return value;
  if (typeof value === 'boolean') return String(value);
  if (isObject(value) && name === 'valueReference')
    return typeof value['reference'] === 'string' ? value['reference'] : null;
  if (isObject(value) && name === 'valueCoding') return tokenOf(value);
  if (isObject(value) && name === 'valueCodeableConcept') {
    const tokens = objects(value['coding']).map(tokenOf);
    return tokens.length === 0 || tokens.includes(null) ? null : tokens.join(',');
  }
  // A number, whatever keeps its digits.
  const printed = JSON.stringify(value);
  return name !== '' && /^\d{1,9}$/.test(printed) ? printed : null;
}

/**
 * What is asked of an operation: the address, and the body of a POST as a Parameters resource or as a form. All of it
 * counts, and is read alike.
 */
export async function readParameters(ask: Ask, pairs: Pairs): Promise<Result<Pairs>> {
  if (ask.request.method !== 'POST') return ok(pairs);
  if (!JSON_BODY.test(ask.request.headers['content-type'] ?? '')) return formOf(ask, pairs);
  const body = await readBody(ask.request, BODY_BYTES_MAX);
  if (!body.ok) return body;
  const read = parseLossless(body.value);
  if (!read.ok || !isObject(read.value) || read.value['resourceType'] !== 'Parameters') return bad();
  const given: unknown = read.value['parameter'] ?? [];
  if (!Array.isArray(given) || given.length > LIMITS.pairsMax) return bad();
  const all: [string, string][] = pairs.map(([name, value]) => [name, value]);
  for (const one of given as unknown[]) {
    const text = isObject(one) ? textOf(one) : null;
    if (!isObject(one) || typeof one['name'] !== 'string' || text === null) return bad();
    all.push([one['name'], text]);
  }
  return ok(all);
}
