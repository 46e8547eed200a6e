import { format } from 'prettier';
import { z } from 'zod';
import { CONTRACTS, GROUPS, REASON_HEADER, SAID, type Contract } from '../src/admin/index.ts';
import { FAULT_CODES, HANDLING, type FaultCode } from '../src/kernel/index.ts';

type Json = Record<string, unknown>;

/** What every route can answer, whatever it does. */
const ALWAYS: readonly FaultCode[] = [
  'admin.parameter',
  'admin.unauthenticated',
  'admin.forbidden',
  'admin.reason-needed',
  'admin.not-configured',
  'store.busy',
  'store.unreachable',
];
/** And those by which people come in, stay and leave. */
const ALWAYS_OF_SESSIONS: readonly FaultCode[] = [
  'admin.parameter',
  'operator.unauthenticated',
  'operator.factor-needed',
  'operator.locked',
  'operator.csrf',
  'admin.forbidden',
  'store.busy',
  'store.unreachable',
];
const WITH_BODY: readonly FaultCode[] = ['http.too-large', 'http.encoding'];

const PROBLEM = { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } };

/** A choice between something and null is one type that may be null; bounds that every integer has say nothing. */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== 'object' || value === null) return value;
  const given: Json = Object.fromEntries<unknown>(Object.entries(value).map(([name, part]) => [name, plain(part)]));
  if (given['maximum'] === Number.MAX_SAFE_INTEGER) delete given['maximum'];
  if (given['minimum'] === Number.MIN_SAFE_INTEGER) delete given['minimum'];
  const { anyOf, ...rest } = given as { anyOf?: readonly Json[] };
  const [one, none] = anyOf ?? [];
  if (anyOf?.length !== 2 || none?.['type'] !== 'null' || typeof one?.['type'] !== 'string') return given;
  const words = one['enum'] === undefined ? {} : { enum: [...(one['enum'] as unknown[]), null] };
  return { ...one, ...rest, ...words, type: [one['type'], 'null'] };
}

/** Named schemas become components; the rest stands where it is used. */
function schemaOf(schema: z.ZodType, components: Json, io: 'input' | 'output'): Json {
  const {
    $schema: _dialect,
    $defs = {},
    ...made
  } = z.toJSONSchema(schema, {
    io,
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema }) => {
      const json = SAID.get(zodSchema as unknown as z.ZodType)?.json;
      if (json === undefined) return;
      const { description } = jsonSchema;
      for (const key of Object.keys(jsonSchema)) Reflect.deleteProperty(jsonSchema, key);
      Object.assign(jsonSchema, json, description === undefined ? {} : { description });
    },
  });
  const point = (text: string): Json =>
    plain(JSON.parse(text.replaceAll('"#/$defs/', '"#/components/schemas/'))) as Json;
  for (const [name, part] of Object.entries($defs)) components[name] = withoutId(point(JSON.stringify(part)));
  const whole = point(JSON.stringify(made));
  const { id } = whole;
  if (typeof id !== 'string') return whole;
  components[id] = withoutId(whole);
  return { $ref: `#/components/schemas/${id}` };
}
const withoutId = ({ id: _id, ...rest }: Json): Json => rest;

const REASON = {
  name: REASON_HEADER,
  in: 'header',
  required: true,
  description: 'What it is wanted for, with nothing of a patient; the audit keeps it',
  schema: { type: 'string', minLength: 3, maxLength: 200, pattern: "^[A-Za-z0-9][A-Za-z0-9 .,;:()'_/-]*[A-Za-z0-9.]$" },
};

/** Every stream can be taken up again. */
const LAST = {
  name: 'Last-Event-ID',
  in: 'header',
  required: false,
  description: 'The id of the last event that was read, as it was',
  schema: { type: 'string', pattern: '^[1-9]\\d{0,14}$' },
};

function parametersOf({ params, query, reason, answer }: Contract, components: Json): Json[] {
  const list = (schema: z.ZodObject | undefined, where: 'path' | 'query'): Json[] => {
    if (schema === undefined) return [];
    const made = schemaOf(schema, components, 'input') as { properties?: Record<string, Json>; required?: string[] };
    return Object.entries(made.properties ?? {}).map(([name, { description, ...rest }]) => ({
      name,
      in: where,
      required: where === 'path' || (made.required ?? []).includes(name),
      ...(description === undefined ? {} : { description }),
      schema: rest,
    }));
  };
  return [
    ...list(params, 'path'),
    ...list(query, 'query'),
    ...(reason === undefined ? [] : [REASON]),
    ...('kind' in answer && answer.kind === 'events' ? [LAST] : []),
  ];
}

function requestBodyOf({ body, example }: Contract, components: Json): Json | null {
  if (body === undefined) return null;
  if (body.kind === 'bytes') {
    const schema = { type: 'string', format: 'binary' };
    const content = Object.fromEntries(
      body.types.map((type) => [type, { schema: type.startsWith('text/') ? { type: 'string' } : schema }]),
    );
    return { required: true, content };
  }
  const schema = schemaOf(body.schema, components, 'input');
  const content = { 'application/json': { schema, ...(example === undefined ? {} : { example }) } };
  return { required: body.isRequired, content };
}

