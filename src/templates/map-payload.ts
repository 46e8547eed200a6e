import { isResourceType, parseLossless } from '../r4/index.ts';
import { evaluate } from './evaluate.ts';
import { findUnitWithoutValue } from './find-unit-without-value.ts';
import { keepNumbers } from './kept-number.ts';
import { measure } from './measure.ts';
import { refusal } from './refusal.ts';
import type { Template } from './template.ts';

export type Part = 'key' | 'resources';

export interface OutputLimits {
  readonly resourcesMax: number;
  readonly bytesMax: number;
}

/** Crosses between the threads as text: a message would lose the digits. */
export interface Question {
  readonly template: Pick<Template, Part>;
  readonly payload: string;
  readonly limits: OutputLimits;
}

export type Mapping =
  | { readonly kind: 'mapped'; readonly key: string; readonly resources: string }
  | { readonly kind: 'failed'; readonly part: Part; readonly code: string; readonly position: number }
  /** `at` is a place below `resources`, where there is one: `[3].valueQuantity`. */
  | { readonly kind: 'output'; readonly part: Part; readonly at: string | null };

const KEY_CHARACTERS_MAX = 1_000;

function failed(part: Part, thrown: unknown): Mapping {
  const { code, name, position } = (thrown ?? {}) as { code?: unknown; name?: unknown; position?: unknown };
  const word = typeof code === 'string' ? code : typeof name === 'string' ? name : 'unknown';
  return { kind: 'failed', part, code: word, position: typeof position === 'number' ? position : 0 };
}

function readPayload(text: string, bytesMax: number): unknown {
  const parsed = parseLossless(text, { bytesMax });
  if (!parsed.ok) throw refusal('C0004');
  return keepNumbers(parsed.value);
}

function checkResources(made: unknown, { resourcesMax, bytesMax }: OutputLimits): { at: string | null } | string {
  // JSONata makes no difference between one thing and a list of one.
  const list: unknown[] = Array.isArray(made) ? made : [made];
  if (list.length > resourcesMax || measure(list, bytesMax) === 'too-large') return { at: null };
  const wrong = list.findIndex((one) => {
    const type = (one as { resourceType?: unknown } | null | undefined)?.resourceType;
    return typeof type !== 'string' || !isResourceType(type) || measure(one, bytesMax) !== 'fits';
  });
  if (wrong !== -1) return { at: Array.isArray(made) ? `[${wrong}]` : null };
  const valueless = findUnitWithoutValue(list, '');
  if (valueless !== null) return { at: valueless };
  const text = JSON.stringify(list);
  return Buffer.byteLength(text) > bytesMax ? { at: null } : text;
}

/** Runs a template in this thread. Reads the payload anew for each expression, since one may spoil it. */
export async function mapPayload({ template, payload, limits }: Question): Promise<Mapping> {
  let part: Part = 'key';
  try {
    const key = await evaluate(template.key, readPayload(payload, limits.bytesMax));
    if (typeof key !== 'string' || key === '' || key.length > KEY_CHARACTERS_MAX)
      return { kind: 'output', part, at: null };
    part = 'resources';
    const checked = checkResources(await evaluate(template.resources, readPayload(payload, limits.bytesMax)), limits);
    return typeof checked === 'string'
      ? { kind: 'mapped', key, resources: checked }
      : { kind: 'output', part, ...checked };
  } catch (thrown) {
    return failed(part, thrown);
  }
}
