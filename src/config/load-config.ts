import { MEMORY, secret, type Secret } from '../kernel/index.ts';
import { checkTogether } from './check-together.ts';
import type { AuthConfig, Config, DatabaseConfig, EhrAuthConfig, EhrTlsConfig, HmacConfig, Mode } from './config.ts';
import { STANDARD_DATABASE_URL, type KeyName, type Settled } from './keys.ts';
import { listWeak } from './list-weak.ts';
import { showSettings } from './show-settings.ts';
import { toSignIn } from './to-sign-in.ts';
import { toTelemetry } from './to-telemetry.ts';
import { readValues, settle, type Environment, type Problem, type ReadText } from './read-values.ts';

/** Thrown at start with every problem found, so that they can be mended in one go. */
export class ConfigError extends Error {
  readonly problems: readonly Problem[];
  constructor(problems: readonly Problem[]) {
    super(`Configuration:\n${problems.map((p) => `  ${p.key} ${p.text}`).join('\n')}`);
    this.name = 'ConfigError';
    this.problems = problems;
  }
}

const hidden = (value: string | undefined): Secret | null => (value === undefined ? null : secret(value));
const hiddenList = (values: readonly string[] = []): Secret[] => values.map(secret);
/** What `checkTogether` asks for in this combination of settings is there. */
function needed<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('a setting is missing that checkTogether should have asked for');
  return value;
}

/** What CHARTGATE_DATABASE_URL means. */
export function toDatabase(url: string): DatabaseConfig {
  if (!url.startsWith('sqlite:')) return { engine: 'postgres', url: secret(url) };
  const [file = '', query = ''] = url.slice('sqlite:'.length).split('?');
  const wishes = new URLSearchParams(query);
  return {
    engine: 'sqlite',
    file,
    filesystem: wishes.has('filesystem') ? 'any' : 'local',
    ...(wishes.has('create') ? { folder: 'make' } : {}),
  };
}

/** Settings that name a file whose text is part of the configuration. */
type FileKey = Extract<KeyName, `${string}_TLS_${string}_FILE`>;

function toAuth(v: Settled): AuthConfig {
  if (v.CHARTGATE_AUTH_ISSUER === 'embedded') return { kind: 'embedded', signIn: toSignIn(v) };
  return {
    kind: 'external',
    issuer: v.CHARTGATE_AUTH_ISSUER,
    origins: v.CHARTGATE_AUTH_ORIGINS ?? [],
    userClaim: v.CHARTGATE_AUTH_USER_CLAIM,
    check:
      v.CHARTGATE_AUTH_INTROSPECTION_URL === undefined
        ? { by: 'keys', jwksUrl: needed(v.CHARTGATE_AUTH_JWKS_URL) }
        : {
            by: 'introspection',
            url: v.CHARTGATE_AUTH_INTROSPECTION_URL,
            clientId: needed(v.CHARTGATE_AUTH_CLIENT_ID),
            secret: secret(needed(v.CHARTGATE_AUTH_CLIENT_SECRET)),
            audience: v.CHARTGATE_AUTH_INTROSPECTION_AUDIENCE,
          },
  };
}

const toOperators = (v: Settled): Config['operators'] => ({
  secondFactor: v.CHARTGATE_OPERATOR_SECOND_FACTOR,
  provider:
    v.CHARTGATE_OPERATOR_ISSUER === undefined
      ? null
      : {
          issuer: v.CHARTGATE_OPERATOR_ISSUER,
          clientId: v.CHARTGATE_OPERATOR_CLIENT_ID ?? '',
          clientSecret: secret(v.CHARTGATE_OPERATOR_CLIENT_SECRET ?? ''),
          groupsClaim: v.CHARTGATE_OPERATOR_GROUPS_CLAIM,
          groups: v.CHARTGATE_OPERATOR_GROUPS ?? [],
        },
});

function toEhrAuth(v: Settled): EhrAuthConfig {
  switch (v.CHARTGATE_EHR_AUTH) {
    case 'none':
      return { kind: 'none' };
    case 'basic':
      return {
        kind: 'basic',
        username: needed(v.CHARTGATE_EHR_USERNAME),
        password: secret(needed(v.CHARTGATE_EHR_PASSWORD)),
      };
    case 'bearer':
      return { kind: 'bearer', token: secret(needed(v.CHARTGATE_EHR_TOKEN)) };
    case 'smart-backend':
      return {
        kind: 'smart-backend',
        clientId: needed(v.CHARTGATE_EHR_CLIENT_ID),
        privateKey: secret(needed(v.CHARTGATE_EHR_PRIVATE_KEY)),
        tokenUrl: v.CHARTGATE_EHR_TOKEN_URL ?? null,
        scope: v.CHARTGATE_EHR_SCOPE,
      };
  }
}

