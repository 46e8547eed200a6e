import { AUDIT_TYPES, OUTCOMES } from '../audit/index.ts';
import { CLIENT_KINDS } from '../auth/index.ts';
import { SHADOW_KINDS } from '../forward/index.ts';
import { CHARTED, LINK_STATUSES } from '../identity/index.ts';
import { STATES } from '../inbox/index.ts';
import { PAGE } from './page.ts';

const oneOf = (values: readonly string[]): string => `one of ${values.join(', ')}`;
const YES_OR_NO = oneOf(['true', 'false']);
const WEB_ADDRESS = 'an http or https address of at most 2,000 characters';
const INSTANT = 'an instant with its zone, such as 2026-01-31T08:00:00Z';
const FHIR_ID = 'an id of the EHR: 1 to 64 letters, digits, "-" and "."';
const SENTENCE = "3 to 200 letters, digits, spaces and . , ; : ( ) ' _ / -, with nothing of a patient";

/** What is taken under each name; under `PATH name` where a route means something of its own. */
const TAKEN: Readonly<Record<string, string>> = {
  approve: `${YES_OR_NO}; true only with state=parked`,
  body: 'one JSON object',
  charted: oneOf(CHARTED),
  client_name: 'a text of 1 to 200 characters; it is required',
  client_uuid:
    'the client at the source, of 1 to 100 characters; it goes with user_id, and is needed where CHARTGATE_CLIENT_UUID is not set',
  clientId: 'the id of a registered app',
  complete_log_out: 'true, false or null',
  confirm: 'the number of deliveries that wait, as `GET /admin/api/shadow` tells it',
  conflict: oneOf(['keep-theirs', 'overwrite']),
  cursor: '`next` of the answer before, as it is',
  data_source: '1 to 64 letters, digits, "_" and "-"',
  dry_run: YES_OR_NO,
  encounter: FHIR_ID,
  evidence: 'a text of at most 500 characters, or null',
  fault: 'a code that docs/faults.md lists',
  fhirUser: '`Practitioner/ID` or `PractitionerRole/ID`',
  form: oneOf(['events', 'records']),
  from: INSTANT,
  id: '3 to 64 letters, digits, ".", "_" and "-", the first a letter or digit; or none, and one is made',
  jwks: 'a JSON Web Key Set with public keys, for apps that sign; one of jwks and jwksUri',
  jwksUri: `${WEB_ADDRESS}, for apps that sign; one of jwks and jwksUri`,
  kind: oneOf(SHADOW_KINDS),
  launchUrl: WEB_ADDRESS,
  limit: `a whole number from 1 to ${PAGE.most}`,
  mrn: 'an MRN as the EHR has it, to the letter: 1 to 64 characters, none of them invisible, and no space at either end',
  name: 'a name of 1 to 100 characters, without < and >',
  needPatientBanner: 'true or false',
  origins: 'a list of origins, such as https://app.example',
  outcome: oneOf([...OUTCOMES, 'refused']),
  particulars: oneOf(['sealed', 'open']),
  password: '12 to 200 characters',
  patient: `${FHIR_ID}; one of patient and mrn`,
  preview: YES_OR_NO,
  reason: SENTENCE,
  redirect_url: WEB_ADDRESS,
  redirectUris: 'a list of addresses to which the app is led back; none for a backend',
  salt: '4 to 6 characters',
  scope: 'SMART scopes with a space between them, as the kind of the app allows',
  state: oneOf(STATES),
  status: oneOf(LINK_STATUSES),
  support_url: WEB_ADDRESS,
  timezone: 'Z, or an offset such as +02:00; it is required',
  to: INSTANT,
  tyc_url: WEB_ADDRESS,
  type: oneOf(AUDIT_TYPES),
  user_id: 'the user at the source, of 1 to 50 characters; client_uuid goes with it',
  username: 'a letter or digit, then at most 99 letters, digits and . _ @ + -',
  '/admin/api/clients kind': oneOf(CLIENT_KINDS),
  '/admin/api/replay state': oneOf(['parked', 'quarantined', 'delivered']),
  '/admin/api/links/:user_id status': oneOf(['confirmed', 'proposed']),
  '/admin/api/shadow/deliveries reason': 'a word that the shadow report has',
  '/admin/api/shadow/evaluate reason': 'a word that the shadow report has',
};

/** In words, what a route takes under a name; without a name, what its body is. Nothing of what was given. */
export function sayParameter(path: string, name: string): string {
  if (name === '')
    return 'The body must be one JSON object with the fields that /docs lists for this route, and no other.';
  const taken = TAKEN[`${path} ${name}`] ?? TAKEN[name];
  return taken === undefined
    ? `\`${name}\` is not taken here, or not with this value.`
    : `\`${name}\` must be ${taken}.`;
}
