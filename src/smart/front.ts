import type { VerifyToken } from '../auth/index.ts';
import { fail, fault, type Answer, type Ask, type Fault, type Result } from '../kernel/index.ts';
import type { Caller } from './caller.ts';
import type { Because } from './decide.ts';
import { checkFormat } from './negotiate.ts';
import { parseTarget, type Target } from './parse-target.ts';
import type { RecordRead } from './record-read.ts';
import { makeWatchConnection } from './watch-connection.ts';

export type Handle = (ask: Ask, target: Target, caller: Caller) => Promise<Result<Answer>>;

const isBinary = ({ segments: [type, , ...rest] }: Target): boolean => type === 'Binary' && rest.length === 0;

const EXPOSED =
  'ETag, Last-Modified, X-Request-Id, X-Intermediary, WWW-Authenticate, Retry-After, Content-Location, X-Progress, Expires';

/**
 * What stands before every request of an app: who we are, whose browser may hear it, the token, the target, the format.
 */
export function makeFront(deps: {
  readonly intermediary: string;
  readonly verifyToken: VerifyToken;
  readonly isOrigin: (origin: string) => Promise<boolean>;
}) {
  const { intermediary, verifyToken, isOrigin } = deps;
  const watch = makeWatchConnection();

  async function greetOrigin(origin: string, setHeader: Ask['setHeader']): Promise<void> {
    setHeader('Vary', 'Origin');
    if (!(await isOrigin(origin))) return;
    setHeader('Access-Control-Allow-Origin', origin);
    setHeader('Access-Control-Expose-Headers', EXPOSED);
  }

  /** A promise only for a browser, whose origin is looked up. */
  function greet({ request, setHeader }: Ask): Promise<void> | null {
    // R4 3.1.0.1.10: whoever changes content on its way says so.
    setHeader('X-Intermediary', intermediary);
    const { origin } = request.headers;
    return origin === undefined ? null : greetOrigin(origin, setHeader);
  }

  return {
    handle:
      (handle: Handle, offers: 'json' | 'ndjson' = 'json') =>
      async (ask: Ask): Promise<Result<Answer>> => {
        const greeted = greet(ask);
        if (greeted !== null) await greeted;
        const { request, requestId, log, span } = ask;
        const asker = { requestId, remoteAddress: request.socket.remoteAddress ?? '' };
        const step = span?.begin();
        const verifying = verifyToken(request.headers.authorization, asker);
        const verified = verifying instanceof Promise ? await verifying : verifying;
        step?.end('read.token', verified.ok ? {} : { 'error.type': verified.fault.code });
        if (!verified.ok) return verified;
        const target = parseTarget(request.url ?? '', request.headers);
        if (!target.ok) return target;
        // A Binary has a format of its own, which whoever answers it looks at.
        const format = isBinary(target.value) ? null : checkFormat(request.headers, target.value.query, offers);
        if (format?.ok === false) return format;
        const grant = verified.value;
        return watch(request.socket, (signal) => {
          const caller = { grant, requestId, log, signal };
          return handle(ask, target.value, span === undefined ? caller : { ...caller, span });
        });
      },
    /** The same answer whether or not the origin is known; what a browser makes of it differs. */
    preflight: async (ask: Ask): Promise<Result<Answer>> => {
      await greet(ask);
      return {
        ok: true,
        value: {
          status: 204,
          headers: {
            'Access-Control-Allow-Methods': 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS',
            'Access-Control-Allow-Headers':
              'Authorization, Accept, Content-Type, If-None-Match, If-Modified-Since, Prefer, X-Request-Id',
            'Access-Control-Max-Age': '600',
          },
          body: '',
        },
      };
    },
  };
}

const REFUSALS = {
  scope: 'read.scope',
  'no-patient': 'read.no-patient',
  'other-patient': 'read.other-patient',
  'patient-needed': 'read.patient-needed',
  'shared-search': 'read.shared-search',
} as const satisfies Record<Because, Fault['code']>;

/** The parameter that would mend it. */
const MISSING: Partial<Record<Because, Pick<Fault, 'at'>>> = {
  'patient-needed': { at: 'patient' },
  'other-patient': { at: 'patient' },
  'shared-search': { at: '_id' },
};

/** Answers a refusal. The audit has it before the caller does. */
export async function refuse(
  because: Because,
  of: { readonly interaction: string; readonly type: string; readonly id?: string },
  record: RecordRead,
  caller: Caller,
  more: Pick<Fault, 'at' | 'problems'> = {},
): Promise<Result<never>> {
  const { interaction, type, id } = of;
  const kept = await record(
    {
      type: 'fhir.deny',
      interaction,
      resourceType: type,
      outcome: '4',
      why: because,
      ...(id === undefined ? {} : { id }),
    },
    caller,
  );
  return kept.ok ? fail(fault(REFUSALS[because], { ...MISSING[because], ...more })) : kept;
}
