import { MEMORY, secret, type Secret } from '../kernel/index.ts';
import { checkTogether, isLoopback } from './check-together.ts';
import type { AuthConfig, Config, DatabaseConfig, EhrAuthConfig, EhrTlsConfig, HmacConfig, Mode } from './config.ts';
import { STANDARD_DATABASE_URL, type KeyName } from './keys.ts';
import { readValues, type Environment, type Problem, type ReadText, type Values } from './read-values.ts';

/** Thrown at start with every problem found, so that they can be mended in one go. */
export class ConfigError extends Error {
  readonly problems: readonly Problem[];
  constructor(problems: readonly Problem[]) {
    super(`Configuration:\n${problems.map((p) => `  ${p.key} ${p.text}`).join('\n')}`);
    this.name = 'ConfigError';
    this.problems = problems;
  }
}

const text = (value: unknown): string | null => (value === undefined ? null : (value as string));
const hidden = (value: unknown): Secret | null => (value === undefined ? null : secret(value as string));
const hiddenList = (value: unknown): Secret[] => ((value ?? []) as string[]).map(secret);

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

function toAuth(v: Values): AuthConfig {
  if (v.CHARTGATE_AUTH_ISSUER === 'embedded') return { kind: 'embedded' };
  return {
    kind: 'external',
    issuer: v.CHARTGATE_AUTH_ISSUER as string,
    origins: (v.CHARTGATE_AUTH_ORIGINS ?? []) as string[],
    userClaim: v.CHARTGATE_AUTH_USER_CLAIM as string,
    check:
      v.CHARTGATE_AUTH_INTROSPECTION_URL === undefined
        ? { by: 'keys', jwksUrl: v.CHARTGATE_AUTH_JWKS_URL as string }
        : {
            by: 'introspection',
            url: v.CHARTGATE_AUTH_INTROSPECTION_URL as string,
            clientId: v.CHARTGATE_AUTH_CLIENT_ID as string,
            secret: secret(v.CHARTGATE_AUTH_CLIENT_SECRET as string),
            audience: v.CHARTGATE_AUTH_INTROSPECTION_AUDIENCE as 'required' | 'if-sent',
          },
  };
}

const toOperators = (v: Values): Config['operators'] => ({
  secondFactor: v.CHARTGATE_OPERATOR_SECOND_FACTOR as Config['operators']['secondFactor'],
  provider:
    v.CHARTGATE_OPERATOR_ISSUER === undefined
      ? null
      : {
          issuer: v.CHARTGATE_OPERATOR_ISSUER as string,
          clientId: v.CHARTGATE_OPERATOR_CLIENT_ID as string,
          clientSecret: secret(v.CHARTGATE_OPERATOR_CLIENT_SECRET as string),
          groupsClaim: v.CHARTGATE_OPERATOR_GROUPS_CLAIM as string,
          groups: (v.CHARTGATE_OPERATOR_GROUPS ?? []) as string[],
        },
});

function toEhrAuth(v: Values): EhrAuthConfig {
  switch (v.CHARTGATE_EHR_AUTH as EhrAuthConfig['kind']) {
    case 'none':
      return { kind: 'none' };
    case 'basic':
      return {
        kind: 'basic',
        username: v.CHARTGATE_EHR_USERNAME as string,
        password: secret(v.CHARTGATE_EHR_PASSWORD as string),
      };
    case 'bearer':
      return { kind: 'bearer', token: secret(v.CHARTGATE_EHR_TOKEN as string) };
    case 'smart-backend':
      return {
        kind: 'smart-backend',
        clientId: v.CHARTGATE_EHR_CLIENT_ID as string,
        privateKey: secret(v.CHARTGATE_EHR_PRIVATE_KEY as string),
        tokenUrl: text(v.CHARTGATE_EHR_TOKEN_URL),
        scope: v.CHARTGATE_EHR_SCOPE as string,
      };
  }
}

