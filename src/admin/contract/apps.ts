import { z } from 'zod';
import type { ClientKind } from '../../auth/index.ts';
import { defineContract } from './define-contract.ts';
import { anyId, anyObjectOrNull, displayName, fhirId, mrnLike, named, taken } from './fields.ts';
import { Disabled, Enabled, Removed } from './shapes.ts';

const CLIENT_KINDS = ['public', 'symmetric', 'asymmetric', 'backend'] as const satisfies readonly ClientKind[];

const Client = named(
  'Client',
  z.strictObject({
    id: z.string(),
    name: z.string().max(100),
    kind: z.enum(CLIENT_KINDS),
    scope: z.string().describe('the most that the app may have'),
    redirectUris: z.array(z.string()),
    launchUrl: z.string().nullable(),
    origins: z.array(z.string()),
    jwks: anyObjectOrNull,
    jwksUri: z.string().nullable(),
    state: z.enum(['active', 'disabled']),
  }),
);

const Launch = named(
  'Launch',
  z.strictObject({
    launch: z.string(),
    iss: z.string(),
    expiresAt: z.string(),
    url: z.string().nullable().describe('to open, where the app has a launch address'),
  }),
);

const NewClient = named(
  'NewClient',
  Client.extend({
    secret: z.string().nullable().describe('told here and never again; only for a symmetric client'),
  }),
);

const chosenId = taken(
  z
    .string()
    .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{2,63}$/)
    .nullable(),
  '3 to 64 letters, digits, ".", "_" and "-", the first a letter or digit; or none, and one is made',
);
const scope = taken(
  z.string().min(1).max(4_000).describe('the most that the app may have'),
  'SMART scopes with a space between them, as the kind of the app allows',
);
const redirectUris = taken(
  z.array(z.string().max(500)).max(20),
  'a list of addresses to which the app is led back; none for a backend',
);
const address = (words: string) => taken(z.string().max(500).nullable(), words);
const origins = taken(z.array(z.string().max(500)).max(20), 'a list of origins, such as https://app.example');
const jwks = taken(
  z
    .looseObject({
      keys: z
        .array(z.looseObject({ kty: z.enum(['RSA', 'EC']), kid: z.string().min(1) }))
        .min(1)
        .max(20),
    })
    .nullable(),
  'a JSON Web Key Set with public keys, for apps that sign; one of jwks and jwksUri',
);
const jwksUri = address('an http or https address, for apps that sign; one of jwks and jwksUri');
const ONE_OF = 'one of patient and mrn';
const patientId = taken(
  fhirId.describe('id at the EHR; or give `mrn`'),
  `an id of the EHR: 1 to 64 letters, digits, "-" and "."; ${ONE_OF}`,
);
const launchMrn = mrnLike(
  z.string().regex(/^[^\p{Cc}\p{Cs}]{1,64}$/u),
  `an MRN as the EHR has it, to the letter; ${ONE_OF}`,
  {
    type: 'string',
    minLength: 1,
    maxLength: 64,
    pattern: '^[^\\u0000-\\u001F\\u007F-\\u009F]*$',
  },
);
const encounter = taken(fhirId.nullable(), 'an id of the EHR: 1 to 64 letters, digits, "-" and "."');
const intent = taken(
  z
    .string()
    .regex(/^[^\p{Cc}\p{Cs}<>]{1,100}$/u)
    .nullable(),
  'what the user is about to do, 1 to 100 characters',
  {
    type: ['string', 'null'],
    minLength: 1,
    maxLength: 100,
    pattern: '^[^\\u0000-\\u001F\\u007F-\\u009F<>]+$',
  },
);
const fhirContext = taken(
  z
    .array(
      z.strictObject({
        reference: z.string().regex(/^[A-Z][A-Za-z]{1,63}\/[A-Za-z0-9.-]{1,64}$/),
        role: z.string().min(1).max(200).optional(),
      }),
    )
    .max(20),
  'at most 20 references `Type/ID` of types other than Patient and Encounter, each with a role or without',
);
const clientId = taken(z.string().nullable(), 'the id of a registered app');

const list = defineContract({
  id: 'apps.list',
  method: 'get',
  path: '/admin/api/clients',
  summary: 'The registered apps',
  group: 'Apps',
  permission: 'apps.read',
  audited: { kind: 'act', names: ['clients'] },
  answer: z.strictObject({ clients: z.array(Client) }),
  answers: 'All of them',
  errors: ['auth.external'],
});

