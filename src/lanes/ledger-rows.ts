import type { ChartAct, Label } from '../events/index.ts';
import type { Group } from '../translate/index.ts';
import type { Fingerprint } from './fingerprint.ts';

/** By what a next version is told to be an amendment, or a mere update. */
export interface Said {
  readonly status: string;
  readonly meaning: string;
}

/** What must be known of the ledger beside what the document itself wrote. */
export interface LedgerQuestion {
  readonly names: readonly string[];
  /** On which these names are kept. */
  readonly shelves: readonly string[];
  /** Also the alerts of this day, whichever document of the same user wrote them. */
  readonly alertsOf: string | null;
}

interface Row {
  readonly name: string;
  readonly resourceType: string;
  /** Null where an attempt of unknown outcome may have created it: then nobody knows whether it is there. */
  readonly id: string | null;
  readonly versionId: string | null;
  /** Of what the document said; where a person keeps what somebody else made of it, of what the person saw it say. */
  readonly contentDigest: string;
  /** Null where nobody knows how it was written last. */
  readonly said: Said | null;
  readonly group: Group;
  readonly chartDay: string | null;
  /** Where the ledger looks for it: the day of its name, its document, or nothing of both. */
  readonly shelf: string;
  /** When the document that wrote it last was made, as its source says. */
  readonly saidAt: number;
}

/** One resource as the ledger holds it. */
export interface LedgerRow extends Row {
  /** Of what stands at the EHR as far as we know; null where it was written before fingerprints were kept. */
  readonly fingerprint: Fingerprint | null;
  readonly isRetracted: boolean;
  /** A person has decided that the chart keeps what somebody else made of it. */
  readonly isKept: boolean;
  /** The document that wrote it last, in hexadecimal, and whether that is the one at hand. */
  readonly ledgerDocument: string;
  readonly isOfDocument: boolean;
  /** The delivery that wrote it last, or may have. */
  readonly deliverySeq: number;
}

/** What was written, to be put into the ledger. */
export interface WrittenRow extends Row {
  readonly fingerprint: Fingerprint;
  /** The document under which the ledger has it so far; null where it has it not. */
  readonly ledgerDocument: string | null;
  /** What this attempt did. `none`: it was there already. `kept`: a person left it as somebody else has it.
   * `doubted`: nobody knows what it did. */
  readonly effect: 'created' | 'updated' | 'none' | 'kept' | 'doubted';
  /**
   * What apps may be told that the gateway did to it; absent where it did nothing. What an attempt of unknown outcome
   * wrote is told once it is found.
   */
  readonly event?: { readonly act: Extract<ChartAct, 'written' | 'amended'>; readonly labels: readonly Label[] };
}

export interface RetractedRow {
  readonly name: string;
  /** The document under which the ledger has it. */
  readonly ledgerDocument: string;
  /** Since it was taken back; null where the EHR did not say. */
  readonly versionId: string | null;
  readonly fingerprint: Fingerprint | null;
  /** Where it was the gateway that took it back, and not somebody else before it: what apps may be told. */
  readonly event?: {
    readonly resourceType: string;
    readonly id: string;
    readonly group: Group;
    readonly labels: readonly Label[];
  };
}
