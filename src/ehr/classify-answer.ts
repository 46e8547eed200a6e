import { fault, type Fault, type FaultCode } from '../kernel/index.ts';
import type { AnswerBody, AnswerHeaders, EhrRequest, Exchange, Unanswered } from './exchange.ts';
import { parseRetryAfter } from './parse-retry-after.ts';
import { readOutcome, tellsOfFailure } from './read-outcome.ts';

/** Whether a request that failed may have been carried out all the same. A read never does anything. */
export type Effect = 'none' | 'unknown';

/** What an answer means for whoever asked. */
export type Verdict =
  | { readonly kind: 'ok' }
  /**
   * `patience: few`: ten times, then a person; `long`: seven days.
   * `effect: unknown`: where a repetition is not the same as doing it once, read back first.
   */
  | {
      readonly kind: 'retry-later';
      readonly afterMs: number | null;
      readonly patience: 'few' | 'long';
      readonly effect: Effect;
      readonly fault: Fault;
    }
  /** It may have been done: read back before writing again. */
  | { readonly kind: 'ambiguous'; readonly fault: Fault }
  | { readonly kind: 'rejected'; readonly fault: Fault }
  /** `version`: ours is not the current one, re-read it. `concurrency`: two writes met, try again a few times. */
  | { readonly kind: 'conflict'; readonly because: 'version' | 'concurrency'; readonly fault: Fault }
  /** A condition matches several resources. */
  | { readonly kind: 'several'; readonly fault: Fault }
  /** The target is to be paused: no other request would fare better. */
  | { readonly kind: 'auth'; readonly fault: Fault }
  | { readonly kind: 'absent'; readonly fault: Fault }
  | { readonly kind: 'gone'; readonly fault: Fault }
  /** Send less at a time. */
  | { readonly kind: 'too-large'; readonly fault: Fault }
  /** The address or the network between is not set up right: a person, and no repetition. */
  | { readonly kind: 'misconfigured'; readonly fault: Fault }
  /** The caller wanted no more. */
  | { readonly kind: 'abandoned'; readonly effect: Effect; readonly fault: Fault };

/** What the verdict needs to know of the request. */
export type Asked = Pick<EhrRequest, 'method' | 'path' | 'query' | 'ifMatch' | 'ifNoneMatch' | 'ifNoneExist'>;

export interface ToClassify {
  readonly status: number;
  readonly headers: AnswerHeaders;
  /** Issue codes of the OperationOutcome, where there is one. */
  readonly outcome: readonly string[];
  /** `failure`: an OperationOutcome that tells of one. */
  readonly body: AnswerBody['kind'] | 'failure';
  readonly request: Asked;
}

const isRead = ({ method, path }: Asked): boolean => method === 'GET' || path.endsWith('_search');
const isBundle = ({ method, path }: Asked): boolean => method === 'POST' && path === '';
/** A Bundle may hold conditions of any kind. */
const isConditional = (asked: Asked): boolean =>
  isBundle(asked) || asked.ifNoneExist !== undefined || (asked.method === 'PUT' && (asked.query ?? []).length > 0);

const retryLater = (
  code: FaultCode,
  asked: Asked,
  more: { readonly afterMs?: number | null; readonly patience?: 'few' | 'long'; readonly effect?: Effect } = {},
): Verdict => ({
  kind: 'retry-later',
  afterMs: more.afterMs ?? null,
  patience: more.patience ?? 'long',
  effect: isRead(asked) ? 'none' : (more.effect ?? 'none'),
  fault: fault(code),
});

/** After a success that says too little: a read is repeated, a write looked after. */
const doubtful = (asked: Asked): Verdict =>
  isRead(asked)
    ? retryLater('ehr.unreadable', asked, { patience: 'few' })
    : { kind: 'ambiguous', fault: fault('ehr.unreadable') };

function success({ status, body, request }: ToClassify): Verdict {
  if (status !== 200 && status !== 201 && status !== 204) return doubtful(request);
  if (body === 'unreadable' || body === 'failure') return doubtful(request);
  // A read or a Bundle is answered by something; Oracle Health answers a create by nothing.
  if (body === 'empty' && (isRead(request) || isBundle(request))) return doubtful(request);
  return { kind: 'ok' };
}

