import { z } from 'zod';
import { HANDLE_PREFIX, type Handled } from './handle-shape.ts';

/** What is taken, in words after "must be"; and its JSON Schema, where the one that zod derives would not say it. */
interface Said {
  readonly words: string;
  readonly json?: Readonly<Record<string, unknown>>;
}
export const SAID = z.registry<Said>();

/** A schema, and what is taken in words. */
export const taken = <S extends z.ZodType>(schema: S, words: string, json?: Said['json']): S => {
  SAID.add(schema, json === undefined ? { words } : { words, json });
  return schema;
};

/** Fields in whose place a handle is taken: what it stands for is put there before anything is checked. */
export const HANDLED = z.registry<{ readonly of: Handled }>();

/** A value itself, or a handle of it. */
const orHandle = <S extends z.ZodType>(
  of: Handled,
  schema: S,
  words: string,
  json: Readonly<Record<string, unknown>>,
): S => {
  HANDLED.add(schema, { of });
  const handle = { type: 'string', pattern: `^${HANDLE_PREFIX[of].replace('.', '\\.')}[A-Za-z0-9_-]{64,500}$` };
  return taken(schema, `${words}; or a handle of it, as POST /admin/api/handles gives`, { anyOf: [json, handle] });
};

/** How many rows a list shows. */
export const PAGE = { standard: 50, most: 500 } as const;

const CONTROL = '\\u0000-\\u001F\\u007F-\\u009F';
/** Nobody sees them: they would make two values that look alike. */
const INVISIBLE = `${CONTROL}\\u00AD\\u0600-\\u0605\\u061C\\u06DD\\u070F\\u0890\\u0891\\u08E2\\u180E\\u200B-\\u200F\\u202A-\\u202E\\u2060-\\u2064\\u2066-\\u206F\\uFEFF\\uFFF9-\\uFFFB\\uFFFD`;
const isPlain = (text: string): boolean => !/[\p{Cc}\p{Cs}]/u.test(text);
const plainJson = (more: Readonly<Record<string, unknown>>) => ({
  type: 'string',
  pattern: `^[^${CONTROL}]*$`,
  ...more,
});

/** Yes or no, as a query writes it. */
export const yesOrNo = (standard: boolean) =>
  taken(
    z
      .enum(['true', 'false'])
      .transform((text) => text === 'true')
      .prefault(standard ? 'true' : 'false'),
    'one of true, false',
    { type: 'string', enum: ['true', 'false'], default: String(standard) },
  );

const digits = (most: number) =>
  z
    .string()
    .regex(/^[1-9]\d{0,3}$/)
    .transform(Number)
    .refine((count) => count <= most);
const limitWords = (most: number): string => `a whole number from 1 to ${most}`;

/** A number as a person writes it: digits alone. */
export const limit = (standard: number = PAGE.standard, most: number = PAGE.most) =>
  taken(digits(most).prefault(String(standard)), limitWords(most), {
    type: 'integer',
    minimum: 1,
    maximum: most,
    default: standard,
  });
export const limitUpTo = (most: number) =>
  taken(digits(most), limitWords(most), { type: 'integer', minimum: 1, maximum: most });

export const cursor = taken(z.string().regex(/^[A-Za-z0-9_-]+$/), '`next` of the answer before, as it is');

/** A text to search for. */
export const plain = (words = 'a text without control characters') =>
  taken(z.string().refine(isPlain), words, plainJson({}));

/** The same, of at most so many characters. */
export const plainUpTo = (most: number) =>
  taken(
    z.string().min(1).max(most).refine(isPlain),
    `a text of 1 to ${most} characters without control characters`,
    plainJson({ minLength: 1, maxLength: most }),
  );

export const userId = orHandle(
  'user',
  z.string().min(1).max(50).refine(isPlain),
  'the user at the source, of 1 to 50 characters; client_uuid goes with it',
  plainJson({ minLength: 1, maxLength: 50 }),
);

const CLIENT_WORDS =
  'the client at the source, of 1 to 100 characters; it goes with user_id, and is needed where CHARTGATE_CLIENT_UUID is not set';
export const clientUuid = taken(
  z.string().min(1).max(100).refine(isPlain),
  CLIENT_WORDS,
  plainJson({ minLength: 1, maxLength: 100 }),
);

/** Part of a path: what cannot be an id is nobody's, which is for the handler to say. */
export const anyId = (words: string) => taken(z.string(), words, { type: 'string' });
export const pathUserId = orHandle(
  'user',
  z.string(),
  'the user at the source',
  plainJson({ minLength: 1, maxLength: 50 }),
);

/** As the EHR has it: case and leading zeros count. */
const MRN_WORDS =
  'an MRN as the EHR has it, to the letter: 1 to 64 characters, none of them invisible, and no space at either end';
const MRN_JSON = {
  type: 'string',
  minLength: 1,
  maxLength: 64,
  pattern: `^[^\\s${INVISIBLE}]([^${INVISIBLE}]*[^\\s${INVISIBLE}])?$`,
  not: { enum: ['.', '..'] },
};
const anyMrn = () =>
  z
    .string()
    .min(1)
    .max(64)
    .refine(
      (text) => isPlain(text) && !/[\p{Cf}\ufffd]/u.test(text) && text.trim() === text && text !== '.' && text !== '..',
    );
