import type { Secret } from '../kernel/index.ts';
import type { ShownSetting } from './show-settings.ts';

/** `serve` is production; `demo` is everything on one machine with keys of its own making. */
export type Mode = 'serve' | 'demo';

export type DatabaseConfig =
  | { readonly engine: 'sqlite'; readonly file: string; readonly filesystem: 'local' | 'any'; readonly folder?: 'make' }
  | { readonly engine: 'postgres'; readonly url: Secret };

export type EhrAuthConfig =
  | { readonly kind: 'none' }
  | { readonly kind: 'basic'; readonly username: string; readonly password: Secret }
  | { readonly kind: 'bearer'; readonly token: Secret }
  | {
      readonly kind: 'smart-backend';
      readonly clientId: string;
      readonly privateKey: Secret;
      /** Null: the EHR's own discovery names it. */
      readonly tokenUrl: string | null;
      readonly scope: string;
    };

/** How people sign in at the embedded authorization server. */
export interface SignInConfig {
  /** The hospital's OpenID provider; null: people have accounts of ours alone. */
  readonly provider: {
    readonly issuer: string;
    readonly clientId: string;
    readonly credential:
      { readonly kind: 'secret'; readonly secret: Secret } | { readonly kind: 'key'; readonly key: Secret };
    readonly scope: string;
    readonly mapping:
      | { readonly by: 'reference'; readonly claim: string }
      | { readonly by: 'identifier'; readonly claim: string; readonly system: string }
      | { readonly by: 'account' };
    readonly groupsClaim: string;
    /** Of which a person must be in one; empty: anybody. */
    readonly groups: readonly string[];
  } | null;
  readonly localAccounts: 'on' | 'off';
  readonly secondFactor: 'everybody' | 'nobody';
  readonly frameAncestors: readonly string[];
  readonly styleUrl: string | null;
}

/** Whose tokens are taken: our own server's, or those of one elsewhere. */
export type AuthConfig =
  | { readonly kind: 'embedded'; readonly signIn: SignInConfig }
  | {
      readonly kind: 'external';
      readonly issuer: string;
      readonly origins: readonly string[];
      readonly userClaim: string;
      readonly check:
        | { readonly by: 'keys'; readonly jwksUrl: string }
        | {
            readonly by: 'introspection';
            readonly url: string;
            readonly clientId: string;
            readonly secret: Secret;
            readonly audience: 'required' | 'if-sent';
          };
    };

/**
 * How the EHR and we prove to each other who we are; null leaves it to the machine's authorities, without a certificate
 * of ours.
 */
export interface EhrTlsConfig {
  readonly client: { readonly cert: string; readonly key: Secret } | null;
  readonly ca: string | null;
}

export type HmacConfig =
  | { readonly scheme: 'off' }
  | {
      readonly scheme: 'fields' | 'raw-body' | 'standard-webhooks';
      readonly header: string;
      readonly keys: readonly Secret[];
    };

/** A collector of OpenTelemetry. */
export interface TelemetryConfig {
  /** The base, without a slash at its end. */
  readonly url: string;
  readonly headers: readonly { readonly name: string; readonly value: Secret }[];
  /** Instead of the machine's own authorities. */
  readonly ca: string | null;
  /** Of all traces, 0 to 1. */
  readonly traceShare: number;
  /** Zero: none are sent. */
  readonly metricsEveryMs: number;
}

export interface WeakSetting {
  readonly key: string;
  /** What is left unchecked. */
  readonly what: string;
  /** What a person can do about it. */
  readonly mend: string;
}

