import { z } from 'zod';
import { list, open, secretKey, set, tokenAddress, webAddress, words } from './key-kinds.ts';

const claimName = z.string().regex(/^[^\s"\\]{1,200}$/, 'must be the name of a claim');

const HTTPS_ORIGIN = /^https:\/\/(?:[a-z0-9.-]+|\[[0-9a-f:.]+\])(?::\d+)?$/;

/** Kept to the letter, as a browser compares it: it becomes part of a policy, where `*` and `;` mean something. */
const frameAncestor = z
  .string()
  .refine(
    (text) => HTTPS_ORIGIN.test(text) && URL.canParse(text) && new URL(text).origin === text,
    'must be https origins, such as https://ehr.example',
  );

/** How the users of apps sign in at the embedded authorization server. */
export const SIGN_IN_KEYS = {
  CHARTGATE_SIGN_IN_ISSUER: open(
    'address',
    "the hospital's OpenID provider, at which users of apps sign in; `/auth/provider/back` is its redirect URI",
    tokenAddress,
  ),
  CHARTGATE_SIGN_IN_CLIENT_ID: open('text', 'our client there'),
  CHARTGATE_SIGN_IN_CLIENT_SECRET: secretKey('text', 'and its secret, or'),
  CHARTGATE_SIGN_IN_PRIVATE_KEY: secretKey(
    'PEM or JWK',
    'its key, for `private_key_jwt`; `alg` of a JWK says how it signs',
  ),
  CHARTGATE_SIGN_IN_SCOPE: set(
    'text',
    'openid profile',
    'what is asked for there',
    z.string().regex(/^openid(?: [\x21\x23-\x5b\x5d-\x7e]+)*$/, 'must be scopes that begin with openid'),
  ),
  CHARTGATE_SIGN_IN_PRACTITIONER: set(
    'word',
    'reference',
    'how a person is known to be a practitioner: `reference` (a claim holds `Practitioner/ID`), `identifier` (a claim holds an identifier that exactly one active Practitioner has at the EHR) or `account` (an operator made an account for the person before)',
    words('reference', 'identifier', 'account'),
  ),
  CHARTGATE_SIGN_IN_USER_CLAIM: set('text', 'fhirUser', 'the claim that says it', claimName),
  CHARTGATE_SIGN_IN_IDENTIFIER_SYSTEM: open(
    'URI',
    'the system of the identifier, such as `http://hl7.org/fhir/sid/us-npi`',
    z.string().regex(/^[A-Za-z][A-Za-z0-9+.-]*:[^\s|]+$/, 'must be a URI'),
  ),
  CHARTGATE_SIGN_IN_GROUPS_CLAIM: set('text', 'groups', 'the claim that names the groups of a person', claimName),
  CHARTGATE_SIGN_IN_GROUPS: open('list of groups', 'of which a person must be in one; none: anybody comes in', list),
  CHARTGATE_SIGN_IN_LOCAL: set(
    'word',
    'on',
    'whether people sign in with names and passwords of this server too; `off` needs CHARTGATE_SIGN_IN_ISSUER',
    words('on', 'off'),
  ),
  CHARTGATE_SIGN_IN_SECOND_FACTOR: set(
    'word',
    'nobody',
    'of whom of these a second factor is asked: `everybody` or `nobody`; who has one is always asked',
    words('everybody', 'nobody'),
  ),
  CHARTGATE_FRAME_ANCESTORS: open(
    'list of origins',
    'EHRs in whose frames sign-in and consent may be shown; needs https',
    list.pipe(z.array(frameAncestor)),
  ),
  CHARTGATE_SMART_STYLE_URL: open(
    'address',
    'a style document for apps instead of ours (`smart_style_url`)',
    webAddress,
  ),
} as const;
