import { fail, ok, type Result } from '../../kernel/index.ts';
import { findCuts, type Cut } from './find-cuts.ts';
import { jsonFault, type JsonFault } from './json-fault.ts';
import type { JsonLimits } from './limits.ts';
import { explain, isWithin, parseLossless } from './parse-lossless.ts';
import { readText, type Text } from './read-text.ts';
import { newScan, scanOn } from './scan-bytes.ts';

const STEP_BYTES = 256 * 1024;
const ARRAY_BYTES_MIN = 128 * 1024;

/** A piece was scanned with the whole; it needs no limits of its own. */
const UNLIMITED = { bytesMax: Infinity, depthMax: Infinity, tokensMax: Infinity, keysMax: Infinity };

function* checkLimits({ text, bytes }: Text, limits: JsonLimits): Generator<undefined, JsonFault | null> {
  const scan = newScan();
  for (let at = 0; at < bytes.length;) {
    const from = at;
    at = scanOn(bytes, at, Math.min(at + STEP_BYTES, bytes.length), scan);
    if (!isWithin(scan, limits)) {
      const [rule, what] =
        scan.depth > limits.depthMax
          ? (['json-depth', `is nested deeper than ${limits.depthMax}`] as const)
          : scan.keysOfOne > limits.keysMax
            ? (['json-keys', `has an object with more than ${limits.keysMax} properties`] as const)
            : (['json-tokens', `holds more than ${limits.tokensMax} values`] as const);
      return jsonFault(rule, `The text ${what}, after this place`, text, bytes.toString('utf8', 0, from).length);
    }
    yield undefined;
  }
  return null;
}

/** The fault of a piece, placed in the whole. `start` is where the piece stands, `added` what was put before it. */
function placeFault(fault: JsonFault, { text, bytes }: Text, start: number, added: number): JsonFault {
  const offset = bytes.toString('utf8', 0, start).length + fault.offset - added;
  return jsonFault(fault.rule, fault.text.replace(/ \(line.*$/, ''), text, Math.max(0, offset));
}

/** Fills one long array, a batch of elements at a time. */
function* fill(into: unknown[], cut: Cut, whole: Text): Generator<undefined, JsonFault | null> {
  let start = cut.start;
  const ends = [...cut.commas, cut.end];
  for (let i = 0; i < ends.length; i++) {
    const end = ends[i] ?? cut.end;
    if (end - start < STEP_BYTES && i < ends.length - 1 && (ends[i + 1] ?? 0) - start < STEP_BYTES) continue;
    const batch = parseLossless(`[${whole.bytes.toString('utf8', start, end)}]`, UNLIMITED);
    if (!batch.ok) return placeFault(batch.fault, whole, start, 1);
    for (const item of batch.value as unknown[]) into.push(item);
    start = end + 1;
    yield undefined;
  }
  return null;
}

function follow(root: unknown, path: Cut['path']): unknown {
  return path.reduce<unknown>(
    (at, step) => (typeof at === 'object' && at !== null ? (at as Record<string | number, unknown>)[step] : undefined),
    root,
  );
}

/**
 * `parseLossless` for large texts, as steps that each take some milliseconds: the long arrays are parsed in batches,
 * then the rest. The caller decides what happens between the steps.
 */
export function* parseInPieces(
  input: Uint8Array | string,
  limits: JsonLimits,
): Generator<undefined, Result<{ readonly value: unknown; readonly hasMark: boolean }, JsonFault>> {
  const read = readText(input, limits);
  if (!read.ok) return read;
  const whole = read.value;
  yield undefined;
  const refused = yield* checkLimits(whole, limits);
  if (refused !== null) return fail(refused);
  const cuts = yield* findCuts(whole.bytes, ARRAY_BYTES_MIN);
  const parts: string[] = [];
  let at = 0;
  for (const cut of cuts) {
    parts.push(whole.bytes.toString('utf8', at, cut.start));
    at = cut.end;
  }
  parts.push(whole.bytes.toString('utf8', at, whole.bytes.length));
  const root = parseLossless(parts.join(''), UNLIMITED);
  if (!root.ok) return fail(explain(whole.text, limits));
  yield undefined;
  for (const cut of cuts) {
    const array = follow(root.value, cut.path);
    if (!Array.isArray(array)) return fail(explain(whole.text, limits));
    const broken = yield* fill(array as unknown[], cut, whole);
    if (broken !== null) return fail(broken);
  }
  return ok({ value: root.value, hasMark: whole.hasMark });
}
