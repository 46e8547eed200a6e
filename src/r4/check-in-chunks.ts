import { setImmediate as nextTurn } from 'node:timers/promises';
import { report, unreadable, type Checked } from './check-text.ts';
import type { Issue } from './issue.ts';
import { JSON_LIMITS, type JsonLimits } from './json/limits.ts';
import { parseInPieces } from './json/parse-in-pieces.ts';
import { openScope } from './runtime/bundle-rules.ts';
import type { Context, Json } from './runtime/context.ts';
import type { Engine } from './engine.ts';

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

const entriesOf = (resource: unknown): readonly unknown[] | null => {
  if (typeof resource !== 'object' || resource === null || (resource as Json)['resourceType'] !== 'Bundle') return null;
  const entries = (resource as Json)['entry'];
  return Array.isArray(entries) && entries.length > 0 ? (entries as unknown[]) : null;
};

function enterBundle(bundle: unknown, c: Context): void {
  c.root = bundle as Json;
  c.resource = bundle as Json;
  c.bundle = openScope(bundle as Json);
  c.isEntriesDone = true;
}

function* isValidInSteps(engine: Engine, resource: unknown): Generator<undefined, boolean> {
  const { fEntry, fResource } = engine.compiled;
  const entries = entriesOf(resource);
  const c = engine.fastContext();
  if (entries !== null) {
    enterBundle(resource, c);
    for (const entry of entries) {
      if (!fEntry(entry, c, 1)) return false;
      yield undefined;
    }
  }
  return fResource(resource, c, 0);
}

function* reportInSteps(engine: Engine, resource: unknown): Generator<undefined, Issue[]> {
  const entries = entriesOf(resource);
  if (entries === null) return report(engine, resource);
  const issues: Issue[] = [];
  const c = engine.reportContext(issues);
  enterBundle(resource, c);
  for (let i = 0; i < entries.length; i++) {
    engine.compiled.rEntry(entries[i], c, 1, `Bundle.entry[${i}]`);
    yield undefined;
  }
  engine.compiled.rResource(resource, c, 0, 'Bundle');
  return issues;
}

function* validateSteps(engine: Engine, resource: unknown): Generator<undefined, Issue[]> {
  if (!engine.wantsWarnings && (yield* isValidInSteps(engine, resource))) return [];
  yield undefined;
  return yield* reportInSteps(engine, resource);
}

/** `validate` that gives way to the event loop between the entries of a Bundle. */
export const validateInChunks = (engine: Engine, resource: unknown): Promise<Issue[]> =>
  runSteps(validateSteps(engine, resource));

/** `checkText` that never holds the event loop for long: parses and judges a large text piece by piece. */
export async function checkInChunks(
  engine: Engine,
  input: Uint8Array | string,
  limits: Partial<JsonLimits> = {},
): Promise<Checked> {
  const parsed = await runSteps(parseInPieces(input, { ...JSON_LIMITS, ...limits }));
  if (!parsed.ok) return unreadable(parsed.fault);
  await nextTurn();
  return { kind: 'read', value: parsed.value, issues: await validateInChunks(engine, parsed.value) };
}
