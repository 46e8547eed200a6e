import type { Fault, FaultCode } from './fault.ts';

/** Where the sentence of the kind would leave open what is meant. Constants, with nothing of a patient in them. */
const DETAILS: Partial<Record<FaultCode, string>> = {
  'ops.unauthenticated': 'This is not the token for whoever watches (CHARTGATE_OPS_TOKEN).',
  'admin.unauthenticated': "This is not the operator's token (CHARTGATE_ADMIN_TOKEN).",
  'admin.not-configured': "There is no operator's token: set CHARTGATE_ADMIN_TOKEN and start again.",
  'admin.forbidden': 'None of the roles of this caller may do that.',
  'operator.unauthenticated': 'Sign in at /operator/sign-in, or send an API key.',
  'operator.refused': 'What was given does not fit.',
  'operator.factor-needed': 'The second factor is still to come, or must be added first.',
  'operator.locked': 'Nobody was here for 15 minutes: give the password again.',
  'operator.proof-needed': 'This asks for a second proof within the last 5 minutes.',
  'operator.csrf': 'A change by a session must come from our own page and carry its token.',
  'operator.escalation': 'These roles or permissions are not for the caller to give.',
  'operator.not-found': 'There is no operator of this id.',
  'operator.last-administrator': 'Nobody would be left to administer.',
  'operator.of-provider': 'The identity provider keeps this person’s password and roles.',
  'operator.link': 'This link was used, replaced, or is too old. Ask for another.',
  'operator.factor': 'The second factor could not be added.',
  'operator.factor-not-found': 'There is no second factor of this id.',
  'operator.last-factor': 'This is the last second factor, and one is needed.',
  'operator.session-not-found': 'There is no session of this id.',
  'operator.too-many': 'Too many wrong tries from here.',
  'operator.provider': 'The identity provider does not answer as it should.',
  'operator.no-provider': 'No identity provider is configured.',
  'key.not-found': 'There is no API key of this id.',
  'delivery.not-found': 'There is no delivery of this id.',
  'delivery.state': 'The delivery is not in a state in which that can be done to it.',
  'target.not-found': 'There is no target of this id; `GET /admin/api/targets` lists them.',
  'link.not-found': 'This source user has no link.',
  'client.not-found': 'There is no app of this id.',
  'account.not-found': 'There is no person of this id.',
  'grant.not-found': 'There is no grant of this id.',
  'erase.not-found': 'Nothing is stored of this source user.',
  'enrol.not-found': 'No source user is linked to this MRN.',
};

/** What is to be said beside the sentence of its kind; null where that says it all. */
export const detailOfFault = ({ code, detail }: Fault): string | null => detail ?? DETAILS[code] ?? null;
