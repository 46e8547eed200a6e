import { MEMORY } from '../kernel/index.ts';
import type { KeyName, Values } from './keys.ts';
import type { Mode } from './config.ts';
import type { Problem } from './read-values.ts';
import { checkSignIn } from './to-sign-in.ts';
import { checkTelemetry } from './to-telemetry.ts';

const PROGRAM_MB = MEMORY.programBytes / (1024 * 1024);
const PARSED_COST = MEMORY.cost.document;

const LOOPBACK_HOSTS = new Set(['127.0.0.1', '::1', 'localhost', '[::1]']);
export const isLoopback = (host: string): boolean => LOOPBACK_HOSTS.has(host);

/** Addresses at which people of every organization, or anybody at all, sign in. */
const isForManyTenants = ({ hostname, pathname }: URL): boolean =>
  hostname === 'login.microsoftonline.com' && /\/(?:common|organizations|consumers)(?:\/|$)/i.test(pathname);

const OF_EXTERNAL = [
  'CHARTGATE_AUTH_JWKS_URL',
  'CHARTGATE_AUTH_INTROSPECTION_URL',
  'CHARTGATE_AUTH_CLIENT_ID',
  'CHARTGATE_AUTH_CLIENT_SECRET',
  'CHARTGATE_AUTH_ORIGINS',
] as const;

function checkIssuer(v: Values, has: (key: KeyName) => boolean): Problem[] {
  if (v.CHARTGATE_AUTH_ISSUER === 'embedded' || v.CHARTGATE_AUTH_ISSUER === undefined)
    return OF_EXTERNAL.filter(has).map((key) => ({
      key,
      text: 'has no effect without an external CHARTGATE_AUTH_ISSUER',
    }));
  const isAsked = has('CHARTGATE_AUTH_INTROSPECTION_URL');
  if (has('CHARTGATE_AUTH_JWKS_URL') === isAsked)
    return [
      {
        key: 'CHARTGATE_AUTH_JWKS_URL',
        text: 'or CHARTGATE_AUTH_INTROSPECTION_URL, one of them, is needed with an external CHARTGATE_AUTH_ISSUER',
      },
    ];
  const credentials = ['CHARTGATE_AUTH_CLIENT_ID', 'CHARTGATE_AUTH_CLIENT_SECRET'] as const;
  return credentials
    .filter((key) => has(key) !== isAsked)
    .map((key) => ({
      key,
      text: isAsked
        ? 'is needed by CHARTGATE_AUTH_INTROSPECTION_URL'
        : 'has no effect without CHARTGATE_AUTH_INTROSPECTION_URL',
    }));
}

const OF_PROVIDER = [
  'CHARTGATE_OPERATOR_CLIENT_ID',
  'CHARTGATE_OPERATOR_CLIENT_SECRET',
  'CHARTGATE_OPERATOR_GROUPS',
] as const;

function checkProvider(has: (key: KeyName) => boolean): Problem[] {
  const isThere = has('CHARTGATE_OPERATOR_ISSUER');
  return OF_PROVIDER.filter((key) => has(key) !== isThere).map((key) => ({
    key,
    text: isThere ? 'is needed by CHARTGATE_OPERATOR_ISSUER' : 'has no effect without CHARTGATE_OPERATOR_ISSUER',
  }));
}

