import { errorCode, isError } from '../kernel/index.ts';
import type { Unanswered } from './exchange.ts';

type Because = Unanswered['because'];

const BY_CODE: Readonly<Record<string, Because>> = {
  ENOTFOUND: 'dns',
  EAI_AGAIN: 'dns',
  ECONNREFUSED: 'refused',
  EHOSTUNREACH: 'refused',
  ENETUNREACH: 'refused',
  EADDRNOTAVAIL: 'refused',
  UND_ERR_CONNECT_TIMEOUT: 'connect-timeout',
  UND_ERR_HEADERS_TIMEOUT: 'timeout',
  UND_ERR_BODY_TIMEOUT: 'timeout',
  ETIMEDOUT: 'timeout',
  UND_ERR_RES_EXCEEDED_MAX_SIZE: 'too-large',
  UND_ERR_HEADERS_OVERFLOW: 'too-large',
  UND_ERR_SOCKET: 'reset',
  ECONNRESET: 'reset',
  EPIPE: 'reset',
  UND_ERR_ABORTED: 'abandoned',
  UND_ERR_DESTROYED: 'closed',
  UND_ERR_CLOSED: 'closed',
  EPROTO: 'tls',
};

const TLS_CODE =
  /^(ERR_TLS_|ERR_SSL_|ERR_OSSL_|CERT_|CRL_|ERROR_IN_|SELF_SIGNED_|DEPTH_ZERO_|UNABLE_TO_|INVALID_CA$|INVALID_PURPOSE$|PATH_LENGTH_|HOSTNAME_MISMATCH$)/;
// In TLS 1.3 a client may send before the server has refused its certificate; a server that refuses has read none of
// it.
const REFUSED_CERTIFICATE = /^ERR_SSL_\w*ALERT\w*(CERTIFICATE|UNKNOWN_CA|ACCESS_DENIED)/;

/**
 * The codes of an error and of all that it wraps, the outermost first. Several addresses of one host give an
 * AggregateError.
 */
export function errorCodes(thrown: unknown, depth = 0): string[] {
  if (!isError(thrown) || depth > 4) return [];
  // undici's parser error has a code of its own only at times.
  const own = errorCode(thrown) ?? (thrown.name === 'HTTPParserError' ? 'HPE_ERROR' : null);
  const parts = 'errors' in thrown && Array.isArray(thrown.errors) ? (thrown.errors as unknown[]).slice(0, 8) : [];
  return [own ?? [], errorCodes(thrown.cause, depth + 1), ...parts.map((one) => errorCodes(one, depth + 1))].flat();
}

const nameOf = (code: string): Because | null =>
  BY_CODE[code] ?? (code.startsWith('HPE_') ? 'not-http' : TLS_CODE.test(code) ? 'tls' : null);

/** An error without its message. */
const bare = (code: string): Error => Object.assign(new Error('no answer from the EHR'), { name: 'EhrSilence', code });

/** What a failed exchange was. An error that nobody has named counts as a reset: the careful reading of it. */
export function nameSilence(thrown: unknown, sent: Unanswered['sent']): Unanswered {
  const codes = errorCodes(thrown);
  const named = codes.map((code) => [code, nameOf(code)] as const);
  // A socket error that wraps a TLS error is a TLS error.
  const [code, because] = named.find(([, one]) => one === 'tls') ??
    named.find(([, one]) => one !== null) ?? [codes[0], 'reset'];
  const isRefused = code !== undefined && REFUSED_CERTIFICATE.test(code);
  return {
    kind: 'unanswered',
    because: because ?? 'reset',
    sent: isRefused ? 'nothing' : sent,
    ...(code === undefined ? {} : { cause: bare(code) }),
  };
}
