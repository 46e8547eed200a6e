/**
 * Where a row of the mapping data stands, who says so, and who looked at it. Shown by `explain` beside every decision.
 */
export interface Origin {
  /** `conceptmap-metrics.json#weight/point`: the file, and the key of the row inside it. */
  readonly row: string;
  readonly source: string;
  readonly reviewer: string;
}

export interface MappedCoding {
  readonly system: string;
  readonly code: string;
  readonly display?: string;
}

export type Equivalence = 'equal' | 'equivalent' | 'wider' | 'narrower' | 'inexact' | 'relatedto';

/** What one source code becomes. */
export interface CodeRow extends Origin {
  /** The target first, then the companions that its profile asks for. */
  readonly codings: readonly MappedCoding[];
  readonly equivalence: Equivalence;
}

/** What one metric of the source, or one alert signal, becomes in its context. */
export interface MetricRow extends CodeRow {
  /** UCUM, and its text for people. Null where the value stands in components. */
  readonly unit: { readonly code: string; readonly text: string } | null;
  /** Decimals that are kept at most when a value is converted. */
  readonly decimals: number;
  /** A code of HL7's observation-category. */
  readonly category: string;
  /** The panel that this metric is a component of; metrics of one panel and time make one Observation. */
  readonly panel: {
    readonly key: string;
    readonly codings: readonly MappedCoding[];
    readonly components: readonly string[];
  } | null;
  /** What Observation.method says. */
  readonly method: string | null;
  /** The same by the category of the source, where the code alone does not tell its summaries apart. */
  readonly methodOf: Readonly<Record<string, string>> | null;
}

export interface LabRow extends CodeRow {
  /** The usual unit of the code, UCUM; null for codes without. */
  readonly unit: string | null;
  readonly scale: 'quantitative' | 'ordinal' | 'nominal' | 'narrative';
}

export type LabFound =
  | { readonly kind: 'found'; readonly row: LabRow }
  /** `dimension`: the name is known, but not with a unit of this dimension. */
  | { readonly kind: 'none'; readonly why: 'unknown' | 'dimension' };

export interface UnitRow extends Origin {
  readonly ucum: string;
}

export interface Range {
  readonly low: number | null;
  readonly high: number | null;
}

export interface PlausibilityRow extends Origin {
  readonly unit: string;
  /** Outside of it the value cannot be true; the document waits for a person. */
  readonly hard: Range;
  /** Outside of it the value is rare; it is sent with a note. */
  readonly soft: Range;
}

/** What values of one document must be to each other, and what becomes of those that are not. */
export type ConsistencyRow = Origin & {
  /**
   * `park`: what does not fit waits. `preliminary`: it goes out with that status. `finding`: it goes out with a note.
   */
  readonly action: 'finding' | 'preliminary' | 'park';
} & (
    | { readonly kind: 'order'; readonly lower: string; readonly upper: string }
    | {
        readonly kind: 'body-mass-index';
        readonly weight: string;
        readonly height: string;
        readonly index: string;
        /** By how much of the smaller the index may differ from that of weight and height. */
        readonly share: number;
      }
    | { readonly kind: 'jump'; readonly code: string; readonly share: number; readonly hours: number }
    | { readonly kind: 'repeat'; readonly code: string; readonly days: number }
  );

export interface Converted {
  /** JSON number text. */
  readonly digits: string;
  /** Null where the units were the same and nothing was converted. */
  readonly row: string | null;
}

/** The URIs of the health data service. They are configuration: the service does not publish them. */
export interface SourceUris {
  readonly code: string;
  readonly userIdentifier: string;
  readonly tag: string;
  readonly context: string;
}

/** A profile that an EHR asks for, and of which resources. */
export interface ImposedProfile {
  readonly type: string;
  /** A code of any coding of `category`; null: whatever it is. */
  readonly category: string | null;
  /** A code of any coding of `code`; null: whatever it is. */
  readonly code: string | null;
  /** The canonical address, perhaps with `|version`. */
  readonly profile: string;
  /** `write`: what goes out names the profile in `meta.profile`. */
  readonly claim: 'write' | 'leave';
}

/** What one EHR accepts. */
export interface Dialect extends Origin {
  readonly name: string;
  readonly title: string;
  /** What such an EHR says of itself: `software: *words*`. Any of them is enough; null: chosen only by name. */
  readonly recognisedBy: readonly string[] | null;
  /** Resource types that it takes; null takes any. */
  readonly types: readonly string[] | null;
  /** Observation categories that it takes; null takes any. */
  readonly categories: readonly string[] | null;
  /** LOINC codes of Observations that may have components; null allows any. */
  readonly componentsOf: readonly string[] | null;
  /** `as-given` keeps a Period; the others make a dateTime of one of its ends. */
  readonly effective: 'as-given' | 'start' | 'end';
  readonly interpretationsMax: number | null;
  /** `typed`: with a type that says what it is. `normal-only`: ranges of any other type become a note. */
  readonly referenceRange: 'typed' | 'normal-only';
  /**
   * `practitioner`: of a vital sign the one whom the configuration names, of anything else nobody. `none`: nobody at
   * all.
   */
  readonly performer: 'patient' | 'practitioner' | 'none';
  readonly device: 'resource' | 'contained' | 'note';
  readonly provenance: 'resource' | 'none';
  readonly extensions: 'keep' | 'drop';
  /** Observation statuses that it takes besides those that amend and retract. */
  readonly preliminary: 'keep' | 'as-final';
  readonly amendedStatus: 'amended' | 'corrected' | 'final';
  /** What a resource becomes that should not have been written. */
  readonly retraction: 'entered-in-error' | 'corrected';
  /**
   * A day that was evaluated with no alert. `write`: it is said. `to-replace`: only where something else was said of
   * that day before.
   */
  readonly zeroAlerts: 'write' | 'to-replace';
  /** What goes out must meet them. Of the rows that fit a resource the most specific ones count. */
  readonly profiles: readonly ImposedProfile[];
  readonly write: {
    /** `auto` believes the CapabilityStatement. */
    readonly bundle: 'auto' | 'transaction' | 'batch' | 'none';
    readonly identity: 'auto' | 'put-by-id' | 'conditional-update' | 'search-then-write' | 'ledger-only';
    /** `by-address`: what another refers to is written before it, since the EHR may take a transaction for a batch. */
    readonly references: 'in-bundle' | 'by-address';
    readonly entriesMax: number;
    readonly bytesMax: number;
    /** How long a search may not find what was written, at worst. */
    readonly searchSettleMs: number;
    /**
     * What is asked for in answer to a write. `representation`: with less the EHR says too little (Medplum empties a
     * Bundle's answer).
     */
    readonly answer: 'minimal' | 'representation';
    /** `after-a-look`: an update brings back what somebody deleted, so that it is read before it is changed. */
    readonly update: 'direct' | 'after-a-look';
    /** `required`: an update names the version that it changes, whatever the CapabilityStatement says of versions. */
    readonly ifMatch: 'auto' | 'required';
  };
}

