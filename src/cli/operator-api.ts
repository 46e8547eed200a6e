import type { Environment } from '../config/index.ts';
import { StartError } from '../kernel/index.ts';
import { explainRefusal, gatewayOf } from './admin-api.ts';
import { EXIT, type Terminal } from './command.ts';

export interface OperatorAnswer {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

/** The routes of people and their keys, which have no contract yet, as the command line asks them. */
export interface OperatorApi {
  ask(method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, body?: unknown): Promise<OperatorAnswer>;
}

/** Throws a StartError with a sentence where there is no token, no gateway, or no gateway at that address. */
export function makeOperatorApi(url: string | undefined, env: Environment): OperatorApi {
  const { base, token } = gatewayOf(url, env);
  return {
    async ask(method, path, body) {
      const address = new URL(`admin/api/${path}`, base.endsWith('/') ? base : `${base}/`);
      const type = body === undefined ? {} : { 'content-type': 'application/json' };
      try {
        const answer = await fetch(address, {
          method,
          redirect: 'error',
          headers: { authorization: `Bearer ${token}`, ...type },
          ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        });
        return { status: answer.status, body: (await answer.json()) as OperatorAnswer['body'] };
      } catch (thrown) {
        throw new StartError(
          'cli.unreachable',
          `No gateway answers at ${address.origin}. Is it running there?`,
          thrown,
        );
      }
    },
  };
}

/** Says what was done, or what the gateway said no to. */
export function reportOperatorAnswer(
  { status, body }: OperatorAnswer,
  terminal: Terminal,
  form: 'json' | 'text',
  tell: (body: OperatorAnswer['body']) => string,
): number {
  const isDone = status < 300;
  if (form === 'json') terminal.stdout.write(`${JSON.stringify(body)}\n`);
  else if (isDone) terminal.stdout.write(tell(body));
  else terminal.stderr.write(`${explainRefusal({ kind: 'refused', status, problem: body })}\n`);
  return isDone ? EXIT.ok : EXIT.failed;
}
