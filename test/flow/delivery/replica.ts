import { portOf, runProcess, type Running } from '../../support/run-process.ts';
import type { Json } from '../../support/payloads/index.ts';

type Settings = Readonly<Record<string, string>>;

/** A gateway in a process of its own, to be killed and stopped. */
export interface Replica extends Pick<Running, 'pid' | 'ended' | 'signal' | 'lines'> {
  send(payload: Json): Promise<string | null>;
  admin(method: string, path: string, body?: object): Promise<Json>;
  readonly url: string;
}

/** `args`: what else `serve` is given. */
export async function startReplica(settings: Settings, args: readonly string[] = []): Promise<Replica> {
  const running = runProcess(['serve', ...args], { ...settings });
  const url = `http://127.0.0.1:${await portOf(running)}`;
  return {
    ...running,
    url,
    /** The id, or null where it was not acknowledged. */
    async send(payload) {
      const answer = await fetch(`${url}/webhooks/${settings['CHARTGATE_WEBHOOK_SECRET'] ?? ''}/data`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(payload),
        signal: AbortSignal.timeout(5_000),
      }).catch(() => null);
      return answer?.status === 202 ? ((await answer.json()) as { id: string }).id : null;
    },
    async admin(method, path, body) {
      const answer = await fetch(`${url}/admin/api/${path}`, {
        method,
        headers: {
          authorization: `Bearer ${settings['CHARTGATE_ADMIN_TOKEN'] ?? ''}`,
          'content-type': 'application/json',
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        signal: AbortSignal.timeout(5_000),
      });
      return (await answer.json()) as Json;
    },
  };
}
