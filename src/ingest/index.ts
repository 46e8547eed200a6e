export type { Authenticator, Head } from './authenticator.ts';
export { basic, makeAddressList, mtlsHeader, secretPath } from './head-authenticators.ts';
export { hmac, type HmacScheme } from './hmac-authenticators.ts';
export { makeIngest, type Ingest, type IngestDeps, type Refusal } from './routes.ts';
export { dataAuthenticators, notificationAuthenticators, type SenderSettings } from './choose-authenticators.ts';
