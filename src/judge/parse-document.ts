import { openCanonicalTexts, ok, type CanonicalTexts, type Result } from '../kernel/index.ts';
import { isLastingElement, makeParseRecurring, parseLossless, type JsonFault } from '../r4/index.ts';

/** A document as it was parsed, and the canonical texts of it. */
export interface ParsedDocument {
  readonly value: unknown;
  readonly texts: CanonicalTexts;
}

/** A source says the same of its vocabulary in every document, and the same of patient and time in all entries of one. */
const parseRecurring = makeParseRecurring({
  lasting: ['meta', 'extension', 'category', 'code'],
  ofDocument: ['subject', 'performer', 'device', 'effectivePeriod'],
});

const BACKSLASH = 0x5c;

/** What `parseLossless` gives. Elements of it that came before are frozen, and the same objects. */
export function parseDocument(body: Uint8Array): Result<ParsedDocument, JsonFault> {
  const recurring = parseRecurring(body);
  if (recurring !== null) return ok({ value: recurring.value, texts: openCanonicalTexts(true, isLastingElement) });
  const parsed = parseLossless(body);
  if (!parsed.ok) return parsed;
  return ok({ value: parsed.value, texts: openCanonicalTexts(!body.includes(BACKSLASH)) });
}
