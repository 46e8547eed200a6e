export type Environment = 'sandbox' | 'production';

export interface AddOn {
  readonly title: string;
  readonly standard: Readonly<Record<Environment, boolean>>;
  /** Nobody can have it at the moment. */
  readonly isOnHold?: true;
}

const on = { sandbox: true, production: true } as const;
const off = { sandbox: false, production: false } as const;

/** Section 1, row by row. */
export const ADD_ONS = {
  time_zone: { title: 'Time Zone', standard: on },
  data_cleaning: { title: 'Data Cleaning', standard: on },
  granular_data: { title: 'Activate Granular Data', standard: off },
  notification_webhook: { title: 'Notification Webhook', standard: off },
  callback_url_setup: { title: 'Callback URL Setup', standard: off },
  connections_page: { title: 'Connections Page (sandbox)', standard: { sandbox: true, production: false } },
  pre_existing_data: { title: 'Pre-Existing Data', standard: { sandbox: true, production: false } },
  steps_events_in_api: { title: 'Steps Events in API', standard: off },
  lab_data: { title: 'Lab Data (beta)', standard: off },
  clinical_ready: { title: 'Clinical Ready (beta)', standard: off },
  device_metadata: { title: 'Device Metadata (beta)', standard: off },
  user_health_profile: { title: 'User Health Profile', standard: off },
  health_monitoring: { title: 'Health Monitoring (beta)', standard: off },
  branded_auth: { title: 'Branded Auth (on hold)', standard: off, isOnHold: true },
} as const satisfies Record<string, AddOn>;

export type AddOnName = keyof typeof ADD_ONS;
export const ADD_ON_NAMES = Object.keys(ADD_ONS) as readonly AddOnName[];
export const isAddOn = (name: string): name is AddOnName => Object.hasOwn(ADD_ONS, name);

/** Everything that a client can have. */
export const DEMO_ADD_ONS: Readonly<Partial<Record<AddOnName, boolean>>> = Object.fromEntries(
  ADD_ON_NAMES.filter((name) => !('isOnHold' in ADD_ONS[name])).map((name) => [name, true]),
);

/** Where support has switched one for a client, that counts; otherwise the default of the client's environment. */
export const isActive = (
  client: { readonly environment: Environment; readonly addOns: Readonly<Partial<Record<AddOnName, boolean>>> },
  name: AddOnName,
): boolean => client.addOns[name] ?? ADD_ONS[name].standard[client.environment];
