/**
 * How this server misbehaves or what it lacks. The same switches serve as its character (`traits`, also told by its
 * CapabilityStatement) and as faults of single requests (`rules`).
 */
export interface Switches {
  /** Answers this status instead of doing the work. */
  readonly status?: number;
  readonly retryAfter?: string;
  /** What stands in such an answer. */
  readonly body?: 'outcome' | 'html' | 'empty';
  readonly delayMs?: number;
  /** Cuts the connection: before anything was done, or after it was done and before the answer. */
  readonly drop?: 'before-commit' | 'after-commit';
  /** Never answers; or answers its head and never its body. */
  readonly hang?: 'before-head' | 'after-head';
  /** Sends only this share of the answer's bytes, then cuts. */
  readonly truncate?: number;
  /** Sends one byte a time, this far apart. */
  readonly dripMs?: number;
  /** Adds this many bytes of blanks to the answer. */
  readonly padBytes?: number;
  /** Says 307 to this address. */
  readonly redirect?: string;
  readonly contentType?: string;
  /** Treats a transaction as a batch and still says `transaction-response`. */
  readonly silentBatch?: boolean;
  readonly refuseConditional?: boolean;
  /** Refuses a Bundle with more entries. */
  readonly maxEntries?: number;
  /** As `maxEntries`, where an entry is conditional. */
  readonly maxConditionalEntries?: number;
  readonly noClientIds?: boolean;
  readonly noTransactions?: boolean;
  readonly noBatch?: boolean;
  /** Pretends not to know these search parameters: they are ignored, as a lenient server does. */
  readonly ignoreParams?: readonly string[];
  /** Refuses PUT without If-Match, and a stale one by 409. */
  readonly requireIfMatch?: boolean;
  /** Takes writes of these types only. */
  readonly writableTypes?: readonly string[];
  /** Answers a create with no body and a Location without a version. */
  readonly bareCreate?: boolean;
  /** As what it gives itself out in its CapabilityStatement. */
  readonly software?: string;
  readonly publisher?: string;
  readonly implementation?: string;
  /** Fails the entries of a Bundle at these places. */
  readonly failEntries?: readonly number[];
}

/** A fault for the requests that it matches: skips `after` of them, then acts on `times` of them. */
export interface Rule extends Switches {
  readonly method?: string;
  /** A part of the path. */
  readonly path?: string;
  readonly after?: number;
  readonly times?: number;
}

export interface SwitchBoard {
  traits(): Switches;
  setTraits(traits: Switches): void;
  rules(): readonly Rule[];
  /** Replaces all rules; their counts begin anew. */
  setRules(rules: readonly Rule[]): void;
  /** The switches for one request. Counts it. */
  decide(method: string, path: string): Switches;
}

export function makeSwitchBoard(): SwitchBoard {
  let traits: Switches = {};
  let rules: { readonly rule: Rule; seen: number }[] = [];
  return {
    traits: () => traits,
    setTraits: (next) => void (traits = next),
    rules: () => rules.map(({ rule }) => rule),
    setRules: (next) => void (rules = next.map((rule) => ({ rule, seen: 0 }))),
    decide(method, path) {
      let switches = traits;
      for (const entry of rules) {
        const { method: ofMethod, path: ofPath, after = 0, times = Infinity, ...more } = entry.rule;
        if (ofMethod !== undefined && ofMethod !== method) continue;
        if (ofPath !== undefined && !path.includes(ofPath)) continue;
        entry.seen += 1;
        if (entry.seen > after && entry.seen <= after + times) switches = { ...switches, ...more };
      }
      return switches;
    },
  };
}
