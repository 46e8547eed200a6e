import type { z } from 'zod';
import type { CanonicalTexts, Fault } from '../kernel/index.ts';

/** Something that disagrees inside a document that goes on all the same. Codes and paths, never values. */
export interface Finding {
  readonly code: 'alerts.total' | 'alerts.order' | 'profile.level' | 'version.unexpected' | 'version.unknown';
  readonly at: string;
}

/** What a kind of document gives, once its shape is known to be right. */
export interface Read<D> {
  readonly document: D;
  /** Every user id inside, with its place: all must be that of the envelope. */
  readonly userIds: readonly { readonly at: string; readonly id: string }[];
  readonly findings: readonly Finding[];
  /** What makes two deliveries versions of one document, besides the user. */
  readonly keyParts: readonly string[];
  /** `ascending` counts up by a value of the document itself. */
  readonly order: { readonly by: 'version' } | { readonly by: 'ascending'; readonly value: number };
  /**
   * What counts when two deliveries of one version are compared, as text: no timestamps of the export, no meta, no
   * order of entries. Made when asked for. `texts` are those of the same payload.
   */
  readonly clinical: (texts?: CanonicalTexts) => string;
  /** The part of the payload of which all that counts is in that text; absent where it is not a part of it. */
  readonly clinicalPart?: object;
  readonly fault?: Fault;
}

/** A schema with a transformation at its end would be built anew for each payload. */
export const mapParsed = <A, B>(parsed: z.ZodSafeParseResult<A>, map: (value: A) => B): z.ZodSafeParseResult<B> =>
  parsed.success ? { success: true, data: map(parsed.data) } : (parsed as z.ZodSafeParseError<never>);
