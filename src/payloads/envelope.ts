import { z } from 'zod';
import { isDayOrTime, isObject, type Brand } from '../kernel/index.ts';

export type SourceUserId = Brand<string, 'SourceUserId'>;

/** The fields that every delivery has. */
export interface Envelope {
  readonly dataStructure: string;
  readonly clientUuid: string;
  readonly userId: SourceUserId;
  readonly version: number;
  readonly documentVersion: number;
}

interface RawNumber {
  readonly rawJSON: string;
}
/** A JSON number, with its digits where a plain number would lose them. */
export type JsonNumber = number | RawNumber;
/** Of Node 24, and not yet in the type library. */
const { isRawJSON } = JSON as unknown as { isRawJSON(value: unknown): value is RawNumber };

/** A measured value: its digits go on as they came. */
export const decimal: z.ZodType<JsonNumber> = z.union([z.number(), z.custom<RawNumber>(isRawJSON)]);
/** A number to count with. */
const number = decimal.transform((value) => (typeof value === 'number' ? value : Number(value.rawJSON)));
export const integer = number.refine((value) => Number.isSafeInteger(value), 'is not a whole number');

/** What no route and no table can name: control characters, and halves of a surrogate pair. */
const PLAIN = /^[^\p{Cc}\p{Cs}]+$/u;
const plain = z.string().regex(PLAIN, 'is no name');

const LENGTH_MAX = { structure: 100, client: 100, user: 50 } as const;

/** Specification, section 8: 1 to 50 characters. Compared byte by byte, so nothing is trimmed or folded. */
export const userId = plain.max(LENGTH_MAX.user).transform((text) => text as SourceUserId);
export const clientUuid = plain.max(LENGTH_MAX.client);

export const envelopeShape = z
  .object({
    data_structure: plain.max(LENGTH_MAX.structure),
    client_uuid: clientUuid,
    user_id: userId,
    version: integer.pipe(z.number().nonnegative()),
    document_version: integer.pipe(z.number().nonnegative()),
  })
  .transform((e): Envelope => ({
    dataStructure: e.data_structure,
    clientUuid: e.client_uuid,
    userId: e.user_id,
    version: e.version,
    documentVersion: e.document_version,
  }));

const isName = (value: unknown, lengthMax: number): value is string =>
  typeof value === 'string' && value.length <= lengthMax && PLAIN.test(value);
const isCount = (value: unknown): value is number =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;

/** An envelope that is certainly right, without the schema; null leaves the answer to it. */
function readSoundEnvelope(value: unknown): Envelope | null {
  if (!isObject(value)) return null;
  const {
    data_structure: structure,
    client_uuid: client,
    user_id: user,
    version,
    document_version: documentVersion,
  } = value;
  if (!isName(structure, LENGTH_MAX.structure) || !isName(client, LENGTH_MAX.client) || !isName(user, LENGTH_MAX.user))
    return null;
  if (!isCount(version) || !isCount(documentVersion)) return null;
  return { dataStructure: structure, clientUuid: client, userId: user as SourceUserId, version, documentVersion };
}

export function readEnvelope(value: unknown): z.ZodSafeParseResult<Envelope> {
  const data = readSoundEnvelope(value);
  return data === null ? envelopeShape.safeParse(value) : { success: true, data };
}

/** ISO 8601 as the source writes it: with an offset, with Z, or (notifications) with neither. */
const DATE_TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:?\d{2})?$/;
export const isDateTime = (value: unknown): value is string =>
  typeof value === 'string' && DATE_TIME.test(value) && isDayOrTime(value);
export const dateTime = z
  .string()
  .regex(DATE_TIME, 'is not a date and time')
  .refine(isDayOrTime, 'is a day or a time that does not exist');
export const named = (names: readonly string[]): string[] => names.filter((name) => name.trim() !== '');
export const sources = z.array(z.string()).default([]).transform(named);
/** A word that may be missing; blank is missing too. */
export const word = z
  .string()
  .nullish()
  .transform((text) => (text === undefined || text === null || text.trim() === '' ? null : text));
