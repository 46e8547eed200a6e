import { fail, fault, ok, type Result } from '../kernel/index.ts';
import { classifyExchange } from './classify-answer.ts';
import type { EhrRequest } from './exchange.ts';
import type { SendOnce } from './send-request.ts';

const DEADLINE_MS = 15_000;

/** The token endpoint that a smart-configuration names; null unless it is a plain https address. */
export function readTokenUrl(configuration: unknown): string | null {
  const named = (configuration as { token_endpoint?: unknown } | null)?.token_endpoint;
  if (typeof named !== 'string' || !URL.canParse(named)) return null;
  const url = new URL(named);
  return url.protocol === 'https:' && url.username + url.password + url.hash === '' ? url.href : null;
}

/**
 * Asks the EHR where tokens are given, until it has answered once; then never again. Whoever later controls that answer
 * cannot lead our assertions elsewhere.
 */
export function makeDiscoverTokenUrl(deps: {
  readonly send: SendOnce;
  readonly now: () => Date;
  readonly newRequestId: () => string;
}): () => Promise<Result<string>> {
  let pinned: string | null = null;
  return async () => {
    if (pinned !== null) return ok(pinned);
    const request: EhrRequest = {
      method: 'GET',
      path: '.well-known/smart-configuration',
      requestId: deps.newRequestId(),
      deadlineMs: DEADLINE_MS,
    };
    const sent = await deps.send(request, null);
    if (!sent.ok) return sent;
    const verdict = classifyExchange(sent.value, request, deps.now());
    if (verdict.kind === 'retry-later') return fail(fault('ehr.token-unavailable', { cause: verdict.fault.cause }));
    const body = sent.value.kind === 'answered' && sent.value.body.kind === 'json' ? sent.value.body.value : null;
    const found = verdict.kind === 'ok' ? readTokenUrl(body) : null;
    if (found === null) return fail(fault('ehr.token'));
    pinned ??= found;
    return ok(pinned);
  };
}