const add = defineContract({
  id: 'apps.add',
  method: 'post',
  path: '/admin/api/clients',
  summary: 'Register an app',
  group: 'Apps',
  permission: 'apps.change',
  proof: 'second',
  audited: { kind: 'by-command' },
  body: {
    kind: 'json',
    schema: z.strictObject({
      id: chosenId.optional(),
      name: displayName,
      kind: z.enum(CLIENT_KINDS),
      scope,
      redirectUris: redirectUris.optional(),
      launchUrl: address('an http or https address').optional(),
      origins: origins.optional(),
      jwks: jwks.optional(),
      jwksUri: jwksUri.optional(),
    }),
    bytesMax: 64 * 1_024,
    isRequired: true,
  },
  status: 201,
  answer: NewClient,
  answers: 'The app, and its secret where it has one',
  errors: ['auth.external', 'client.id-taken'],
  example: {
    name: 'Clinician app',
    kind: 'public',
    scope: 'launch openid fhirUser patient/*.rs',
    redirectUris: ['https://app.example/index.html'],
  },
});

const edit = defineContract({
  id: 'apps.edit',
  method: 'put',
  path: '/admin/api/clients/:id',
  summary: 'Change an app; what is left out stays as it is',
  description:
    'Its id, kind and secret stay. Where the scope becomes less, everything that the app was given ends, and people allow it anew.',
  group: 'Apps',
  permission: 'apps.change',
  proof: 'second',
  audited: { kind: 'by-command' },
  params: z.object({ id: anyId('the id of an app') }),
  body: {
    kind: 'json',
    schema: z.strictObject({
      name: displayName.optional(),
      scope: scope.optional(),
      redirectUris: redirectUris.optional(),
      launchUrl: address('an http or https address').optional(),
      origins: origins.optional(),
      jwks: jwks.optional(),
      jwksUri: jwksUri.optional(),
    }),
    bytesMax: 64 * 1_024,
    isRequired: true,
  },
  answer: Client,
  answers: 'The app as it is from now on',
  errors: ['auth.external', 'client.not-found'],
  example: { scope: 'launch openid fhirUser patient/Observation.rs' },
});

const disable = defineContract({
  id: 'apps.disable',
  method: 'post',
  path: '/admin/api/clients/:id/disable',
  summary: 'Let the app have nothing; what it was given ends at once',
  group: 'Apps',
  permission: 'apps.change',
  proof: 'second',
  audited: { kind: 'by-command' },
  params: z.object({ id: anyId('the id of an app') }),
  answer: Disabled,
  answers: 'Disabled',
  errors: ['auth.external', 'client.not-found'],
});

const enable = defineContract({
  id: 'apps.enable',
  method: 'post',
  path: '/admin/api/clients/:id/enable',
  summary: 'Let the app ask again',
  group: 'Apps',
  permission: 'apps.change',
  proof: 'second',
  audited: { kind: 'by-command' },
  params: z.object({ id: anyId('the id of an app') }),
  answer: Enabled,
  answers: 'Enabled',
  errors: ['auth.external', 'client.not-found'],
});

const remove = defineContract({
  id: 'apps.remove',
  method: 'delete',
  path: '/admin/api/clients/:id',
  summary: 'Remove an app; its tokens end at once',
  group: 'Apps',
  permission: 'apps.change',
  proof: 'second',
  audited: { kind: 'by-command' },
  params: z.object({ id: anyId('the id of an app') }),
  answer: Removed,
  answers: 'Removed',
  errors: ['auth.external', 'client.not-found'],
});

const launch = defineContract({
  id: 'apps.launch',
  method: 'post',
  path: '/admin/api/launches',
  summary: 'Begin an EHR launch',
  group: 'Apps',
  permission: 'apps.launch',
  audited: { kind: 'act', names: ['launch'] },
  body: {
    kind: 'json',
    schema: z
      .strictObject({
        patient: patientId.optional(),
        mrn: launchMrn.optional(),
        encounter: encounter.optional(),
        clientId: clientId.optional(),
        needPatientBanner: z.boolean().optional(),
        intent: intent.optional(),
        fhirContext: fhirContext.optional(),
      })
      .refine((given) => (given.patient === undefined) !== (given.mrn === undefined), { path: ['patient'] })
      .meta({ oneOf: [{ required: ['patient'] }, { required: ['mrn'] }] }),
    bytesMax: 64 * 1_024,
    isRequired: true,
  },
  status: 201,
  answer: Launch,
  answers: 'The launch, good for one use within a quarter of an hour',
  errors: ['auth.external', 'client.not-found', 'launch.patient'],
  example: { mrn: '0001003', clientId: 'clinician-app' },
});

export const appsContract = {
  'apps.list': list,
  'apps.add': add,
  'apps.edit': edit,
  'apps.disable': disable,
  'apps.enable': enable,
  'apps.remove': remove,
  'apps.launch': launch,
} as const;
