import type { Sender } from '../delivery/index.ts';
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

/** Tells the client's Notification Webhook, where the add-on is active and an address is registered. */
export type Notify = (given: Omit<Notification, 'environment' | 'action_datetime'>) => void;

export function makeNotify(kit: Kit, sender: Sender): { readonly notify: Notify; readonly listen: Happened } {
  const notify: Notify = (given) => {
    const client = kit.state.clients.get(given.client_uuid);
    if (client === undefined || !isActive(client, 'notification_webhook')) return;
    const body: Notification = {
      ...given,
      // ISO 8601 without offset.
      action_datetime: kit.clock.now().toISOString().replace('Z', ''),
      environment: client.environment,
    };
    sender.put({ client: client.uuid, hook: 'notification', body: JSON.stringify(body) });
  };

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

  return { notify, listen };
}
