import { randomBytes } from 'node:crypto';
import type { Client } from './state.ts';

const word = (): string => randomBytes(24).toString('base64url');

/** A client as onboarding makes it: credentials of its own, add-ons by default, no webhook. */
export const makeClient = (given: Pick<Client, 'uuid'> & Partial<Client>): Client => ({
  name: given.uuid,
  environment: 'sandbox',
  secretKey: word(),
  password: word(),
  lab: { token: word(), username: `lab-${given.uuid}`, password: word() },
  signingKey: `whsec_${randomBytes(32).toString('base64')}`,
  addOns: {},
  dataWebhook: null,
  notificationWebhook: null,
  brand: null,
  labFormat: 'fhir',
  sendsUnpublished: false,
  ...given,
});
