/** What was submitted, and in which form its result is wanted. */
export interface SubmittedDocument {
  readonly bytes: Uint8Array;
  readonly kind: 'pdf' | 'jpeg' | 'png';
  /** The form's offset, for a collection time without a zone; null where there is none. */
  readonly timezone: string | null;
  readonly userId: string;
  readonly clientUuid: string;
  readonly documentId: string;
  readonly format: 'fhir' | 'service';
}

export interface FoundResult {
  readonly loinc: string;
  readonly name: string;
  readonly comparator: '<' | '<=' | '>' | '>=' | null;
  /** Digits as printed, `low-high`, or the word. */
  readonly value: string;
  /** UCUM, or null where none is printed. */
  readonly unit: string | null;
  readonly panel: string;
}

/** Only `read` is followed by a webhook. */
export type LabReading =
  | {
      readonly kind: 'read';
      /** For the Data Webhook. */
      readonly payload: Readonly<Record<string, unknown>>;
      readonly collectedAt: string;
      readonly results: readonly FoundResult[];
      /** How many results were seen and not believed. */
      readonly leftOut: number;
      /** The same for the same results of the same user at the same time: a second document with it is a duplicate. */
      readonly contentKey: string;
    }
  | { readonly kind: 'illegible' | 'undated' | 'nothing-found' };
