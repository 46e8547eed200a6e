import type { AddOnName, Environment } from './add-ons.ts';
import type { Keep, Table } from '../keep/index.ts';

/*
 * What the sandbox knows. Everything is kept by key and survives a restart; times are simulated milliseconds. Whoever
 * simulates data adds tables of its own through the same Keep.
 */

export interface Brand {
  readonly name: string;
  /** A data URL of a PNG, or null. */
  readonly logo: string | null;
  /** `#rrggbb` */
  readonly color: string;
}

export interface Client {
  readonly uuid: string;
  readonly name: string;
  readonly environment: Environment;
  readonly secretKey: string;
  readonly password: string;
  readonly lab: { readonly token: string; readonly username: string; readonly password: string };
  /** Of both webhooks: `whsec_` and base64. */
  readonly signingKey: string;
  readonly addOns: Readonly<Partial<Record<AddOnName, boolean>>>;
  readonly dataWebhook: string | null;
  readonly notificationWebhook: string | null;
  readonly brand: Brand | null;
  /** In which of its two forms a laboratory result is delivered. */
  readonly labFormat: 'fhir' | 'service';
  /** Whether the Data Webhook also gets what has no published payload: summaries, granular events, health scores. */
  readonly sendsUnpublished: boolean;
}

export interface User {
  readonly client: string;
  readonly user: string;
  readonly createdAt: number;
}

/**
 * `incomplete`: a permission was denied at first connection. `revoking`: the provider may send on until `dataUntil`.
 */
export interface Connection {
  readonly client: string;
  readonly user: string;
  readonly dataSource: string;
  readonly kind: 'api' | 'mobile';
  readonly state: 'connected' | 'incomplete' | 'disconnected';
  /** Who the user is at the provider; several clients may share one account. */
  readonly account: string;
  readonly connectedAt: number;
  readonly endedAt: number | null;
  /** Data may keep arriving until then, since a provider takes hours to carry out a revocation. */
  readonly dataUntil: number | null;
  readonly granted: readonly string[];
}

/** An authorization that was begun: what `state` in an authorization URL stands for. */
export interface Pending {
  readonly client: string;
  readonly user: string;
  readonly dataSource: string;
  readonly redirectUrl: string | null;
  readonly expiresAt: number;
}

export interface LabDocument {
  readonly client: string;
  readonly user: string;
  readonly timezone: string;
  readonly kind: 'pdf' | 'jpeg' | 'png';
  readonly bytes: number;
  readonly sha256: string;
  readonly receivedAt: number;
  /** The document that it repeats, of which no second result is sent. */
  readonly duplicateOf: string | null;
}

export interface ProfileRequest {
  readonly client: string;
  readonly user: string;
  readonly requestedAt: number;
}

/** When the windows of a user began, and how many requests each holds. */
export interface ProfileCount {
  readonly hourFrom: number;
  readonly hour: number;
  readonly dayFrom: number;
  readonly day: number;
}

/** Bounds of one signal; the side that is null does not apply. */
export interface SignalRule {
  readonly deviation_below_percent_float?: number | null;
  readonly deviation_above_percent_float?: number | null;
  readonly threshold_min_float?: number | null;
  readonly threshold_max_float?: number | null;
}
export interface StoredRule {
  readonly signals: Readonly<Record<string, SignalRule>>;
  readonly updatedAt: number;
}

/** What the QR code refers to. The salt that opens it is not here. */
export interface Binding {
  readonly client: string;
  readonly createdAt: number;
  /** Nonce, ciphertext and tag, base64. */
  readonly sealed: string;
}

/** A phone with the extraction app on it. */
export interface Device {
  readonly bound: {
    readonly binding: string;
    readonly client: string;
    readonly user: string;
    readonly environment: Environment;
    readonly clientName: string;
    readonly tycUrl: string | null;
    readonly supportUrl: string | null;
    readonly completeLogOut: boolean;
    readonly termsAcceptedAt: number | null;
    readonly isLoggedIn: boolean;
  } | null;
}

export interface State {
  readonly clients: Table<Client>;
  readonly users: Table<User>;
  readonly connections: Table<Connection>;
  readonly pending: Table<Pending>;
  readonly labDocuments: Table<LabDocument>;
  readonly profileRequests: Table<ProfileRequest>;
  readonly profileCounts: Table<ProfileCount>;
  readonly rules: Table<StoredRule>;
  readonly bindings: Table<Binding>;
  readonly devices: Table<Device>;
}

export const openState = (kept: Keep): State => ({
  clients: kept.table('client'),
  users: kept.table('user'),
  connections: kept.table('connection'),
  pending: kept.table('pending'),
  labDocuments: kept.table('lab_document'),
  profileRequests: kept.table('profile_request'),
  profileCounts: kept.table('profile_count'),
  rules: kept.table('rule'),
  bindings: kept.table('binding'),
  devices: kept.table('device'),
});

/** JSON, so that ["a","b/c"] and ["a/b","c"] do not meet. */
export const keyOf = (...parts: readonly string[]): string => JSON.stringify(parts);
