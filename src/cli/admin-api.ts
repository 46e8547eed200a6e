import { readFileSync } from 'node:fs';
import { makeAdminClient, ROUTE_TABLE, type AdminClient, type AdminReply, type RouteId } from '../admin/index.ts';
import type { Environment } from '../config/index.ts';
import { errorCode, StartError } from '../kernel/index.ts';
import { parseLossless } from '../r4/index.ts';

const STANDARD_URL = 'http://localhost:8080';

/** The admin API of a running gateway, as the command line asks it. */
export type AdminApi = AdminClient;

function tokenOf(env: Environment): string {
  const wrong = (text: string, cause?: unknown): StartError => new StartError('cli.token', text, cause);
  const file = env['CHARTGATE_ADMIN_TOKEN_FILE'] ?? '';
  let token = env['CHARTGATE_ADMIN_TOKEN'] ?? '';
  if (token === '' && file === '')
    throw wrong(
      'There is no operator’s token: put it into CHARTGATE_ADMIN_TOKEN, or the path of a file that holds it into CHARTGATE_ADMIN_TOKEN_FILE. It is the one that the gateway was started with.',
    );
  try {
    if (token === '') token = readFileSync(file, 'utf8').trim();
  } catch (thrown) {
    throw wrong(
      `The file that CHARTGATE_ADMIN_TOKEN_FILE names cannot be read (${errorCode(thrown) ?? 'unknown'}).`,
      thrown,
    );
  }
  if (token === '') throw wrong('The file that CHARTGATE_ADMIN_TOKEN_FILE names is empty.');
  if (!/^[\x21-\x7e]+$/.test(token))
    throw wrong('The operator’s token holds characters that no header can carry, such as a space or a line break.');
  return token;
}

/** Where the gateway is, and what opens it. */
function gatewayOf(url: string | undefined, env: Environment): { readonly base: string; readonly token: string } {
  const base = url ?? env['CHARTGATE_PUBLIC_URL'] ?? STANDARD_URL;
  if (!URL.canParse(base)) throw new StartError('cli.url', 'The address of the gateway is not a URL.');
  return { base, token: tokenOf(env) };
}

function parseKeepingDigits(text: string): unknown {
  const parsed = parseLossless(text);
  if (!parsed.ok) throw new Error('not JSON');
  return parsed.value;
}

/**
 * Throws a StartError with a sentence where there is no token, no gateway, or no gateway at that address.
 * `digits`: numbers keep theirs, for what is shown as it would be written. `ask`: how a gateway is reached whose
 * certificate the machine does not trust.
 */
export function makeAdminApi(
  url: string | undefined,
  env: Environment,
  numbers: 'numbers' | 'digits' = 'numbers',
  ask: typeof fetch = fetch,
): AdminApi {
  const { base, token } = gatewayOf(url, env);
  const client = makeAdminClient({
    url: base,
    routes: ROUTE_TABLE,
    token,
    fetch: ask,
    ...(numbers === 'digits' ? { parse: parseKeepingDigits } : {}),
  });
  const orUnreachable = async <T>(asking: Promise<T>): Promise<T> => {
    try {
      return await asking;
    } catch (thrown) {
      const { origin } = new URL(base);
      throw new StartError('cli.unreachable', `No gateway answers at ${origin}. Is it running there?`, thrown);
    }
  };
  return {
    call: (id, ask) => orUnreachable(client.call(id, ask)),
    watch: (id, how) => orUnreachable(client.watch(id, how)),
  };
}

/** At a terminal it is an option, not a header. */
const SAY_WHY = 'Say with --reason TEXT what it is wanted for; the audit keeps it.';

/** What the gateway said no to, in a line. */
export const explainRefusal = ({ status, problem }: Extract<AdminReply<RouteId>, { kind: 'refused' }>): string => {
  const count = problem.count === undefined ? undefined : `it is ${problem.count}`;
  const where = [problem.code ?? String(status), problem.at, count].filter((one) => one !== undefined && one !== '');
  const [first, ...others] = problem.problems ?? [];
  const more = first === problem.detail ? others : [];
  const detail = problem.code === 'admin.reason-needed' ? SAY_WHY : problem.detail;
  const said = [problem.title ?? 'The gateway refused.', detail, ...more].filter((one) => one !== undefined);
  return `${said.join(' ')} (${where.join(', ')})`;
};
