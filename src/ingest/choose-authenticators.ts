import type { Secret } from '../kernel/index.ts';
import type { Authenticator } from './authenticator.ts';
import { basic, makeAddressList, mtlsHeader, secretPath } from './head-authenticators.ts';
import { hmac } from './hmac-authenticators.ts';

/** What is configured about who may send webhooks. */
export interface SenderSettings {
  readonly dataSecrets: readonly Secret[];
  readonly notificationSecrets: readonly Secret[];
  readonly hmac:
    | { readonly scheme: 'off' }
    | {
        readonly scheme: 'fields' | 'raw-body' | 'standard-webhooks';
        readonly header: string;
        readonly keys: readonly Secret[];
      };
  readonly learn: boolean;
  readonly basic: readonly Secret[];
  readonly mtls: { readonly header: string; readonly names: readonly Secret[] } | null;
  readonly trustProxy: readonly string[];
}

/** What both webhooks ask for beside their own secret path. */
const sharedAuthenticators = (settings: SenderSettings): Authenticator[] => [
  ...(settings.basic.length > 0 ? [basic(settings.basic)] : []),
  ...(settings.mtls === null
    ? []
    : [mtlsHeader(settings.mtls.header, settings.mtls.names, makeAddressList(settings.trustProxy))]),
];

export function dataAuthenticators(settings: SenderSettings): Authenticator[] {
  const { dataSecrets, hmac: signed, learn } = settings;
  return [
    ...(dataSecrets.length > 0 ? [secretPath(dataSecrets)] : []),
    ...sharedAuthenticators(settings),
    ...(signed.scheme === 'off' || learn ? [] : [hmac(signed.scheme, signed.header, signed.keys)]),
  ];
}

/** `fields` signs a datetime that notifications do not have; the other schemes sign them as well. */
export function notificationAuthenticators(settings: SenderSettings): Authenticator[] {
  const { notificationSecrets, hmac: signed, learn } = settings;
  if (notificationSecrets.length === 0) return [];
  const isSigned = signed.scheme === 'raw-body' || signed.scheme === 'standard-webhooks';
  return [
    secretPath(notificationSecrets),
    ...sharedAuthenticators(settings),
    ...(isSigned && !learn ? [hmac(signed.scheme, signed.header, signed.keys)] : []),
  ];
}