/** The statuses of 4xx and 5xx. conformance.md 4.4 as amended by reliability.md 4.1 and 4.6; every row is a test. */
function failure({ status, headers, outcome, request }: ToClassify, now: Date): Verdict {
  const afterMs = parseRetryAfter(headers.retryAfter, now);
  const isSeveral = outcome.includes('multiple-matches');
  switch (status) {
    case 401:
      return { kind: 'auth', fault: fault('ehr.unauthorized') };
    case 403:
      return request.path === 'metadata'
        ? { kind: 'auth', fault: fault('ehr.unauthorized') }
        : { kind: 'rejected', fault: fault('ehr.forbidden') };
    case 404:
      return { kind: 'absent', fault: fault('ehr.not-found') };
    case 410:
      return { kind: 'gone', fault: fault('ehr.gone') };
    case 407:
    case 421:
      return { kind: 'misconfigured', fault: fault('ehr.redirected') };
    case 409:
      return {
        kind: 'conflict',
        because: request.ifMatch === undefined ? 'concurrency' : 'version',
        fault: fault('ehr.conflict'),
      };
    case 412: {
      // Several matches, or a version that is no more. Of a Bundle without an outcome the reading that looks again is
      // taken.
      const isVersion = request.ifMatch !== undefined || request.ifNoneMatch !== undefined || isBundle(request);
      return isSeveral || (isConditional(request) && !isVersion)
        ? { kind: 'several', fault: fault('ehr.several') }
        : { kind: 'conflict', because: 'version', fault: fault('ehr.conflict') };
    }
    case 413:
      return { kind: 'too-large', fault: fault('ehr.too-large') };
    // Refused before it was looked at.
    case 425:
    case 429:
    case 503:
      return retryLater('ehr.busy', request, { afterMs });
    // A proxy that gave up waiting says nothing about what the server behind it did.
    case 408:
    case 502:
    case 504:
      return retryLater('ehr.busy', request, { afterMs, effect: 'unknown' });
    case 501:
      return { kind: 'rejected', fault: fault('ehr.rejected') };
  }
  if (status >= 500) return retryLater('ehr.failed', request, { afterMs, patience: 'few', effect: 'unknown' });
  if (isSeveral && isConditional(request)) return { kind: 'several', fault: fault('ehr.several') };
  // HAPI's word for a Bundle that it finds too big.
  if (isBundle(request) && outcome.includes('too-costly')) return { kind: 'too-large', fault: fault('ehr.too-large') };
  return { kind: 'rejected', fault: fault('ehr.rejected') };
}

export function classifyAnswer(given: ToClassify, now: Date): Verdict {
  const { status, request } = given;
  if (status >= 200 && status < 300) return success(given);
  if (status === 304 && request.ifNoneMatch !== undefined && isRead(request)) return { kind: 'ok' };
  if (status >= 400 && status < 600) return failure(given, now);
  // 3xx, and what is no status at all.
  return { kind: 'misconfigured', fault: fault('ehr.redirected') };
}

function classifySilence({ because, sent, cause }: Unanswered, asked: Asked): Verdict {
  const more = cause === undefined ? {} : { cause };
  const effect: Effect = sent === 'nothing' || isRead(asked) ? 'none' : 'unknown';
  if (because === 'abandoned' || because === 'closed')
    return { kind: 'abandoned', effect, fault: fault('ehr.abandoned', more) };
  const code: FaultCode =
    because === 'tls'
      ? 'ehr.tls'
      : because === 'too-large'
        ? 'ehr.answer-too-large'
        : because === 'timeout'
          ? 'ehr.timeout'
          : because === 'not-http'
            ? 'ehr.unreadable'
            : sent === 'nothing'
              ? 'ehr.unreachable'
              : 'ehr.cut';
  if (effect === 'unknown') return { kind: 'ambiguous', fault: fault(code, more) };
  // A page that is too large will be too large again.
  if (because === 'too-large') return { kind: 'rejected', fault: fault(code, more) };
  return { kind: 'retry-later', afterMs: null, patience: 'long', effect: 'none', fault: fault(code, more) };
}

/** One exchange, whatever came of it, in the words that a caller acts on. */
export function classifyExchange(exchange: Exchange, request: Asked, now: Date): Verdict {
  if (exchange.kind === 'unanswered') return classifySilence(exchange, request);
  const { status, headers, body } = exchange;
  const outcome = body.kind === 'json' ? readOutcome(body.value) : [];
  const isFailure = body.kind === 'json' && tellsOfFailure(body.value);
  return classifyAnswer({ status, headers, outcome, body: isFailure ? 'failure' : body.kind, request }, now);
}
