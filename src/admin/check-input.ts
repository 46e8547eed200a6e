import type { z } from 'zod';
import { fail, fault, ok, parseQuery, type Ask, type Result } from '../kernel/index.ts';
import type { Body, Contract } from './contract/define-contract.ts';
import { sayField, saySchema } from './contract/say-schema.ts';
import type { OpenHandle } from './handles.ts';
import { openHandles } from './open-handles.ts';
import { readJson } from './read-json.ts';

/** What is wrong, and under which name; the name is empty for the whole, or where the route does not have it. */
interface Problem {
  readonly at: string;
  readonly text: string;
}
interface Checked {
  readonly value: unknown;
  readonly problems: readonly Problem[];
}
const NOTHING: Checked = { value: {}, problems: [] };

const shapeOf = (schema: z.ZodType | undefined): Readonly<Record<string, z.ZodType>> =>
  schema !== undefined && 'shape' in schema ? (schema.shape as Record<string, z.ZodType>) : {};
const namesOf = (schema: z.ZodType | undefined): readonly string[] => Object.keys(shapeOf(schema));

const sayBody = (schema: z.ZodType): string => {
  const names = namesOf(schema);
  return names.length === 0
    ? `The body must be ${saySchema(schema)}.`
    : `The body must be one JSON object with these fields and no other: ${names.join(', ')}.`;
};

const sayQuery = (names: readonly string[]): string =>
  names.length === 0
    ? 'This route takes no parameters.'
    : `This route takes these parameters, each once and without control characters: ${names.join(', ')}.`;

/** One problem a name, however much is wrong with it. */
function problemsOf(error: z.ZodError, schema: z.ZodType, whole: string): Problem[] {
  const shape = shapeOf(schema);
  const names = new Set(
    error.issues.map(({ path: [name] }) => (typeof name === 'string' && Object.hasOwn(shape, name) ? name : '')),
  );
  return [...names].map((at) => {
    const field = shape[at];
    return { at, text: field === undefined ? whole : sayField(at, field) };
  });
}

function check(schema: z.ZodType, given: unknown, whole: string, open: OpenHandle): Checked {
  const parsed = schema.safeParse(openHandles(schema, given, open));
  return parsed.success
    ? { value: parsed.data, problems: [] }
    : { value: null, problems: problemsOf(parsed.error, schema, whole) };
}

/**
 * The parameters of a query that the route knows; any other is a mistake that should not pass for a narrower answer.
 */
function checkQuery(schema: z.ZodType | undefined, url: string, open: OpenHandle): Checked {
  const known = namesOf(schema);
  const whole = sayQuery(known);
  const mark = url.indexOf('?');
  const pairs = mark < 0 ? [] : parseQuery(url.slice(mark + 1));
  if (pairs === null) return { value: null, problems: [{ at: '', text: whole }] };
  const odd = pairs.filter(
    ([name, value], i) =>
      !known.includes(name) || /\p{Cc}/u.test(value) || pairs.findIndex(([other]) => other === name) !== i,
  );
  const names = new Set(odd.map(([name]) => (known.includes(name) ? name : '')));
  const problems = [...names].map((at) => ({ at, text: whole }));
  if (schema === undefined) return { value: {}, problems };
  const checked = check(schema, Object.fromEntries(pairs.filter(([name]) => known.includes(name))), whole, open);
  return { value: checked.value, problems: [...problems, ...checked.problems.filter(({ at }) => !names.has(at))] };
}

async function checkBody(body: Body | undefined, request: Ask['request'], open: OpenHandle): Promise<Result<Checked>> {
  if (body?.kind !== 'json') return ok({ value: undefined, problems: [] });
  const whole = sayBody(body.schema);
  const read = await readJson(request, body.bytesMax);
  if (read.ok) {
    const checked = check(body.schema, read.value === undefined ? {} : read.value, whole, open);
    const isMissing = read.value === undefined && body.isRequired && checked.problems.length === 0;
    return ok(isMissing ? { value: null, problems: [{ at: '', text: whole }] } : checked);
  }
  return read.fault.code === 'admin.parameter' ? ok({ value: null, problems: [{ at: '', text: whole }] }) : read;
}

const opensNone: OpenHandle = () => null;

/**
 * What the handler is given, or a fault that names every problem at once, with what would be taken. Nobody behind it
 * sees a handle.
 */
export async function checkInput(
  contract: Contract,
  { params, request }: Ask,
  open: OpenHandle = opensNone,
): Promise<Result<unknown>> {
  const inPath = contract.params === undefined ? NOTHING : check(contract.params, params, '', open);
  const inQuery = checkQuery(contract.query, request.url ?? '/', open);
  const inBody = await checkBody(contract.body, request, open);
  if (!inBody.ok) return inBody;
  const problems = [...inPath.problems, ...inQuery.problems, ...inBody.value.problems];
  const [first] = problems;
  if (first === undefined) return ok({ params: inPath.value, query: inQuery.value, body: inBody.value.value });
  return fail(
    fault('admin.parameter', { at: first.at, detail: first.text, problems: problems.map(({ text }) => text) }),
  );
}

/** In words, what a route takes under a name that its handler refused; without one, what its body or query is. */
export function sayParameter({ params, query, body }: Contract, name: string): string {
  const schema = body?.kind === 'json' ? body.schema : undefined;
  const field = shapeOf(params)[name] ?? shapeOf(query)[name] ?? shapeOf(schema)[name];
  if (field !== undefined) return sayField(name, field);
  return schema === undefined ? sayQuery(namesOf(query)) : sayBody(schema);
}
