import { allowInsecureRequests } from 'openid-client';

/** The servers of tests speak plain HTTP on this machine. */
// eslint-disable-next-line @typescript-eslint/no-deprecated
export const allowPlainHttp = allowInsecureRequests;
