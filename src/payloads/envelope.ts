import { z } from 'zod';
import { isDayOrTime, type Brand } from '../kernel/index.ts';

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
const plain = z.string().regex(/^[^\p{Cc}\p{Cs}]+$/u, 'is no name');

/** Specification, section 8: 1 to 50 characters. Compared byte by byte, so nothing is trimmed or folded. */
export const userId = plain.max(50).transform((text) => text as SourceUserId);
export const clientUuid = plain.max(100);

export const envelopeShape = z
  .object({
    data_structure: plain.max(100),
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

/** ISO 8601 as the source writes it: with an offset, with Z, or (notifications) with neither. */
export const dateTime = z
  .string()
  .regex(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:?\d{2})?$/, 'is not a date and time')
  .refine(isDayOrTime, 'is a day or a time that does not exist');
export const sources = z
  .array(z.string())
  .default([])
  .transform((names) => names.filter((name) => name.trim() !== ''));
/** A word that may be missing; blank is missing too. */
export const word = z
  .string()
  .nullish()
  .transform((text) => (text === undefined || text === null || text.trim() === '' ? null : text));