/** Divided by module: a module receives its part and no more. */
export interface Config {
  readonly mode: Mode;
  readonly environment: 'production' | 'sandbox';
  readonly http: {
    readonly host: string;
    readonly port: number;
    readonly publicUrl: string;
    readonly trustProxy: readonly string[];
    readonly tls: { readonly cert: string; readonly key: Secret } | null;
    readonly bodyBytesMax: number;
    readonly drainGraceMs: number;
  };
  /**
   * Where `/metrics` and `/readyz` are: a port of their own, or null for the gateway's; and whom they answer, null for
   * everybody.
   */
  readonly ops: { readonly port: number | null; readonly token: Secret | null };
  /** What data may take at once: the rest of it is the program's. */
  readonly memory: { readonly roomBytes: number };
  readonly log: {
    readonly level: 'error' | 'warn' | 'info' | 'debug';
    /** Null: as fits where the lines go. */
    readonly format: 'json' | 'pretty' | null;
  };
  /** Where traces and metrics are sent; null: nowhere. */
  readonly telemetry: TelemetryConfig | null;
  readonly store: { readonly database: DatabaseConfig };
  readonly keys: { readonly data: readonly Secret[]; readonly audit: readonly Secret[]; readonly pseudonym: Secret };
  readonly ehr: {
    readonly url: string;
    readonly auth: EhrAuthConfig;
    readonly tls: EhrTlsConfig | null;
    readonly dialect: string;
  };
  readonly deliver: { readonly mode: 'live' | 'shadow' };
  readonly identity: {
    readonly mrnSystem: string;
    readonly patientMode: 'lookup' | 'create';
    readonly onRevoke: 'keep' | 'retract';
  };
  readonly ingest: {
    readonly clientUuid: string | null;
    readonly dataSecrets: readonly Secret[];
    readonly notificationSecrets: readonly Secret[];
    readonly hmac: HmacConfig;
    /** With the keys of `hmac`, which is then not enforced. */
    readonly learn: boolean;
    readonly basic: readonly Secret[];
    readonly mtls: { readonly header: string; readonly names: readonly Secret[] } | null;
    readonly documentKey: 'bundle-id' | 'user-day';
    readonly labPath: string | null;
  };
  readonly admin: { readonly token: Secret | null };
  readonly operators: {
    readonly secondFactor: 'administrators' | 'everybody' | 'nobody';
    /** An identity provider for operators; null: they have accounts of ours alone. */
    readonly provider: {
      readonly issuer: string;
      readonly clientId: string;
      readonly clientSecret: Secret;
      readonly groupsClaim: string;
      /** `group=role`. */
      readonly groups: readonly string[];
    } | null;
  };
  readonly read: { readonly patients: 'linked' | 'all'; readonly types: readonly string[] };
  readonly subscriptions: { readonly privateHosts: readonly string[] };
  readonly export: {
    /** Requests to the EHR at once, for all exports of a process. */
    readonly ehrRequests: number;
    readonly underWayMax: number;
    readonly keepMs: number;
  };
  readonly auth: AuthConfig;
  readonly source: {
    readonly url: string | null;
    readonly labUrl: string | null;
    readonly secretKey: Secret | null;
    readonly password: Secret | null;
    readonly lab:
      | { readonly kind: 'none' }
      | { readonly kind: 'bearer'; readonly token: Secret }
      | { readonly kind: 'basic'; readonly username: string; readonly password: Secret };
    readonly urisFile: string | null;
  };
  readonly audit: { readonly anchor: string | null };
  readonly retention: { readonly bodyDays: number; readonly auditDays: number };
  readonly translate: {
    readonly unmapped: 'park' | 'pass-through' | 'leave-out';
    readonly labStatus: 'preliminary' | 'as-given';
    readonly sourceIdentifier: 'none' | 'secondary';
    readonly standardCodes: 'accept' | 'park';
    readonly timeAheadHours: number;
    readonly practitioner: string | null;
    readonly incomingProfiles: 'off' | 'finding' | 'quarantine';
  };
  readonly mappings: {
    readonly folder: string | null;
    readonly snomed: 'off' | 'on';
    readonly guides: readonly string[];
    readonly guideInvariants: 'compiled' | 'all';
  };
  /**
   * Permissive choices that are legal and that somebody should know of; logged at start, shown by `serve --check`, by
   * the console, and by /readyz to who may watch.
   */
  readonly weak: readonly WeakSetting[];
  /** All of them as they are in force, for the operator to look at. */
  readonly settings: readonly ShownSetting[];
}
