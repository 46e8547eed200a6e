import { isDeepStrictEqual } from 'node:util';
import { fail, fault, isObject, ok, type Result } from '../kernel/index.ts';

type Json = Record<string, unknown>;
type Place = { readonly list: unknown[]; readonly index: number } | { readonly object: Json; readonly key: string };

const OPERATIONS_MAX = 100;
const POINTER = /^(?:\/(?:[^/~]|~[01])*)*$/;
const INDEX = /^(?:0|[1-9]\d{0,5})$/;

class Impossible extends Error {}
function refuse(): never {
  throw new Impossible();
}

/** The steps of a JSON Pointer (RFC 6901). */
const stepsOf = (pointer: unknown): readonly string[] =>
  typeof pointer === 'string' && POINTER.test(pointer)
    ? pointer
        .split('/')
        .slice(1)
        .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
    : refuse();

function placeIn(parent: unknown, step: string): Place {
  if (Array.isArray(parent)) {
    const list: unknown[] = parent;
    if (step === '-') return { list, index: list.length };
    return INDEX.test(step) ? { list, index: Number(step) } : refuse();
  }
  // A name of a resource's own: nothing that every object inherits, and nothing that would change what it inherits.
  return isObject(parent) && step !== '__proto__' ? { object: parent, key: step } : refuse();
}

function valueAt(place: Place): unknown {
  if ('list' in place) return place.index < place.list.length ? place.list[place.index] : refuse();
  return Object.hasOwn(place.object, place.key) ? place.object[place.key] : refuse();
}

/**
 * A copy of a resource, changed by a JSON Patch (RFC 6902): by all operations in their order, or by none.
 * The whole resource can be tested and copied, and not be replaced, moved or removed.
 */
export function applyJsonPatch(resource: Readonly<Json>, patch: unknown): Result<Readonly<Json>> {
  if (!Array.isArray(patch) || patch.length > OPERATIONS_MAX)
    return fail(fault('subscription.patch', { detail: `Send a list of at most ${OPERATIONS_MAX} operations.` }));
  const root = structuredClone(resource) as Json;

  const find = (pointer: unknown): Place => {
    const steps = stepsOf(pointer);
    const last = steps.at(-1) ?? refuse();
    return placeIn(
      steps.slice(0, -1).reduce<unknown>((at, step) => valueAt(placeIn(at, step)), root),
      last,
    );
  };
  const get = (pointer: unknown): unknown => (pointer === '' ? root : valueAt(find(pointer)));
  const remove = (pointer: unknown): void => {
    const place = find(pointer);
    valueAt(place);
    if ('list' in place) place.list.splice(place.index, 1);
    else Reflect.deleteProperty(place.object, place.key);
  };
  const add = (pointer: unknown, value: unknown): void => {
    const place = find(pointer);
    if (!('list' in place)) place.object[place.key] = value;
    else if (place.index > place.list.length) refuse();
    else place.list.splice(place.index, 0, value);
  };
  const valueOf = (operation: Readonly<Json>): unknown =>
    Object.hasOwn(operation, 'value') ? structuredClone(operation['value']) : refuse();

  const move = (from: unknown, path: unknown): void => {
    const [to, source] = [stepsOf(path), stepsOf(from)];
    // Nothing moves into itself.
    if (to.length > source.length && source.every((step, i) => step === to[i])) refuse();
    const value = get(from);
    remove(from);
    add(path, value);
  };
  const operations: Readonly<Record<string, (operation: Readonly<Json>) => void>> = {
    add: (one) => {
      add(one['path'], valueOf(one));
    },
    remove: (one) => {
      remove(one['path']);
    },
    replace: (one) => {
      remove(one['path']);
      add(one['path'], valueOf(one));
    },
    move: (one) => {
      move(one['from'], one['path']);
    },
    copy: (one) => {
      add(one['path'], structuredClone(get(one['from'])));
    },
    test: (one) => {
      if (!isDeepStrictEqual(get(one['path']), valueOf(one))) refuse();
    },
  };
  const apply = (operation: unknown): void => {
    const op = isObject(operation) ? operation['op'] : undefined;
    if (!isObject(operation) || typeof op !== 'string' || !Object.hasOwn(operations, op)) refuse();
    operations[op]?.(operation);
  };

  for (const [at, operation] of patch.entries()) {
    try {
      apply(operation);
    } catch (error) {
      if (!(error instanceof Impossible)) throw error;
      return fail(fault('subscription.patch', { detail: `Operation ${at + 1} of the patch cannot be applied.` }));
    }
  }
  return ok(root);
}
