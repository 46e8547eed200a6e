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
  /**
   * Treats a transaction as a batch and still says `transaction-response`. (Medplum without the feature
   * transaction-bundles)
   */
  readonly silentBatch?: boolean;
  /**
   * The same, by a server that admits it: `batch-response`. Ids are given out before the first entry is carried out, so
   * that entries find each other. (Medplum without the feature transaction-bundles, but for the type that it names)
   */
  readonly transactionAsBatch?: boolean;
  readonly refuseConditional?: boolean;
  /** Refuses a Bundle with more entries. */
  readonly maxEntries?: number;
  /** Refuses, by a plain 400, a transaction with more entries of which one is conditional. (Medplum: 8) */
  readonly maxConditionalEntries?: number;
  readonly noClientIds?: boolean;
  readonly noTransactions?: boolean;
  readonly noBatch?: boolean;
  /** Pretends not to know these search parameters: they are ignored, as a lenient server does. */
  readonly ignoreParams?: readonly string[];
  /** Refuses PUT without If-Match, and a stale one by 409. */
  readonly requireIfMatch?: boolean;
  /** Its CapabilityStatement says nothing of versions (Oracle Health). */
  readonly unsaidVersions?: boolean;
  /** Refuses an Observation of the category vital-signs whose performer is no Practitioner (Oracle Health). */
  readonly vitalSignsByPractitioner?: boolean;
  /** Takes writes of these types only. */
  readonly writableTypes?: readonly string[];
  /** Answers a create with no body and a Location without a version. */
  readonly bareCreate?: boolean;
  /** A Location begins with this, as behind a proxy that does not rewrite it, and not with where it was asked. */
  readonly locationBase?: string;
  /** Asked for a minimal answer to a Bundle, answers with no body at all (Medplum). */
  readonly emptyMinimal?: boolean;
  /** An update of what was deleted brings it back, whatever If-Match says (Medplum). */
  readonly resurrectDeleted?: boolean;
  /** Entries of a Bundle's answer name neither an ETag nor a version (Medplum). */
  readonly bareEntries?: boolean;
  /** As what it gives itself out in its CapabilityStatement. */
  readonly software?: string;
  readonly publisher?: string;
  readonly implementation?: string;
  /** Fails the entries of a Bundle at these places. */
  readonly failEntries?: readonly number[];
  /** An update keeps the tags, security labels and profiles that it leaves out. (HAPI) */
  readonly unionTags?: boolean;
  /**
   * What becomes of the tags, profiles, security labels and source that a client sends. `dropped`: nothing is kept
   * (Oracle Health, athenahealth). `rewritten`: the server's own stand in their place (HAPI the source; Google, Azure
   * parts).
   */
  readonly meta?: 'dropped' | 'rewritten';
  /**
   * `uuid`: versions are named by UUIDs (Medplum; Azure and others by other opaque ids). `absent`: no `meta.versionId`,
   * no ETag, no version in a Location, no history, and If-Match is ignored (small vendor servers).
   */
  readonly versionIds?: 'uuid' | 'absent';
  /**
   * Decimals lose their trailing zeros: 70.10 becomes 70.1, 5.0 becomes 5. (Medplum, and whatever keeps numbers as
   * doubles)
   */
  readonly normaliseNumbers?: boolean;
  /** What has no `text` gets a generated one. (HAPI with its narrative generator, others) */
  readonly addNarrative?: boolean;
  /** Identifiers are kept in the opposite order. (several relational servers) */
  readonly reorderIdentifiers?: boolean;
  /** Codings and references without a `display` get one. (Epic, Oracle Health) */
  readonly addDisplay?: boolean;
  /** References to this server come back as absolute addresses. (some vendor servers) */
  readonly absoluteReferences?: boolean;
  /**
   * A write is found by searches and by conditions only after this long; a read by id sees it at once. What a search
   * finds before is what was there before the write. (Google Healthcare API, Azure and others with an index beside the
   * store)
   */
  readonly searchLagMs?: number;
  /** No history and no reading of a version. (many hosted servers) */
  readonly noHistory?: boolean;
  /** A PUT is done, and answered with body and ETag of the version before it. (caching proxies, read replicas) */
  readonly staleAnswers?: boolean;
}

/** A fault for the requests that it matches: skips `after` of them, then acts on `times` of them. */
export interface Rule extends Switches {
  readonly method?: string;
  /** A part of the path. */
  readonly path?: string;
  /** A part that the path may not have: a POST to `_search` is no write. */
  readonly exceptPath?: string;
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
        const { method: ofMethod, path: ofPath, exceptPath, after = 0, times = Infinity, ...more } = entry.rule;
        if (ofMethod !== undefined && ofMethod !== method) continue;
        if (ofPath !== undefined && !path.includes(ofPath)) continue;
        if (exceptPath !== undefined && path.includes(exceptPath)) continue;
        entry.seen += 1;
        if (entry.seen > after && entry.seen <= after + times) switches = { ...switches, ...more };
      }
      return switches;
    },
  };
}