export const mrn = orHandle('mrn', anyMrn(), MRN_WORDS, MRN_JSON);
/** Where handles are made: a value as it is, whatever it looks like. */
export const bareMrn = taken(anyMrn(), MRN_WORDS, MRN_JSON);
export const bareUserId = plainUpTo(50);
/** Where another MRN is written than the links have. */
export const mrnLike = (schema: z.ZodString, words: string, json: Readonly<Record<string, unknown>>) =>
  orHandle('mrn', schema, words, json);

/** A sentence of a person on why, with nothing of a patient in it. */
export const sentence = taken(
  z
    .string()
    .trim()
    .regex(/^[\p{L}\p{N} .,;:()'_/-]{3,200}$/u),
  "3 to 200 letters, digits, spaces and . , ; : ( ) ' _ / -, with nothing of a patient",
  { type: 'string', minLength: 3, maxLength: 200, pattern: "^[A-Za-z0-9 .,;:()'_/-]+$" },
);

/** What a person writes down for others; it may have several lines. */
export const noteText = taken(
  z
    .string()
    .trim()
    .min(1)
    .max(2_000)
    .refine((text) => isPlain(text.replaceAll(/[\n\t]/g, ' '))),
  'a text of 1 to 2,000 characters; it may have several lines',
  { type: 'string', minLength: 1, maxLength: 2_000 },
);
export const operatorOrNull = taken(
  z.string().min(1).max(100).refine(isPlain).nullable(),
  'the id or the name of an operator, or null for nobody',
  { type: ['string', 'null'], minLength: 1, maxLength: 100, pattern: `^[^${CONTROL}]*$` },
);
/** Whose work is asked for. */
export const whoeverWorks = taken(
  z.string().min(1).max(100).refine(isPlain),
  'me (for who has signed in, and not for a key), nobody, or the id or the name of an operator',
  plainJson({ minLength: 1, maxLength: 100 }),
);

export const evidence = taken(
  z.string().max(500).refine(isPlain).nullable(),
  'a text of at most 500 characters, or null',
  { type: ['string', 'null'], maxLength: 500, pattern: `^[^${CONTROL}]*$` },
);
export const clientUuidOrNull = taken(
  clientUuid.nullable(),
  CLIENT_WORDS,
  plainJson({ type: ['string', 'null'], minLength: 1, maxLength: 100 }),
);

const WEB_ADDRESS = 'an http or https address of at most 2,000 characters';
export const webAddress = taken(
  z
    .string()
    .max(2_000)
    .refine((text) => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)),
  WEB_ADDRESS,
  { type: 'string', format: 'uri', maxLength: 2_000, pattern: '^https?://' },
);

export const fhirId = taken(
  z.string().regex(/^[A-Za-z0-9.-]{1,64}$/),
  'an id of the EHR: 1 to 64 letters, digits, "-" and "."',
);

export const displayName = taken(
  z.string().regex(/^[^\p{Cc}<>]{1,100}$/u),
  'a name of 1 to 100 characters, without < and >',
  { type: 'string', minLength: 1, maxLength: 100, pattern: `^[^${CONTROL}<>]+$` },
);

/** What a person types to sign in. */
export const signInName = taken(
  z
    .string()
    .regex(/^[\p{L}\p{N}][\p{L}\p{N}._@+-]{0,99}$/u)
    .describe('Letters of any alphabet, digits and . _ @ + -'),
  'a letter or digit, then at most 99 letters, digits and . _ @ + -',
  { type: 'string', minLength: 1, maxLength: 100, pattern: '^[A-Za-z0-9][A-Za-z0-9._@+-]*$' },
);

/** Some of a list, each once. */
export const someOf = <const T extends readonly [string, ...string[]]>(all: T, least: 0 | 1) =>
  taken(
    z
      .array(z.enum(all))
      .min(least)
      .refine((given) => new Set(given).size === given.length),
    `a list of ${least === 0 ? 'some' : 'at least one'} of these, each once: ${all.join(', ')}`,
    { type: 'array', items: { type: 'string', enum: all }, minItems: least, uniqueItems: true },
  );

/** `Date` takes 30 February for 2 March. */
const isInstant = (text: string): boolean => {
  const found = /^(\d{4}-\d\d-\d\d)T([01]\d|2[0-3]):[0-5]\d(:[0-5]\d(\.\d+)?)?(Z|[+-](0\d|1[0-3]):[0-5]\d|[+-]14:00)$/;
  const [, day = ''] = found.exec(text) ?? [];
  const ms = day.startsWith('0000') ? NaN : Date.parse(`${day}T00:00:00Z`);
  return !Number.isNaN(ms) && new Date(ms).toISOString().startsWith(day);
};
export const instant = taken(z.string().refine(isInstant), 'an instant with its zone, such as 2026-01-31T08:00:00Z', {
  type: 'string',
  format: 'date-time',
});

/** A word that nobody has mapped: it may be whatever somebody wrote, and stands in no address. */
export const wordId = taken(
  z.string().regex(/^[0-9a-f]{32}$/),
  '`id` of a word, as GET /admin/api/unmapped gives it: 32 hexadecimal digits',
);

/** An object of others, such as a resource: shown as it is. */
export const anyObject = taken(
  z.custom<object>((value) => typeof value === 'object' && value !== null && !Array.isArray(value)),
  'a JSON object',
  { type: 'object' },
);
export const anyObjectOrNull = taken(anyObject.nullable(), 'a JSON object or null', { type: ['object', 'null'] });

/** A time as the API writes it. */
export const time = z.string().meta({ format: 'date-time' });

/** Written once, and named in the description. */
export const named = <S extends z.ZodType>(id: string, schema: S): S => schema.meta({ id });
