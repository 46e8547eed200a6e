/** What second factors are called. */
export const FACTORS = { totp: 'authenticator app', passkey: 'passkey' } as const;