function toEhrTls(v: Settled, read: (key: FileKey) => string): EhrTlsConfig | null {
  const hasClient = v.CHARTGATE_EHR_TLS_CERT_FILE !== undefined;
  const hasCa = v.CHARTGATE_EHR_TLS_CA_FILE !== undefined;
  if (!hasClient && !hasCa) return null;
  return {
    client: hasClient
      ? { cert: read('CHARTGATE_EHR_TLS_CERT_FILE'), key: secret(read('CHARTGATE_EHR_TLS_KEY_FILE')) }
      : null,
    ca: hasCa ? read('CHARTGATE_EHR_TLS_CA_FILE') : null,
  };
}

function toHmac(v: Settled): HmacConfig {
  const scheme = v.CHARTGATE_WEBHOOK_HMAC;
  if (scheme === 'off') return { scheme };
  return {
    scheme,
    header: v.CHARTGATE_WEBHOOK_HMAC_HEADER ?? 'webhook-signature',
    keys: hiddenList(v.CHARTGATE_WEBHOOK_HMAC_KEY),
  };
}

function toLab(v: Settled): Config['source']['lab'] {
  if (v.CHARTGATE_SOURCE_LAB_TOKEN !== undefined)
    return { kind: 'bearer', token: secret(v.CHARTGATE_SOURCE_LAB_TOKEN) };
  if (v.CHARTGATE_SOURCE_LAB_USERNAME === undefined) return { kind: 'none' };
  return {
    kind: 'basic',
    username: v.CHARTGATE_SOURCE_LAB_USERNAME,
    password: secret(needed(v.CHARTGATE_SOURCE_LAB_PASSWORD)),
  };
}