export interface MetricQuestion {
  readonly system: string;
  readonly code: string;
  readonly context: string;
  /** `day`: the time is a whole local day. */
  readonly window: 'day' | 'other';
}

/** An entry that says in LOINC itself what it is. */
export interface StandardQuestion {
  /** Each once, in any order. */
  readonly codes: readonly string[];
  /** Null where the entry names none: then the code alone says whether it is a reading or a mean. */
  readonly context: string | null;
  readonly window: 'day' | 'other';
}

export type StandardFound =
  | { readonly kind: 'found'; readonly row: MetricRow }
  /**
   * `context`: known, but not as a reading, a mean or over such a time. `disagree`: no row knows all of the codes
   * together.
   */
  | { readonly kind: 'none'; readonly why: 'unknown' | 'context' | 'disagree'; readonly codes: readonly string[] };

/** What the laboratory data know of a LOINC code. `dimension`: the code is known, but not with such a unit. */
export type LabCodeFound = 'known' | 'unknown' | 'dimension';

export interface LabQuestion {
  readonly name: string;
  /** UCUM; null where the result has no unit. */
  readonly unit: string | null;
  readonly value: 'quantity' | 'coded' | 'text';
}

/** All mapping data, checked. Lookups never throw; null means that nobody has mapped it. */
export interface Mappings {
  /** Changes with any byte of the data. */
  readonly version: string;
  readonly uris: SourceUris;
  readonly dialects: ReadonlyMap<string, Dialect>;
  readonly findMetric: (question: MetricQuestion) => MetricRow | null;
  /** A metric by the LOINC codes that the source itself gives. */
  readonly findStandard: (question: StandardQuestion) => StandardFound;
  /** Every LOINC code that a code of the source may become in whatever context; null where nobody has mapped it. */
  readonly loincsOf: (system: string, code: string) => ReadonlySet<string> | null;
  readonly findSignal: (signal: string) => MetricRow | null;
  /** Whether health monitoring watches what stands under this code. */
  readonly isWatched: (code: string) => boolean;
  /** The metrics of the source whose single readings stand under this code. */
  readonly readingsUnder: (code: string) => readonly MappedCoding[];
  /** A metric of a health profile by the full name of its field. A row without a unit is text. */
  readonly findProfileMetric: (field: string) => MetricRow | null;
  readonly findLab: (question: LabQuestion) => LabFound;
  /**
   * The row by which U of this test is UCUM's arbitrary unit and no enzyme unit. Its `unit` takes the place of `ucum`.
   */
  readonly findArbitrary: (loinc: string, ucum: string) => LabRow | null;
  /** What is known of a LOINC code that a result brings itself. */
  readonly checkLabCode: (code: string, question: Omit<LabQuestion, 'name'>) => LabCodeFound;
  /** Every LOINC code that a name of a test may become in whatever unit; null where nobody has mapped it. */
  readonly labLoincsOf: (name: string) => ReadonlySet<string> | null;
  /** A panel of laboratory tests by its name. */
  readonly findPanel: (name: string) => CodeRow | null;
  readonly findUnit: (text: string) => UnitRow | null;
  readonly findCategory: (code: string) => CodeRow | null;
  readonly findInterpretation: (word: string) => CodeRow | null;
  readonly findDeviceType: (word: string) => CodeRow | null;
  /** `Negative`, `Trace`, `1+`: coded only where the optional SNOMED file is installed. */
  readonly findQualitative: (word: string) => CodeRow | null;
  readonly findSpecimen: (word: string) => CodeRow | null;
  /** A code of the gateway's own CodeSystem. */
  readonly local: (code: string) => MappedCoding;
  readonly consistency: readonly ConsistencyRow[];
  readonly findPlausibility: (code: string, unit: string) => PlausibilityRow | null;
  /** Exact, rounded half to even once at the end. Null where no factor is known. */
  readonly convert: (digits: string, from: string, to: string, decimalsMax: number) => Converted | null;
  /** As `convert`, and between mass and substance where the molar mass of what this LOINC code measures is known. */
  readonly convertSubstance: (
    code: string,
    digits: string,
    from: string,
    to: string,
    decimalsMax: number,
  ) => Converted | null;
}
