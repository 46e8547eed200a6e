import { randomBytes } from 'node:crypto';

/** What an EHR launch is about. Kept until it is used once, or a quarter of an hour. */
export interface Launch {
  /** The client that it is for; null for any. */
  readonly clientId: string | null;
  readonly patient: string;
  readonly encounter: string | null;
  readonly needPatientBanner: boolean;
}

export const LAUNCH_KIND = 'Launch';
export const LAUNCH_MS = 15 * 60_000;
export const newLaunchId = (): string => randomBytes(24).toString('base64url');

/** What a token is about, as it stands in a token response and in an introspection. */
export interface LaunchContext {
  readonly patient?: string;
  readonly encounter?: string;
  readonly need_patient_banner?: boolean;
  readonly smart_style_url?: string;
}
