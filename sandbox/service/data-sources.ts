/** How the user grants access. */
export interface DataSource {
  readonly name: string;
  readonly title: string;
  /** Refuses to be opened in an embedded web view. */
  readonly isGoogleBased: boolean;
}

/**
 * The seven API-based data sources. The service's own spelling of them is not published: these name the kinds of
 * vendor.
 */
export const API_SOURCES: readonly DataSource[] = [
  { name: 'StrapWearable', title: 'Strap wearable', isGoogleBased: false },
  { name: 'RingWearable', title: 'Ring wearable', isGoogleBased: false },
  { name: 'GpsWatch', title: 'GPS watch', isGoogleBased: false },
  { name: 'FitnessBand', title: 'Fitness band', isGoogleBased: true },
  { name: 'ConnectedScale', title: 'Connected scale and cuff', isGoogleBased: false },
  { name: 'SportsWatch', title: 'Sports watch', isGoogleBased: false },
  { name: 'GlucoseMonitor', title: 'Continuous glucose monitor', isGoogleBased: false },
];

export const apiSource = (name: string): DataSource | undefined => API_SOURCES.find((one) => one.name === name);

export interface MobileSource {
  readonly name: string;
  readonly title: string;
  readonly permissions: readonly string[];
}

const PERMISSIONS = ['activity', 'heart', 'sleep', 'body'] as const;

/** What the extraction app reads on the device. */
export const MOBILE_SOURCES: readonly MobileSource[] = [
  { name: 'IosHealth', title: 'iOS health aggregator', permissions: PERMISSIONS },
  { name: 'AndroidHealth', title: 'Android health aggregator', permissions: PERMISSIONS },
  { name: 'PhoneMakerHealth', title: 'Phone maker health app', permissions: PERMISSIONS },
];

export const mobileSource = (name: string): MobileSource | undefined => MOBILE_SOURCES.find((one) => one.name === name);
