import { z } from 'zod';
import {
  databaseUrl,
  days,
  headerName,
  key32,
  list,
  network,
  open,
  pathSecret,
  port,
  secretKey,
  set,
  tokenAddress,
  webAddress,
  wholeNumber,
  words,
  type Key,
} from './key-kinds.ts';
import { EXPORT_KEYS } from './export-keys.ts';
import { OPERATOR_KEYS } from './operator-keys.ts';
import { SIGN_IN_KEYS } from './sign-in-keys.ts';
import { TELEMETRY_KEYS } from './telemetry-keys.ts';
import { TRANSLATION_KEYS } from './translation-keys.ts';

export type { Key } from './key-kinds.ts';

export const KEYS = {
  CHARTGATE_CONFIG: open('path', 'JSON file with the same keys; the environment wins'),
  CHARTGATE_HOST: set('address', '127.0.0.1', 'where to listen', z.string().min(1)),
  CHARTGATE_PORT: set('port', '8080', 'where to listen', port),
  CHARTGATE_OPS_PORT: open('port', 'a port of its own, at the same address, for `/metrics` and `/readyz`', port),
  CHARTGATE_OPS_TOKEN: secretKey(
    'text, 32 or more',
    'bearer token without which `/metrics` and `/readyz` answer nobody',
    z.string().min(32, 'must have 32 characters or more'),
  ),
  CHARTGATE_PUBLIC_URL: set('address', 'http://localhost:8080', 'how others reach us', webAddress),
  CHARTGATE_TRUST_PROXY: open(
    'list of addresses',
    'addresses or networks of the proxy in front',
    list.pipe(z.array(network).min(1, 'names no address')),
  ),
  CHARTGATE_TLS_CERT_FILE: open('path', 'certificate chain, for TLS by ourselves'),
  CHARTGATE_TLS_KEY_FILE: open('path', 'private key of that certificate'),
  CHARTGATE_BODY_LIMIT_MB: set(
    'number',
    '5',
    'largest webhook body, 1 to 25',
    wholeNumber.pipe(z.number().min(1).max(25)),
  ),
  CHARTGATE_MEMORY_MB: set(
    'number',
    '512',
    'how much memory `serve`, or each of its workers, may take, 448 or more: bodies, documents and answers of the EHR wait for room in it',
    wholeNumber.pipe(z.number().min(448).max(65_536)),
  ),
  CHARTGATE_DRAIN_SECONDS: set(
    'number',
    '5',
    'how long /readyz says 503 before the listener closes, 0 to 15',
    wholeNumber.pipe(z.number().max(15)),
  ),
  CHARTGATE_LOG_LEVEL: set(
    'word',
    'info',
    '`error`, `warn`, `info` or `debug`',
    words('error', 'warn', 'info', 'debug'),
  ),
  CHARTGATE_LOG_FORMAT: open(
    'word',
    '`json` or `pretty`; default: `pretty` on a terminal, `json` elsewhere',
    words('json', 'pretty'),
  ),
  ...TELEMETRY_KEYS,
  CHARTGATE_ENVIRONMENT: set(
    'word',
    'production',
    'which environment of the source the data are of: `production` or `sandbox`; a database is of one of them for ever',
    words('production', 'sandbox'),
  ),
  CHARTGATE_MODE: set(
    'word',
    'live',
    '`shadow` reads from the EHR and reports what would be written, without writing anything; `live` writes',
    words('live', 'shadow'),
  ),
  CHARTGATE_DATABASE_URL: secretKey('address', '`sqlite:FILE` or `postgres://…`', databaseUrl),
  CHARTGATE_DATA_KEY: secretKey(
    'base64',
    'encryption at rest; after a rotation "new,old"',
    list.pipe(z.array(key32).min(1).max(4)),
  ),
  CHARTGATE_AUDIT_KEY: secretKey(
    'base64',
    'audit signature; "new,old" for the start that changes it',
    list.pipe(z.array(key32).min(1).max(2)),
  ),
  CHARTGATE_PSEUDONYM_KEY: secretKey('base64', 'pseudonyms and the index over encrypted columns', key32),
  CHARTGATE_EHR_URL: open('address', "the EHR's FHIR base", webAddress),
  CHARTGATE_EHR_AUTH: set(
    'word',
    'none',
    '`none`, `basic`, `bearer` or `smart-backend`',
    words('none', 'basic', 'bearer', 'smart-backend'),
  ),
  CHARTGATE_EHR_USERNAME: open('text', 'for `basic`'),
  CHARTGATE_EHR_PASSWORD: secretKey('text', 'for `basic`'),
  CHARTGATE_EHR_TOKEN: secretKey('text', 'for `bearer`'),
  CHARTGATE_EHR_CLIENT_ID: open('text', 'for `smart-backend`'),
  CHARTGATE_EHR_PRIVATE_KEY: secretKey('PEM, JWK or JWKs', 'for `smart-backend`; of several the first signs'),
  CHARTGATE_EHR_TOKEN_URL: open('address', 'for `smart-backend`; default: what the EHR names over https', tokenAddress),
  CHARTGATE_EHR_SCOPE: set('text', 'system/*.cruds', 'for `smart-backend`', z.string().min(1)),
  CHARTGATE_EHR_TLS_CERT_FILE: open('path', 'our certificate chain, for an EHR that asks for one (mutual TLS)'),
  CHARTGATE_EHR_TLS_KEY_FILE: open('path', 'private key of that certificate'),
  CHARTGATE_EHR_TLS_CA_FILE: open(
    'path',
    "authorities that may sign the EHR's certificate, instead of the machine's own",
  ),
  CHARTGATE_MRN_SYSTEM: open(
    'URI',
    'identifier system of the MRN',
    z.string().regex(/^(urn:|https?:\/\/)[^\s|]+$/, 'must be an absolute URI'),
  ),
  CHARTGATE_PATIENT_MODE: set('word', 'lookup', '`lookup` or `create`', words('lookup', 'create')),
  CHARTGATE_CLIENT_UUID: open('text', 'our client at the source'),
  CHARTGATE_WEBHOOK_SECRET: secretKey(
    'text, 32 or more',
    'path segment of the Data Webhook; while rotating "new,old"',
    list.pipe(z.array(pathSecret).min(1).max(2)),
  ),
  CHARTGATE_NOTIFICATION_SECRET: secretKey(
    'text, 32 or more',
    'path segment of the Notification Webhook; while rotating "new,old"',
    list.pipe(z.array(pathSecret).min(1).max(2)),
  ),
  CHARTGATE_WEBHOOK_HMAC: set(
    'word',
    'off',
    '`off`, `fields`, `raw-body` or `standard-webhooks`',
    words('off', 'fields', 'raw-body', 'standard-webhooks'),
  ),
  CHARTGATE_WEBHOOK_HMAC_HEADER: open('header name', 'header that carries the signature', headerName),
  CHARTGATE_WEBHOOK_HMAC_KEY: secretKey(
    'text, 16 or more',
    'its key; while rotating "new,old"',
    list.pipe(z.array(z.string().min(16, 'must have 16 characters or more')).min(1).max(2)),
  ),
  CHARTGATE_WEBHOOK_BASIC: secretKey(
    'user:password',
    'basic authentication of the webhooks as well; while rotating "new,old"',
    list.pipe(
      z
        .array(z.string().regex(/^[^:]+:.+$/, 'must be user:password'))
        .min(1)
        .max(2),
    ),
  ),
  CHARTGATE_WEBHOOK_MTLS_HEADER: open(
    'header name',
    'header in which the trusted proxy names the client certificate it has checked',
    headerName,
  ),
  CHARTGATE_WEBHOOK_MTLS_NAME: secretKey(
    'text',
    'what it must say; while rotating "new,old"',
    list.pipe(z.array(z.string()).min(1).max(2)),
  ),
  CHARTGATE_WEBHOOK_LEARN: set(
    'word',
    'off',
    '`on` tells which signature scheme fits the key, and enforces none',
    words('off', 'on'),
  ),
  CHARTGATE_DOCUMENT_KEY: set(
    'word',
    'bundle-id',
    'what makes two clinical_ready the same document: `bundle-id` or `user-day`',
    words('bundle-id', 'user-day'),
  ),
  CHARTGATE_LAB_PATH: open(
    'path',
    'where the FHIR content of a laboratory result stands (a.b.c); default: the one place that has it',
  ),
  CHARTGATE_ADMIN_TOKEN: secretKey(
    'text, 32 or more',
    'bearer token of the admin API and the console; required by `serve`',
    z.string().min(32, 'must have 32 characters or more'),
  ),
  ...OPERATOR_KEYS,
  CHARTGATE_READ_PATIENTS: set(
    'word',
    'linked',
    'whom `user/` and `system/` tokens may see: patients with a confirmed link (`linked`) or `all`',
    words('linked', 'all'),
  ),
  CHARTGATE_READ_TYPES: open(
    'list of types',
    'resource types that `/fhir` serves beside the standard ones, and with `-` before it one that it does not',
    list.pipe(
      z.array(z.string().regex(/^-?[A-Z][A-Za-z]{1,63}$/, 'must be resource types, such as Appointment,-Media')),
    ),
  ),
  CHARTGATE_SUBSCRIPTION_PRIVATE_HOSTS: open(
    'list of hosts',
    'hosts, each with or without a port, that may be endpoints of subscriptions though they are not on the public internet; there http will do',
    list.pipe(z.array(z.string().regex(/^[\w.:[\]-]{1,255}$/, 'must be hosts, such as app.clinic.internal:8443'))),
  ),
  ...EXPORT_KEYS,
  ...SIGN_IN_KEYS,
  CHARTGATE_AUTH_ISSUER: set(
    'address',
    'embedded',
    'an external issuer instead of the embedded one',
    z.union([z.literal('embedded'), tokenAddress]),
  ),
  CHARTGATE_AUTH_JWKS_URL: open('address', "the external issuer's keys, where its tokens are JWTs", tokenAddress),
  CHARTGATE_AUTH_INTROSPECTION_URL: open('address', 'or where its tokens are asked about', tokenAddress),
  CHARTGATE_AUTH_INTROSPECTION_AUDIENCE: set(
    'word',
    'required',
    'whether its answer must name `/fhir` as `aud`: `required`, or `if-sent` where it makes tokens for this server alone',
    words('required', 'if-sent'),
  ),
  CHARTGATE_AUTH_CLIENT_ID: open('text', 'our client there'),
  CHARTGATE_AUTH_CLIENT_SECRET: secretKey('text', 'and its secret'),
  CHARTGATE_AUTH_ORIGINS: open(
    'list of origins',
    'where browser apps live that have their tokens from the external issuer',
    list.pipe(
      z.array(
        z.string().refine((text) => URL.parse(text)?.origin === text, 'must be origins, such as https://app.example'),
      ),
    ),
  ),
  CHARTGATE_AUTH_USER_CLAIM: set(
    'text',
    'fhirUser',
    "the claim of the external issuer's tokens that says who the user is; only `Practitioner/…` and `PractitionerRole/…` have `user/` scopes",
    z.string().regex(/^[^\s"\\]{1,200}$/, 'must be the name of a claim'),
  ),
  CHARTGATE_SOURCE_URL: open('address', "the health data service's API", webAddress),
  CHARTGATE_SOURCE_LAB_URL: open('address', 'its laboratory document API', webAddress),
  CHARTGATE_SOURCE_SECRET_KEY: secretKey('text', 'credential of authorizer, revoke and binding'),
  CHARTGATE_SOURCE_PASSWORD: secretKey('text', 'credential of the user profile and the monitoring rules'),
  CHARTGATE_SOURCE_LAB_TOKEN: secretKey('text', 'bearer token for laboratory documents'),
  CHARTGATE_SOURCE_LAB_USERNAME: open('text', 'or a user name'),
  CHARTGATE_SOURCE_LAB_PASSWORD: secretKey('text', 'and its password'),
  CHARTGATE_SOURCE_URIS: open(
    'path',
    "file with the service's identifier, code, tag and extension URIs; default: the sandbox's",
  ),
  CHARTGATE_ON_REVOKE: set(
    'word',
    'keep',
    'what was charted of a patient whose link or consent is revoked: `keep`, or `retract` to withdraw it',
    words('keep', 'retract'),
  ),
  CHARTGATE_RETENTION_DAYS: set('number', '90', 'days that bodies are kept', days),
  CHARTGATE_AUDIT_RETENTION_DAYS: set(
    'number',
    '2192',
    'days that audit records are kept; older ones go after they were exported beside the anchor, and never without one',
    days,
  ),
  CHARTGATE_AUDIT_ANCHOR: open(
    'path',
    'file, or folder with a slash at its end, outside the database (another mount), to which every audit checkpoint is written',
  ),
  ...TRANSLATION_KEYS,
} as const satisfies Record<string, Key>;

export type KeyName = keyof typeof KEYS;

export const isKeyName = (name: string): name is KeyName => Object.hasOwn(KEYS, name);

type Read<N extends KeyName> = z.output<(typeof KEYS)[N]['read']>;

/** What was given. A setting is undefined where it was not given, and where its value was refused. */
export type Values = { readonly [N in KeyName]?: Read<N> | undefined };

/** The same once nothing was refused: what has a standard value is there. */
export type Settled = {
  readonly [N in KeyName]: (typeof KEYS)[N]['standard'] extends null ? Read<N> | undefined : Read<N>;
};
export const STANDARD_DATABASE_URL = 'sqlite:data/chartgate.db';