/** Combinations that hurt: each setting may be fine alone. */
export function checkTogether(mode: Mode, v: Values): Problem[] {
  const problems: Problem[] = [];
  const problem = (key: KeyName, text: string): void => void problems.push({ key, text });
  const has = (key: KeyName): boolean => v[key] !== undefined;
  const need = (key: KeyName, why: string): void => {
    if (!has(key)) problem(key, why);
  };

  if (has('CHARTGATE_OPS_PORT') && v.CHARTGATE_OPS_PORT === v.CHARTGATE_PORT && v.CHARTGATE_PORT !== 0)
    problem('CHARTGATE_OPS_PORT', 'must differ from CHARTGATE_PORT');
  if (has('CHARTGATE_TLS_CERT_FILE') !== has('CHARTGATE_TLS_KEY_FILE'))
    problem('CHARTGATE_TLS_CERT_FILE', 'and CHARTGATE_TLS_KEY_FILE go together');
  if (v.CHARTGATE_MEMORY_MB !== undefined && v.CHARTGATE_BODY_LIMIT_MB !== undefined) {
    const least = PROGRAM_MB + PARSED_COST * v.CHARTGATE_BODY_LIMIT_MB;
    if (v.CHARTGATE_MEMORY_MB < least)
      problem('CHARTGATE_MEMORY_MB', `must be ${least} or more to read bodies of CHARTGATE_BODY_LIMIT_MB`);
  }
  if (v.CHARTGATE_WEBHOOK_HMAC !== 'off' && v.CHARTGATE_WEBHOOK_HMAC !== undefined) {
    need('CHARTGATE_WEBHOOK_HMAC_KEY', 'is needed by CHARTGATE_WEBHOOK_HMAC');
    if (v.CHARTGATE_WEBHOOK_HMAC !== 'standard-webhooks')
      need('CHARTGATE_WEBHOOK_HMAC_HEADER', 'is needed by CHARTGATE_WEBHOOK_HMAC');
    const decoded = (v.CHARTGATE_WEBHOOK_HMAC_KEY ?? []).map((one) => one.replace(/^whsec_/, ''));
    if (
      v.CHARTGATE_WEBHOOK_HMAC === 'standard-webhooks' &&
      !decoded.every((one) => /^[A-Za-z0-9+/]{32,}={0,2}$/.test(one))
    )
      problem(
        'CHARTGATE_WEBHOOK_HMAC_KEY',
        'must be base64 of 24 bytes or more (with or without whsec_) for standard-webhooks',
      );
  } else if (has('CHARTGATE_WEBHOOK_HMAC_KEY')) {
    problem('CHARTGATE_WEBHOOK_HMAC_KEY', 'has no effect while CHARTGATE_WEBHOOK_HMAC is off');
  }
  if (v.CHARTGATE_WEBHOOK_LEARN === 'on' && (v.CHARTGATE_WEBHOOK_HMAC === 'off' || !has('CHARTGATE_WEBHOOK_SECRET')))
    problem(
      'CHARTGATE_WEBHOOK_LEARN',
      'needs CHARTGATE_WEBHOOK_HMAC with its key to learn about, and CHARTGATE_WEBHOOK_SECRET to be safe meanwhile',
    );
  if (has('CHARTGATE_WEBHOOK_MTLS_HEADER') !== has('CHARTGATE_WEBHOOK_MTLS_NAME'))
    problem('CHARTGATE_WEBHOOK_MTLS_HEADER', 'and CHARTGATE_WEBHOOK_MTLS_NAME go together');
  if (has('CHARTGATE_WEBHOOK_MTLS_HEADER') && !has('CHARTGATE_TRUST_PROXY'))
    problem('CHARTGATE_WEBHOOK_MTLS_HEADER', 'is worth something only from a proxy that CHARTGATE_TRUST_PROXY names');
  const auth = v.CHARTGATE_EHR_AUTH;
  const ehrUrl = v.CHARTGATE_EHR_URL === undefined ? null : new URL(v.CHARTGATE_EHR_URL);
  if (auth === 'basic') {
    need('CHARTGATE_EHR_USERNAME', 'is needed by CHARTGATE_EHR_AUTH=basic');
    need('CHARTGATE_EHR_PASSWORD', 'is needed by CHARTGATE_EHR_AUTH=basic');
  }
  if (auth === 'bearer') need('CHARTGATE_EHR_TOKEN', 'is needed by CHARTGATE_EHR_AUTH=bearer');
  if (auth === 'smart-backend') {
    need('CHARTGATE_EHR_CLIENT_ID', 'is needed by CHARTGATE_EHR_AUTH=smart-backend');
    need('CHARTGATE_EHR_PRIVATE_KEY', 'is needed by CHARTGATE_EHR_AUTH=smart-backend');
    if (!has('CHARTGATE_EHR_TOKEN_URL') && ehrUrl?.protocol === 'http:')
      problem(
        'CHARTGATE_EHR_TOKEN_URL',
        'is needed while CHARTGATE_EHR_URL is not https: nobody vouches for what it would name',
      );
  }
  if (/[?#]/.test(v.CHARTGATE_EHR_URL ?? ''))
    problem('CHARTGATE_EHR_URL', 'must be a FHIR base, without query or fragment');
  if (has('CHARTGATE_EHR_TLS_CERT_FILE') !== has('CHARTGATE_EHR_TLS_KEY_FILE'))
    problem('CHARTGATE_EHR_TLS_CERT_FILE', 'and CHARTGATE_EHR_TLS_KEY_FILE go together');
  if (ehrUrl?.protocol === 'http:' && (has('CHARTGATE_EHR_TLS_CERT_FILE') || has('CHARTGATE_EHR_TLS_CA_FILE')))
    problem('CHARTGATE_EHR_URL', 'is not https, so CHARTGATE_EHR_TLS_* would have no effect');
  problems.push(...checkIssuer(v, has), ...checkProvider(has), ...checkSignIn(v, has), ...checkTelemetry(v, has));
  for (const key of ['CHARTGATE_OPERATOR_ISSUER', 'CHARTGATE_SIGN_IN_ISSUER'] as const) {
    const issuer = v[key] === undefined ? null : new URL(v[key]);
    if (issuer?.protocol === 'http:' && !isLoopback(issuer.hostname))
      problem(key, 'must be https: whoever answers there says who somebody is');
    if (issuer !== null && isForManyTenants(issuer))
      problem(key, 'must name your tenant (https://login.microsoftonline.com/TENANT-ID/v2.0): this one is for anybody');
  }
  for (const key of ['CHARTGATE_SOURCE_URL', 'CHARTGATE_SOURCE_LAB_URL'] as const) {
    const address = v[key];
    if (address === undefined) continue;
    const { protocol, hostname, search, hash } = new URL(address);
    if (protocol === 'http:' && !isLoopback(hostname))
      problem(key, 'must be https: credentials and documents go there');
    if (search + hash !== '') problem(key, 'must be an address without query or fragment');
    need('CHARTGATE_CLIENT_UUID', `is needed by ${key}`);
  }
  if (has('CHARTGATE_SOURCE_LAB_USERNAME') !== has('CHARTGATE_SOURCE_LAB_PASSWORD'))
    problem('CHARTGATE_SOURCE_LAB_USERNAME', 'and CHARTGATE_SOURCE_LAB_PASSWORD go together');
  if (has('CHARTGATE_SOURCE_LAB_TOKEN') && has('CHARTGATE_SOURCE_LAB_USERNAME'))
    problem('CHARTGATE_SOURCE_LAB_TOKEN', 'and CHARTGATE_SOURCE_LAB_USERNAME exclude each other');

  const dataSecrets = v.CHARTGATE_WEBHOOK_SECRET ?? [];
  const notificationSecrets = v.CHARTGATE_NOTIFICATION_SECRET ?? [];
  if (notificationSecrets.some((one) => dataSecrets.includes(one)))
    problem('CHARTGATE_NOTIFICATION_SECRET', 'must differ from CHARTGATE_WEBHOOK_SECRET');
  const atRest = [...(v.CHARTGATE_DATA_KEY ?? []), ...(v.CHARTGATE_AUDIT_KEY ?? []), v.CHARTGATE_PSEUDONYM_KEY].filter(
    (one) => one !== undefined,
  );
  // Compared as bytes: base64 has several spellings of some.
  if (new Set(atRest.map((one) => Buffer.from(one, 'base64').toString('hex'))).size < atRest.length)
    problem('CHARTGATE_DATA_KEY', 'and the audit and pseudonym keys must all differ from each other');

  const keyHint = 'is required; make one with: openssl rand -base64 32';
  need('CHARTGATE_DATA_KEY', keyHint);
  need('CHARTGATE_AUDIT_KEY', keyHint);
  need('CHARTGATE_PSEUDONYM_KEY', keyHint);
  // The demonstration has asked before, by its own option.
  if (
    mode !== 'demo' &&
    v.CHARTGATE_HOST !== undefined &&
    !isLoopback(v.CHARTGATE_HOST) &&
    !has('CHARTGATE_TLS_CERT_FILE') &&
    !has('CHARTGATE_TRUST_PROXY')
  )
    problem(
      'CHARTGATE_HOST',
      'is a public address: give CHARTGATE_TLS_CERT_FILE and _KEY_FILE, or CHARTGATE_TRUST_PROXY',
    );
  if (mode === 'serve') {
    need('CHARTGATE_EHR_URL', "is required by serve: the EHR's FHIR base");
    need('CHARTGATE_MRN_SYSTEM', 'is required by serve: the identifier system of the MRN');
    need(
      'CHARTGATE_ADMIN_TOKEN',
      'is required by serve: without it nobody can link patients or look; make one with: openssl rand -hex 32',
    );
    const isSigned = v.CHARTGATE_WEBHOOK_HMAC !== 'off' && v.CHARTGATE_WEBHOOK_HMAC !== undefined;
    if (
      !isSigned &&
      !has('CHARTGATE_WEBHOOK_SECRET') &&
      !has('CHARTGATE_WEBHOOK_BASIC') &&
      !has('CHARTGATE_WEBHOOK_MTLS_HEADER')
    )
      problem(
        'CHARTGATE_WEBHOOK_SECRET',
        'is missing: serve needs an authenticator for the webhook (this, or CHARTGATE_WEBHOOK_HMAC); make one with: openssl rand -hex 32',
      );
  }
  return problems;
}