function toConfig(mode: Mode, v: Settled, readText: ReadText, problems: Problem[]): Omit<Config, 'settings'> {
  const database = toDatabase(v.CHARTGATE_DATABASE_URL ?? STANDARD_DATABASE_URL);
  const readOrReport = (key: FileKey): string => {
    try {
      return readText(needed(v[key]));
    } catch {
      problems.push({ key, text: 'the file cannot be read' });
      return '';
    }
  };
  return {
    mode,
    environment: v.CHARTGATE_ENVIRONMENT,
    http: {
      host: v.CHARTGATE_HOST,
      port: v.CHARTGATE_PORT,
      publicUrl: v.CHARTGATE_PUBLIC_URL,
      trustProxy: v.CHARTGATE_TRUST_PROXY ?? [],
      tls:
        v.CHARTGATE_TLS_CERT_FILE === undefined
          ? null
          : { cert: readOrReport('CHARTGATE_TLS_CERT_FILE'), key: secret(readOrReport('CHARTGATE_TLS_KEY_FILE')) },
      bodyBytesMax: v.CHARTGATE_BODY_LIMIT_MB * 1024 * 1024,
      drainGraceMs: v.CHARTGATE_DRAIN_SECONDS * 1000,
    },
    ops: { port: v.CHARTGATE_OPS_PORT ?? null, token: hidden(v.CHARTGATE_OPS_TOKEN) },
    memory: { roomBytes: v.CHARTGATE_MEMORY_MB * 1024 * 1024 - MEMORY.programBytes },
    log: { level: v.CHARTGATE_LOG_LEVEL, format: v.CHARTGATE_LOG_FORMAT ?? null },
    telemetry: toTelemetry(v, readOrReport),
    store: { database },
    keys: {
      data: hiddenList(v.CHARTGATE_DATA_KEY),
      audit: hiddenList(v.CHARTGATE_AUDIT_KEY),
      pseudonym: secret(v.CHARTGATE_PSEUDONYM_KEY ?? ''),
    },
    ehr: {
      url: v.CHARTGATE_EHR_URL ?? '',
      auth: toEhrAuth(v),
      tls: toEhrTls(v, readOrReport),
      dialect: v.CHARTGATE_DIALECT,
    },
    deliver: { mode: v.CHARTGATE_MODE },
    identity: {
      mrnSystem: v.CHARTGATE_MRN_SYSTEM ?? '',
      patientMode: v.CHARTGATE_PATIENT_MODE,
      onRevoke: v.CHARTGATE_ON_REVOKE,
    },
    ingest: {
      clientUuid: v.CHARTGATE_CLIENT_UUID ?? null,
      dataSecrets: hiddenList(v.CHARTGATE_WEBHOOK_SECRET),
      notificationSecrets: hiddenList(v.CHARTGATE_NOTIFICATION_SECRET),
      hmac: toHmac(v),
      learn: v.CHARTGATE_WEBHOOK_LEARN === 'on',
      basic: hiddenList(v.CHARTGATE_WEBHOOK_BASIC),
      mtls:
        v.CHARTGATE_WEBHOOK_MTLS_HEADER === undefined
          ? null
          : { header: v.CHARTGATE_WEBHOOK_MTLS_HEADER, names: hiddenList(v.CHARTGATE_WEBHOOK_MTLS_NAME) },
      documentKey: v.CHARTGATE_DOCUMENT_KEY,
      labPath: v.CHARTGATE_LAB_PATH ?? null,
    },
    admin: { token: hidden(v.CHARTGATE_ADMIN_TOKEN) },
    operators: toOperators(v),
    read: {
      patients: v.CHARTGATE_READ_PATIENTS,
      types: v.CHARTGATE_READ_TYPES ?? [],
    },
    subscriptions: { privateHosts: v.CHARTGATE_SUBSCRIPTION_PRIVATE_HOSTS ?? [] },
    export: {
      ehrRequests: v.CHARTGATE_EXPORT_REQUESTS,
      underWayMax: v.CHARTGATE_EXPORTS,
      keepMs: v.CHARTGATE_EXPORT_HOURS * 3_600_000,
    },
    auth: toAuth(v),
    source: {
      url: v.CHARTGATE_SOURCE_URL ?? null,
      labUrl: v.CHARTGATE_SOURCE_LAB_URL ?? null,
      secretKey: hidden(v.CHARTGATE_SOURCE_SECRET_KEY),
      password: hidden(v.CHARTGATE_SOURCE_PASSWORD),
      lab: toLab(v),
      urisFile: v.CHARTGATE_SOURCE_URIS ?? null,
    },
    audit: { anchor: v.CHARTGATE_AUDIT_ANCHOR ?? null },
    retention: {
      bodyDays: v.CHARTGATE_RETENTION_DAYS,
      auditDays: v.CHARTGATE_AUDIT_RETENTION_DAYS,
    },
    translate: {
      unmapped: v.CHARTGATE_UNMAPPED,
      labStatus: v.CHARTGATE_LAB_STATUS,
      sourceIdentifier: v.CHARTGATE_SOURCE_IDENTIFIER,
      standardCodes: v.CHARTGATE_STANDARD_CODES,
      timeAheadHours: v.CHARTGATE_TIME_AHEAD_HOURS,
      practitioner: v.CHARTGATE_EHR_PRACTITIONER ?? null,
      incomingProfiles: v.CHARTGATE_INCOMING_PROFILES,
    },
    mappings: {
      folder: v.CHARTGATE_MAPPINGS ?? null,
      snomed: v.CHARTGATE_SNOMED,
      guides: v.CHARTGATE_GUIDES ?? [],
      guideInvariants: v.CHARTGATE_GUIDE_INVARIANTS,
    },
    weak: listWeak(v, database),
  };
}

function freeze<T extends object>(value: T): T {
  for (const part of Object.values(value))
    if (typeof part === 'object' && part !== null && !Object.isFrozen(part)) freeze(part);
  return Object.freeze(value);
}

/** The whole configuration, or a ConfigError that lists every problem. Called once, by main.ts. */
export function loadConfig(mode: Mode, env: Environment, readText: ReadText): Config {
  const problems: Problem[] = [];
  const values = readValues(env, readText, problems);
  const reported = new Set(problems.map((p) => p.key.replace(/_FILE$/, '')));
  // A setting whose value was refused is not also "missing".
  problems.push(...checkTogether(mode, values).filter((p) => !reported.has(p.key)));
  if (problems.length > 0) throw new ConfigError(problems);
  const config = toConfig(mode, settle(values), readText, problems);
  if (problems.length > 0) throw new ConfigError(problems);
  return freeze({ ...config, settings: showSettings(env, readText) });
}
