import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Result } from '../kernel/index.ts';
import { checkText, report, unreadable, type Checked } from './check-text.ts';
import type { Issue } from './issue.ts';
import type { JsonFault } from './json/json-fault.ts';
import { JSON_LIMITS, type JsonLimits } from './json/limits.ts';
import { parseInPieces } from './json/parse-in-pieces.ts';
import type { ItemCheck } from './compiled/load-compiled.ts';
import { isElement } from './runtime/is-element.ts';
import { openScope } from './runtime/bundle-rules.ts';
import type { Context, Json } from './runtime/context.ts';
import { typeOf, type Engine } from './engine.ts';

/** How long one turn of the event loop may be used before others get theirs. */
const TURN_MS = 10;

/** Runs steps, giving way to the event loop whenever a turn is used up. */
async function runSteps<T>(steps: Generator<undefined, T>): Promise<T> {
  for (let since = performance.now(); ;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    if (performance.now() - since < TURN_MS) continue;
    await nextTurn();
    since = performance.now();
  }
}

/** The longest list that stands directly in a resource, and what checks its items. */
interface LongList {
  readonly key: string;
  readonly items: readonly unknown[];
  readonly check: ItemCheck;
  readonly path: string;
}

const LONG = 50;

/** Up to this length one go takes a few milliseconds, and steps would only cost. */
const SMALL = 256 * 1024;

function findLongList(engine: Engine, resource: unknown): LongList | null {
  if (!isElement(resource)) return null;
  let longest: LongList | null = null;
  for (const [key, items] of Object.entries(resource)) {
    if (!Array.isArray(items) || items.length < LONG || (longest !== null && items.length <= longest.items.length))
      continue;
    const path = `${typeOf(resource)}.${key}`;
    const check = engine.compiled.lists.get(path);
    if (check !== undefined) longest = { key, items: items as unknown[], check, path };
  }
  return longest;
}

function enter(resource: unknown, list: LongList, c: Context): void {
  const root = resource as Json;
  c.root = root;
  c.resource = root;
  c.bundle = root['resourceType'] === 'Bundle' ? openScope(root) : null;
  c.doneKey = list.key;
}

function* isValidInSteps(engine: Engine, resource: unknown): Generator<undefined, boolean> {
  const list = findLongList(engine, resource);
  const c = engine.fastContext();
  if (list !== null) {
    enter(resource, list, c);
    for (const item of list.items) {
      if (!list.check.fast(item, c, 1)) return false;
      yield undefined;
    }
  }
  return engine.compiled.fResource(resource, c, 0);
}

function* reportInSteps(engine: Engine, resource: unknown): Generator<undefined, Issue[]> {
  const list = findLongList(engine, resource);
  if (list === null) return report(engine, resource);
  const issues: Issue[] = [];
  const c = engine.reportContext(issues);
  enter(resource, list, c);
  for (let i = 0; i < list.items.length; i++) {
    list.check.report(list.items[i], c, 1, `${list.path}[${i}]`);
    yield undefined;
  }
  engine.compiled.rResource(resource, c, 0, typeOf(resource));
  return issues;
}

function* validateSteps(engine: Engine, resource: unknown): Generator<undefined, Issue[]> {
  if (!engine.wantsWarnings && (yield* isValidInSteps(engine, resource))) return [];
  yield undefined;
  return yield* reportInSteps(engine, resource);
}

/** `validate` that gives way to the event loop between the items of its longest list: the entries of a Bundle. */
export const validateInChunks = (engine: Engine, resource: unknown): Promise<Issue[]> =>
  runSteps(validateSteps(engine, resource));

/** `parseLossless` that gives way to the event loop. */
export const parseInChunks = (
  input: Uint8Array | string,
  limits: Partial<JsonLimits> = {},
): Promise<Result<{ readonly value: unknown; readonly hasMark: boolean }, JsonFault>> =>
  runSteps(parseInPieces(input, { ...JSON_LIMITS, ...limits }));

/**
 * `checkText` piece by piece. Gives way while parsing, and between the items of the root's longest list, but not inside
 * one.
 */
export async function checkInChunks(
  engine: Engine,
  input: Uint8Array | string,
  limits: Partial<JsonLimits> = {},
): Promise<Checked> {
  if (input.length <= SMALL) return checkText(engine, input, limits);
  const parsed = await parseInChunks(input, limits);
  if (!parsed.ok) return unreadable(parsed.fault);
  await nextTurn();
  const { value, hasMark } = parsed.value;
  return { kind: 'read', value, issues: await validateInChunks(engine, value), hasMark };
}
