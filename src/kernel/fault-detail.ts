import type { Fault, FaultCode } from './fault.ts';

/** Where the sentence of the kind would leave open what is meant. Constants, with nothing of a patient in them. */
const DETAILS: Partial<Record<FaultCode, string>> = {
  'ops.unauthenticated': 'This is not the token for whoever watches (CHARTGATE_OPS_TOKEN).',
  'admin.unauthenticated': "This is not the operator's token (CHARTGATE_ADMIN_TOKEN).",
  'admin.not-configured': "There is no operator's token: set CHARTGATE_ADMIN_TOKEN and start again.",
  'admin.forbidden': 'None of the roles of this caller may do that.',
  'admin.cursor': 'This cursor is of a list with other filters: begin with the first page.',
  'admin.reason-needed': 'Say in the header Chartgate-Reason what it is wanted for; the audit keeps it.',
  'admin.watchers': 'As many watch already as may, or the gateway is stopping.',
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
  'audit.not-found': 'There is no audit record at this place.',
  'search.not-found': 'There is no saved search of this id that is the caller’s.',
  'search.too-many': 'The caller keeps 100 searches already: remove one first.',
  'delivery.not-found': 'There is no delivery of this id.',
  'delivery.state': 'The delivery is not in a state in which that can be done to it.',
  'delivery.notes-full': 'The delivery has a hundred notes, which is as many as it can have.',
  'job.not-found': 'There is no job, and no preview of yours, of this id.',
  'export.not-found': 'There is no such export, or it has ended or expired.',
  'group.not-found': 'There is no such group of patients.',
  'job.state': 'The job has come to its end.',
  'job.too-many': 'Twenty jobs are not done yet.',
  'target.not-found': 'There is no target of this id; `GET /admin/api/targets` lists them.',
  'link.not-found': 'This source user has no link.',
  'client.not-found': 'There is no app of this id.',
  'account.not-found': 'There is no person of this id.',
  'account.user-taken': 'Somebody else of the same OpenID provider is that practitioner: remove that account first.',
  'account.of-provider': 'The OpenID provider vouches for this person: password and second factor are changed there.',
  'account.kept-out':
    'The account is disabled: without it the OpenID provider would bring the person back. Leave it, or enable it first.',
  'account.no-provider': 'No OpenID provider is configured for the users of apps (CHARTGATE_SIGN_IN_ISSUER).',
  'grant.not-found': 'There is no grant of this id.',
  'erase.not-found': 'Nothing is stored of this source user.',
  'subscription.not-found': 'There is no subscription of this id that is the caller’s.',
  'subscription.endpoint':
    'An endpoint is an https address on the public internet, without credentials or fragment; others are for the operator to allow.',
  'subscription.too-many':
    'The app has 2,000 subscriptions that are not off, or 4,000 with those that are: remove one first.',
  'subscription.ended':
    'An operator has ended this subscription: remove it, and ask the operator before making another.',
  'subscription.changing': 'The subscription was changed by another request each time: send this one again.',
  'export.async': 'An export is made in the background: send the header Prefer: respond-async.',
  'export.client':
    'The client was disabled or lost its scopes while the export ran: have it registered anew, then start another export.',
  'export.given-up': 'The export did not come to its end within a day: start another, with fewer types or patients.',
  'export.too-many': 'As many exports as allowed are under way: wait for one, or delete it.',
  'export.state': 'This export has ended already.',
  'group.too-many': 'A group has 100,000 MRNs at most: make several groups.',
  'group.name-taken': 'Another group has this name: choose another name.',
  'read.person-parameter':
    'Patients are found by name, family, given, birthdate, death-date, gender, identifier and _id, and sorted by name, family, birthdate and _id. Leave this one out, or name one patient by _id.',
  'read.too-many-persons': 'There are too many patients to look for one by name. Name one by _id or identifier.',
  'read.parameter':
    'A parameter is not taken, or its value is none of its kind: correct or leave out the one that is named.',
  'read.patient-needed':
    'Name a patient: add patient=ID. Of Patient itself: _id, identifier, name, family, given, birthdate, death-date or gender.',
  'read.cursor': 'This page can no longer be shown: ask for the first page of the search again.',
  'read.scope': 'No scope of the token covers this type and act: ask for one at the next launch, such as user/TYPE.rs.',
  'read.no-patient':
    'The scope is for the patient in context, and the token has none that is linked: launch with a patient.',
  'read.other-patient': 'The token is for another patient: leave out patient=, or launch with the one who is wanted.',
  'read.shared-search':
    'Say what to look for: _id, a name, an identifier. GET /fhir/metadata lists by what each type is found.',
  'read.not-found': 'Not there, not served, or not for this token to see: check type and id.',
  'read.format': 'Answers are JSON: send Accept: application/fhir+json, or _format=json.',
  'read.media':
    'Send parameters as application/x-www-form-urlencoded, a resource as application/fhir+json, a patch as application/json-patch+json.',
  'read.body': 'The body is no resource of the kind that is wanted here: correct it and send it again.',
  'read.busy': 'This app, or all of them, have as much under way as the EHR is asked: come again after Retry-After.',
  'read.foreign':
    'The EHR answered with what it was not asked for, and nothing of it is shown: whoever runs it must look.',
  'enrol.not-found': 'No source user is linked to this MRN.',
};

/** What is to be said beside the sentence of its kind; null where that says it all. */
export const detailOfFault = ({ code, detail }: Fault): string | null => detail ?? DETAILS[code] ?? null;