/** One response a status, with the codes that lead to it. */
function refusalsOf({ permission, errors, body }: Contract): Json {
  const byStatus = new Map<number, FaultCode[]>();
  const always = permission === null ? ALWAYS_OF_SESSIONS : ALWAYS;
  for (const code of new Set([...always, ...(body === undefined ? [] : WITH_BODY), ...errors])) {
    const { status } = HANDLING[FAULT_CODES[code]];
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  return Object.fromEntries(
    [...byStatus]
      .sort(([a], [b]) => a - b)
      .map(([status, codes]) => {
        const [first = 'internal.bug'] = codes;
        const { text } = HANDLING[FAULT_CODES[first]];
        return [status, { description: `${text} Codes: ${codes.join(', ')}.`, content: PROBLEM }];
      }),
  );
}

function answerOf({ answer, answers }: Contract, components: Json): Json {
  if (!('kind' in answer))
    return {
      description: answers,
      content: { 'application/json': { schema: schemaOf(answer, components, 'output') } },
    };
  if (answer.kind === 'bytes')
    return {
      description: answers,
      content: Object.fromEntries(answer.types.map((type) => [type, { schema: { type: 'string', format: 'binary' } }])),
    };
  if (answer.kind === 'events') {
    const kinds = Object.entries(answer.events).map(([name, schema]) => [name, schemaOf(schema, components, 'output')]);
    return {
      description: answers,
      content: { 'text/event-stream': { schema: { type: 'string' } } },
      'x-events': Object.fromEntries(kinds) as Json,
    };
  }
  return {
    description: answers,
    headers: {
      'Next-Cursor': { description: 'Where the next part begins; absent at the end', schema: { type: 'string' } },
    },
    content: Object.fromEntries(answer.types.map((type) => [type, { schema: { type: 'string' } }])),
  };
}

const quote = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
/** A call as a shell takes it, to be copied. */
function curlOf({ method, path, body, reason, example }: Contract): string {
  const lines = [`curl -H "Authorization: Bearer $CHARTGATE_ADMIN_TOKEN"`];
  if (method !== 'get') lines.push(`-X ${method.toUpperCase()}`);
  if (reason !== undefined) lines.push(`-H '${REASON_HEADER}: Asked for by the ward'`);
  if (body?.kind === 'json' && (example !== undefined || body.isRequired))
    lines.push("-H 'Content-Type: application/json'", `-d ${quote(JSON.stringify(example ?? {}))}`);
  if (body?.kind === 'bytes') lines.push(`-H 'Content-Type: ${body.types[0] ?? ''}'`, '--data-binary @FILE');
  lines.push(`"http://localhost:8080${path.replace(/:(\w+)/g, (_, name: string) => name.toUpperCase())}"`);
  return lines.join(' \\\n  ');
}

const sayAudited = ({ audited }: Contract): string => {
  switch (audited.kind) {
    case 'act':
      return `Recorded in the audit before the answer, as ${audited.names.join(' or ')}.`;
    case 'later':
      return `Recorded in the audit, as ${audited.name}.`;
    case 'by-command':
      return 'Recorded in the audit in the commit of the change.';
    case 'no':
      return `Not recorded in the audit: ${audited.because}.`;
  }
};

const PRESENCES = {
  page: 'Asks for no session, but for a page of our own.',
  caller: 'Asks for a session in any stage, or for a key.',
  session: 'Asks for a session, in any stage.',
  unlocked: 'Asks for a session that is not locked.',
  enrolling: 'Asks for a session that is signed in, or must add a second factor first.',
  present: 'Asks for a session that is signed in.',
} as const;

/** Who may ask, in words and as OpenAPI has it. A browser's session is no matter for a shell. */
function accessOf(contract: Contract): { readonly says: readonly string[]; readonly fields: Json } {
  const sample = { 'x-codeSamples': [{ lang: 'Shell', label: 'curl', source: curlOf(contract) }] };
  const [key, session] = [{ operator: [] }, { session: [] }];
  if (contract.permission !== null) {
    const { permission, proof } = contract;
    const proved = proof === undefined ? '' : 'A person must have proved a second factor lately.';
    return {
      says: [`Permission: \`${permission}\`.`, proved],
      fields: { security: [key, session], 'x-permission': permission, ...sample },
    };
  }
  const { presence } = contract;
  const says = [PRESENCES[presence]];
  if (presence === 'caller') return { says, fields: { security: [key, session], ...sample } };
  return { says, fields: { security: presence === 'page' ? [] : [session] } };
}

function operationOf(contract: Contract, components: Json): Json {
  const { id, summary, description, group, status = 200 } = contract;
  const parameters = parametersOf(contract, components);
  const requestBody = requestBodyOf(contract, components);
  const access = accessOf(contract);
  const says = [description ?? '', ...access.says, sayAudited(contract)];
  return {
    operationId: id,
    tags: [group],
    summary,
    description: says.filter((one) => one !== '').join(' '),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(requestBody === null ? {} : { requestBody }),
    responses: { [status]: answerOf(contract, components), ...refusalsOf(contract) },
    ...access.fields,
  };
}

/** The whole description, as text: what is written by hand, and what the contracts of the admin API say. */
export async function describeApi(base: Json): Promise<string> {
  const components: Json = {};
  const paths: Record<string, Json> = { ...(base['paths'] as Record<string, Json>) };
  for (const contract of Object.values<Contract>(CONTRACTS)) {
    const path = contract.path.replace(/:(\w+)/g, '{$1}');
    paths[path] = { ...paths[path], [contract.method]: operationOf(contract, components) };
  }
  const written = base['components'] as { schemas: Json; securitySchemes: Json };
  const made = {
    ...base,
    tags: [
      ...Object.entries(GROUPS).map(([name, description]) => ({ name, description })),
      ...(base['tags'] as readonly Json[]),
    ],
    paths,
    components: { ...written, schemas: { ...written.schemas, ...components } },
  };
  return format(JSON.stringify(made), { parser: 'json', printWidth: 120 });
}