function toEhrTls(v: Values, read: (key: KeyName) => string): EhrTlsConfig | null {
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

function toHmac(v: Values): HmacConfig {
  const scheme = v.CHARTGATE_WEBHOOK_HMAC as HmacConfig['scheme'];
  if (scheme === 'off') return { scheme };
  return {
    scheme,
    header: (v.CHARTGATE_WEBHOOK_HMAC_HEADER as string | undefined) ?? 'webhook-signature',
    keys: hiddenList(v.CHARTGATE_WEBHOOK_HMAC_KEY),
  };
}

function toLab(v: Values): Config['source']['lab'] {
  if (v.CHARTGATE_SOURCE_LAB_TOKEN !== undefined)
    return { kind: 'bearer', token: secret(v.CHARTGATE_SOURCE_LAB_TOKEN as string) };
  if (v.CHARTGATE_SOURCE_LAB_USERNAME === undefined) return { kind: 'none' };
  return {
    kind: 'basic',
    username: v.CHARTGATE_SOURCE_LAB_USERNAME as string,
    password: secret(v.CHARTGATE_SOURCE_LAB_PASSWORD as string),
  };
}

/**
 * Legal choices that leave something unchecked. They are logged at start, shown by `serve --check`, and by /readyz to
 * who may watch.
 */
function listUnverified(v: Values, database: DatabaseConfig): string[] {
  const out: string[] = [];
  if (v.CHARTGATE_WEBHOOK_HMAC === 'off')
    out.push('webhook bodies are not signed: whoever learns the address can send data');
  if (v.CHARTGATE_WEBHOOK_HMAC === 'fields') out.push('the signature of webhooks does not cover their bodies');
  if (v.CHARTGATE_READ_PATIENTS === 'all')
    out.push('tokens that are not bound to a patient see every patient of the EHR');
  if (v.CHARTGATE_WEBHOOK_LEARN === 'on') out.push('the signature of webhooks is learned and not enforced');
  if (v.CHARTGATE_CLIENT_UUID === undefined)
    out.push('CHARTGATE_CLIENT_UUID is not set: deliveries of any client are taken');
  if (typeof v.CHARTGATE_EHR_URL === 'string' && v.CHARTGATE_EHR_URL.startsWith('http:'))
    out.push('the EHR is reached without TLS');
  if (typeof v.CHARTGATE_EHR_TOKEN_URL === 'string' && v.CHARTGATE_EHR_TOKEN_URL.startsWith('http:'))
    out.push("the EHR's tokens are fetched without TLS");
  const publicUrl = URL.parse(v.CHARTGATE_PUBLIC_URL as string);
  if (publicUrl?.protocol === 'http:' && !isLoopback(publicUrl.hostname))
    out.push('apps and people reach us without TLS');
  if (v.CHARTGATE_AUDIT_ANCHOR === undefined)
    out.push('audit checkpoints are kept in the database alone: an older copy of it would look sound');
  if (database.engine === 'sqlite' && database.filesystem === 'any')
    out.push('the file system of the database is not checked');
  if (database.engine === 'postgres') {
    const url = new URL(database.url.reveal());
    const tls = url.searchParams.get('sslmode');
    const hosts = [url.hostname, ...url.searchParams.getAll('host')].filter(
      (host) => host !== '' && !host.startsWith('/'),
    );
    if (hosts.some((host) => !isLoopback(host)) && tls !== 'verify-full')
      out.push('PostgreSQL is reached without sslmode=verify-full');
  }
  return out;
}

function toConfig(mode: Mode, v: Values, readText: ReadText, problems: Problem[]): Config {
  const database = toDatabase((v.CHARTGATE_DATABASE_URL as string | undefined) ?? STANDARD_DATABASE_URL);
  const readOrReport = (key: KeyName): string => {
    try {
      return readText(v[key] as string);
    } catch {
      problems.push({ key, text: 'the file cannot be read' });
      return '';
    }
  };
  return {
    mode,
    environment: v.CHARTGATE_ENVIRONMENT as Config['environment'],
    http: {
      host: v.CHARTGATE_HOST as string,
      port: v.CHARTGATE_PORT as number,
      publicUrl: v.CHARTGATE_PUBLIC_URL as string,
      trustProxy: (v.CHARTGATE_TRUST_PROXY ?? []) as string[],
      tls:
        v.CHARTGATE_TLS_CERT_FILE === undefined
          ? null
          : { cert: readOrReport('CHARTGATE_TLS_CERT_FILE'), key: secret(readOrReport('CHARTGATE_TLS_KEY_FILE')) },
      bodyBytesMax: (v.CHARTGATE_BODY_LIMIT_MB as number) * 1024 * 1024,
      drainGraceMs: (v.CHARTGATE_DRAIN_SECONDS as number) * 1000,
    },
    ops: { port: (v.CHARTGATE_OPS_PORT as number | undefined) ?? null, token: hidden(v.CHARTGATE_OPS_TOKEN) },
    memory: { roomBytes: (v.CHARTGATE_MEMORY_MB as number) * 1024 * 1024 - MEMORY.programBytes },
    log: { level: v.CHARTGATE_LOG_LEVEL as Config['log']['level'] },
    store: { database },
    keys: {
      data: hiddenList(v.CHARTGATE_DATA_KEY),
      audit: hiddenList(v.CHARTGATE_AUDIT_KEY),
      pseudonym: secret((v.CHARTGATE_PSEUDONYM_KEY ?? '') as string),
    },
    ehr: {
      url: (v.CHARTGATE_EHR_URL ?? '') as string,
      auth: toEhrAuth(v),
      tls: toEhrTls(v, readOrReport),
      dialect: v.CHARTGATE_DIALECT as string,
    },
    deliver: { mode: v.CHARTGATE_MODE as Config['deliver']['mode'] },
    identity: {
      mrnSystem: (v.CHARTGATE_MRN_SYSTEM ?? '') as string,
      patientMode: v.CHARTGATE_PATIENT_MODE as 'lookup' | 'create',
      onRevoke: v.CHARTGATE_ON_REVOKE as 'keep' | 'retract',
    },
    ingest: {
      clientUuid: text(v.CHARTGATE_CLIENT_UUID),
      dataSecrets: hiddenList(v.CHARTGATE_WEBHOOK_SECRET),
      notificationSecrets: hiddenList(v.CHARTGATE_NOTIFICATION_SECRET),
      hmac: toHmac(v),
      learn: v.CHARTGATE_WEBHOOK_LEARN === 'on',
      basic: hiddenList(v.CHARTGATE_WEBHOOK_BASIC),
      mtls:
        v.CHARTGATE_WEBHOOK_MTLS_HEADER === undefined
          ? null
          : { header: v.CHARTGATE_WEBHOOK_MTLS_HEADER as string, names: hiddenList(v.CHARTGATE_WEBHOOK_MTLS_NAME) },
      documentKey: v.CHARTGATE_DOCUMENT_KEY as 'bundle-id' | 'user-day',
      labPath: text(v.CHARTGATE_LAB_PATH),
    },
    admin: { token: hidden(v.CHARTGATE_ADMIN_TOKEN) },
    operators: toOperators(v),
    read: {
      patients: v.CHARTGATE_READ_PATIENTS as 'linked' | 'all',
      types: (v.CHARTGATE_READ_TYPES ?? []) as string[],
    },
    auth: toAuth(v),
    source: {
      url: text(v.CHARTGATE_SOURCE_URL),
      labUrl: text(v.CHARTGATE_SOURCE_LAB_URL),
      secretKey: hidden(v.CHARTGATE_SOURCE_SECRET_KEY),
      password: hidden(v.CHARTGATE_SOURCE_PASSWORD),
      lab: toLab(v),
      urisFile: text(v.CHARTGATE_SOURCE_URIS),
    },
    audit: { anchor: text(v.CHARTGATE_AUDIT_ANCHOR) },
    retention: {
      bodyDays: v.CHARTGATE_RETENTION_DAYS as number,
      auditDays: v.CHARTGATE_AUDIT_RETENTION_DAYS as number,
    },
    translate: {
      unmapped: v.CHARTGATE_UNMAPPED as 'park' | 'pass-through' | 'leave-out',
      labStatus: v.CHARTGATE_LAB_STATUS as 'preliminary' | 'as-given',
      sourceIdentifier: v.CHARTGATE_SOURCE_IDENTIFIER as 'none' | 'secondary',
      standardCodes: v.CHARTGATE_STANDARD_CODES as 'accept' | 'park',
      timeAheadHours: v.CHARTGATE_TIME_AHEAD_HOURS as number,
    },
    mappings: { folder: text(v.CHARTGATE_MAPPINGS), snomed: v.CHARTGATE_SNOMED as 'off' | 'on' },
    unverified: listUnverified(v, database),
  };
}

function freeze<T extends object>(value: T): T {
  for (const part of Object.values(value))
    if (typeof part === 'object' && part !== null && !Object.isFrozen(part)) freeze(part as object);
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
  const config = toConfig(mode, values, readText, problems);
  if (problems.length > 0) throw new ConfigError(problems);
  return freeze(config);
}
