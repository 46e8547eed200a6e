import { setTimeout as pause } from 'node:timers/promises';
import { isActive } from './add-ons.ts';
import type { Happened } from './happening.ts';
import type { Kit } from './kit.ts';

/** Section 6: integration events only. */
export interface Notification {
  readonly client_uuid: string;
  readonly user_id: string;
  readonly data_source: string;
  readonly action: string;
  readonly level: 'info' | 'warning' | 'error';
  readonly message: string;
  readonly action_datetime: string;
  readonly environment: string;
}

const RETRY_MS = [0, 1_000, 5_000] as const;
const ANSWER_MS = 10_000;
const ACKNOWLEDGED: readonly number[] = [200, 201, 202];

/** Sends notifications to the client's Notification Webhook, where the add-on is active and an address is registered. */
export function makeNotify(kit: Kit) {
  const ending = new AbortController();
  const underway = new Set<Promise<void>>();

  async function send(url: string, body: string): Promise<void> {
    for (const waitMs of RETRY_MS) {
      await pause(waitMs, undefined, { ref: false, signal: ending.signal });
      try {
        const signal = AbortSignal.any([ending.signal, AbortSignal.timeout(ANSWER_MS)]);
        const answer = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body, signal });
        await answer.arrayBuffer();
        if (ACKNOWLEDGED.includes(answer.status)) return;
      } catch {
        // Nobody there: tried again, then given up. A notification is not data.
      }
    }
  }

  function notify(given: Omit<Notification, 'environment' | 'action_datetime'>): void {
    const client = kit.state.clients.get(given.client_uuid);
    if (client === undefined || client.notificationWebhook === null || !isActive(client, 'notification_webhook')) return;
    const body: Notification = {
      ...given,
      // ISO 8601 without offset.
      action_datetime: kit.clock.now().toISOString().replace('Z', ''),
      environment: client.environment,
    };
    const sent = send(client.notificationWebhook, JSON.stringify(body)).catch(() => undefined);
    underway.add(sent);
    void sent.finally(() => underway.delete(sent));
  }

  const listen: Happened = (happening) => {
    switch (happening.kind) {
      case 'user-created':
        notify({
          client_uuid: happening.client,
          user_id: happening.user,
          data_source: '',
          action: 'user_created',
          level: 'info',
          message: 'A new user was created',
        });
        return;
      case 'connected': {
        const { client, user, dataSource, state } = happening.connection;
        const isWhole = state === 'connected';
        notify({
          client_uuid: client,
          user_id: user,
          data_source: dataSource,
          action: 'user_connected',
          level: isWhole ? 'info' : 'warning',
          message: isWhole ? 'The data source is connected' : 'The data source is connected without all permissions',
        });
        return;
      }
      case 'disconnected': {
        const { client, user, dataSource } = happening.connection;
        notify({
          client_uuid: client,
          user_id: user,
          data_source: dataSource,
          action: 'user_disconnected',
          level: 'info',
          message: 'The data source is disconnected',
        });
        return;
      }
      case 'lab-received':
      case 'profile-requested':
      case 'rule-changed':
        return;
    }
  };

  return {
    notify,
    listen,
    async stop(): Promise<void> {
      ending.abort();
      await Promise.allSettled(underway);
    },
  };
}
