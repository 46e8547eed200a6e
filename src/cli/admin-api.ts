import { readFileSync } from 'node:fs';
import type { Environment } from '../config/index.ts';
import { errorCode, StartError } from '../kernel/index.ts';
import { parseLossless } from '../r4/index.ts';

const STANDARD_URL = 'http://localhost:8080';

export interface AdminAnswer {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

/** The admin API of a running gateway, as the command line asks it. */
export interface AdminApi {
  ask(
    method: 'GET' | 'POST' | 'PUT' | 'DELETE',
    path: string,
    body?: { readonly type: string; readonly text: string | Uint8Array<ArrayBuffer> },
  ): Promise<AdminAnswer>;
  /** One part of an answer that comes in lines, and where the next begins. A refusal is an answer. */
  lines(path: string): Promise<{ readonly text: string; readonly next: string | null } | AdminAnswer>;
}

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

/** Throws a StartError with a sentence where there is no token, no gateway, or no gateway at that address. */
export function makeAdminApi(url: string | undefined, env: Environment): AdminApi {
  const base = url ?? env['CHARTGATE_PUBLIC_URL'] ?? STANDARD_URL;
  if (!URL.canParse(base)) throw new StartError('cli.url', 'The address of the gateway is not a URL.');
  const authorization = `Bearer ${tokenOf(env)}`;
  const addressOf = (path: string): URL => new URL(`admin/api/${path}`, base.endsWith('/') ? base : `${base}/`);
  // Numbers keep their digits: what is explained is shown as it would be written.
  async function readAnswer(answer: Response): Promise<AdminAnswer> {
    const parsed = parseLossless(Buffer.from(await answer.arrayBuffer()));
    if (!parsed.ok) throw new Error('not JSON');
    return { status: answer.status, body: parsed.value as Readonly<Record<string, unknown>> };
  }
  const unreachable = (address: URL, thrown: unknown): StartError =>
    new StartError('cli.unreachable', `No gateway answers at ${address.origin}. Is it running there?`, thrown);
  return {
    async lines(path) {
      const address = addressOf(path);
      try {
        const answer = await fetch(address, { redirect: 'error', headers: { authorization } });
        if (answer.status !== 200) return await readAnswer(answer);
        return { text: await answer.text(), next: answer.headers.get('next-cursor') };
      } catch (thrown) {
        throw unreachable(address, thrown);
      }
    },
    async ask(method, path, body) {
      const address = addressOf(path);
      try {
        const answer = await fetch(address, {
          method,
          redirect: 'error',
          headers: { authorization, ...(body === undefined ? {} : { 'content-type': body.type }) },
          ...(body === undefined ? {} : { body: body.text }),
        });
        return await readAnswer(answer);
      } catch (thrown) {
        throw unreachable(address, thrown);
      }
    },
  };
}

const text = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null);

/** What the gateway said no to, in a line. */
export const explainAnswer = ({ status, body }: AdminAnswer): string => {
  const count = typeof body['count'] === 'number' ? `it is ${body['count']}` : null;
  const where = [text(body['code']) ?? String(status), text(body['at']), count].filter((one) => one !== null);
  const said = [text(body['title']) ?? 'The gateway refused.', text(body['detail'])]
    .filter((one) => one !== null)
    .join(' ');
  return `${said} (${where.join(', ')})`;
};
