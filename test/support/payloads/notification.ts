import { CLIENT, USER } from './envelope.ts';
import type { Json } from './json.ts';

export interface NotificationOverrides {
  readonly clientUuid?: string;
  readonly userId?: string;
  readonly action?: string;
  readonly at?: string;
  readonly fields?: Json;
}

export function aNotification(overrides: NotificationOverrides = {}): Json {
  return {
    client_uuid: overrides.clientUuid ?? CLIENT,
    user_id: overrides.userId ?? USER,
    data_source: 'ring_wearable',
    action: overrides.action ?? 'user_connected',
    level: 'info',
    message: 'The user connected a data source',
    action_datetime: overrides.at ?? '2026-11-14T10:00:00',
    environment: 'production',
    ...overrides.fields,
  };
}
