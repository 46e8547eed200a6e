import { fileBeside, makeAskThread } from '../kernel/index.ts';
import { checkInChunks, validateInChunks } from './check-in-chunks.ts';
import { checkText, report, type Checked } from './check-text.ts';
import type { Issue } from './issue.ts';
import type { JsonLimits } from './json/limits.ts';
import type { Judged, Question } from './elsewhere/judged.ts';
import { loadEngine, type ValidatorOptions } from './engine.ts';

export interface Validator {
  /** True when the resource has no error. Takes anything, never throws, builds nothing. */
  isValid(resource: unknown): boolean;
  /** Every finding. Takes what `JSON.parse` or `parseLossless` gave. */
  validate(resource: unknown): Issue[];
  /** As `validate`, giving way to the event loop between the entries of a Bundle. */
  validateInChunks(resource: unknown): Promise<Issue[]>;
  /** Lossless parse and every check, on the text as it came. */
  checkText(input: Uint8Array | string, limits?: Partial<JsonLimits>): Checked;
  /** As `checkText` for large texts, giving way to the event loop. One huge nested list is still judged in one go. */
  checkInChunks(input: Uint8Array | string, limits?: Partial<JsonLimits>): Promise<Checked>;
  /**
   * As `checkText` in a thread of its own: the event loop is held for the copy of the bytes alone, whatever their
   * shape.
   */
  checkElsewhere(input: Uint8Array, limits?: Partial<JsonLimits>): Promise<Judged>;
}

/**
 * Boot only: the first use on a machine generates the code (a quarter of a second), later ones load it (about 50 ms).
 */
export function loadValidator(options: ValidatorOptions = {}): Validator {
  const engine = loadEngine(options);
  const isValid = (resource: unknown): boolean => engine.compiled.fResource(resource, engine.fastContext(), 0);
  const { guides, ...plain } = options;
  const ask = makeAskThread<Question, Judged>(fileBeside(import.meta.url, './elsewhere/check-thread'), plain);
  return {
    isValid,
    validate: (resource) => (!engine.wantsWarnings && isValid(resource) ? [] : report(engine, resource)),
    validateInChunks: (resource) => validateInChunks(engine, resource),
    checkText: (input, limits) => checkText(engine, input, limits),
    checkInChunks: (input, limits) => checkInChunks(engine, input, limits),
    // What guides ask for cannot be handed to a thread; it is judged here, in chunks.
    checkElsewhere: (bytes, limits = {}) =>
      guides === undefined ? ask({ bytes, limits }) : checkInChunks(engine, bytes, limits),
  };
}
