import type { Pairs } from '../ehr/index.ts';
import { fail, fault, isObject, ok, type Result } from '../kernel/index.ts';
import { LIMITS } from './parse-search.ts';
import type { Json } from './whose.ts';

/** http://hl7.org/fhir/R4/valueset-resource-validation-mode.html */
export const VALIDATE_MODES = ['create', 'update', 'delete', 'profile'] as const;
export type ValidateMode = (typeof VALIDATE_MODES)[number];

/** How a resource is to be judged. */
export interface ValidateAsked {
  readonly mode: ValidateMode | null;
  /** The canonical of the profile that it must meet, perhaps with `|version`. */
  readonly profile: string | null;
}

export interface Submission extends ValidateAsked {
  /** Null: there is none, which only a deletion allows. */
  readonly resource: Json | null;
}

/** What any FHIR request may carry. */
const OF_THE_ANSWER = new Set(['_format', '_pretty']);
const TAKES = {
  mode: `mode takes one of ${VALIDATE_MODES.join(', ')}`,
  profile: 'profile takes the canonical of a profile: an absolute URI, perhaps with |version',
  resource: 'resource takes one resource',
} as const;
type Name = keyof typeof TAKES;

/** Absolute, and of the letters that a URI is made of. It is looked up among what is loaded and never fetched. */
const CANONICAL = /^[A-Za-z][A-Za-z0-9+.-]*:[\w.~:/?#[\]@!$&'()*+,;=%-]+(\|[\w.+-]{1,64})?$/;

const isMode = (value: unknown): value is ValidateMode => VALIDATE_MODES.some((one) => one === value);
const isCanonical = (value: unknown): value is string =>
  typeof value === 'string' && value.length <= LIMITS.valueMax && CANONICAL.test(value);

const refuse = (code: 'read.parameter' | 'read.body', at: string, ...problems: string[]) =>
  fail(fault(code, { at, problems }));

/** `mode` and `profile` as the address has them. Nothing is ignored: the answer would claim to have looked at it. */
export function parseValidateQuery(pairs: Pairs): Result<ValidateAsked> {
  let asked: ValidateAsked = { mode: null, profile: null };
  for (const [name, value] of pairs) {
    if (OF_THE_ANSWER.has(name)) continue;
    if (name !== 'mode' && name !== 'profile')
      return fail(fault('read.parameter', { problems: ['beside the body it takes mode and profile'] }));
    if (asked[name] !== null) return refuse('read.parameter', name, `${name} stands twice`);
    if (name === 'mode' ? !isMode(value) : !isCanonical(value)) return refuse('read.parameter', name, TAKES[name]);
    asked = { ...asked, [name]: value };
  }
  return ok(asked);
}

const KNOWN = new Set<unknown>(Object.keys(TAKES));
const isKnown = (name: unknown): name is Name => KNOWN.has(name);

/** The value of a parameter, where it is of the right kind. R5 calls the profile a canonical; both are taken. */
function valueOf(name: Name, parameter: Json): unknown {
  if (name === 'resource') return isObject(parameter['resource']) ? parameter['resource'] : undefined;
  const value = name === 'mode' ? parameter['valueCode'] : (parameter['valueUri'] ?? parameter['valueCanonical']);
  return (name === 'mode' ? isMode(value) : isCanonical(value)) ? value : undefined;
}

/** The parameters of the body beside those of the address; each stands once in both together. */
function readParameters(parameters: unknown, asked: ValidateAsked): Result<Submission> {
  let found: Submission = { ...asked, resource: null };
  if (!Array.isArray(parameters)) return refuse('read.body', 'Parameters.parameter', TAKES.resource);
  for (const [i, parameter] of parameters.entries()) {
    const at = `Parameters.parameter[${i}]`;
    const name = isObject(parameter) ? parameter['name'] : undefined;
    if (!isObject(parameter) || !isKnown(name))
      return refuse('read.body', at, 'Parameters takes resource, mode and profile');
    if (found[name] !== null) return refuse('read.body', at, `${name} stands twice`);
    const value = valueOf(name, parameter);
    if (value === undefined) return refuse('read.body', at, TAKES[name]);
    found = { ...found, [name]: value };
  }
  return ok(found);
}

/**
 * What the body says: the resource itself, or Parameters with it. `body` is null where there was none. `type` is what
 * the address names: the resource must be of that type.
 */
export function parseSubmission(type: string, body: unknown, asked: ValidateAsked): Result<Submission> {
  const isWrapped = isObject(body) && body['resourceType'] === 'Parameters';
  const read = isWrapped
    ? readParameters(body['parameter'], asked)
    : body === null || isObject(body)
      ? ok({ ...asked, resource: body })
      : refuse('read.body', 'Resource', 'the body is no JSON object');
  if (!read.ok) return read;
  const { resource, mode, profile } = read.value;
  if (resource === null)
    return mode === 'delete' ? read : refuse('read.body', 'resource', 'send the resource that is to be judged');
  if (mode === 'profile' && profile === null)
    return refuse('read.body', 'profile', 'mode=profile needs profile, the canonical of the profile');
  return resource['resourceType'] === type
    ? read
    : refuse('read.body', 'resourceType', `the address names ${type}, and the body is no ${type}`);
}
