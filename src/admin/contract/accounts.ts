import { z } from 'zod';
import { defineContract } from './define-contract.ts';
import { anyId, displayName, named, signInName, taken } from './fields.ts';
import { Disabled, Enabled, Removed } from './shapes.ts';

const Account = named(
  'Account',
  z.strictObject({
    id: z.string(),
    username: z.string(),
    name: z.string(),
    fhirUser: z.string(),
    wrongTries: z.int().min(0).describe('wrong passwords since somebody last signed in'),
    state: z.enum(['active', 'disabled']),
    origin: z.enum(['local', 'provider']).describe('who vouches for the person: this server, or the OpenID provider'),
    issuer: z.string().nullable().describe('the OpenID provider'),
    subject: z.string().nullable().describe('what the OpenID provider calls the person (`sub`)'),
    secondFactor: z.enum(['none', 'totp']),
  }),
);

const password = taken(z.string().min(12).max(200), '12 to 200 characters');

const list = defineContract({
  id: 'accounts.list',
  method: 'get',
  path: '/admin/api/accounts',
  summary: 'The people who can sign in',
  group: 'Apps',
  permission: 'apps.read',
  audited: { kind: 'act', names: ['accounts'] },
  answer: z.strictObject({ accounts: z.array(Account) }),
  answers: 'All of them',
  errors: ['auth.external'],
});

const add = defineContract({
  id: 'accounts.add',
  method: 'post',
  path: '/admin/api/accounts',
  summary: 'Add a person',
  group: 'Apps',
  permission: 'apps.change',
  proof: 'second',
  audited: { kind: 'by-command' },
  body: {
    kind: 'json',
    schema: z.strictObject({
      username: signInName,
      name: displayName,
      fhirUser: taken(
        z.string().regex(/^(Practitioner|PractitionerRole)\/[A-Za-z0-9.-]{1,64}$/),
        '`Practitioner/ID` or `PractitionerRole/ID`',
      ),
      password: password.optional(),
      subject: taken(
        z
          .string()
          .regex(/^[^\p{Cc}\p{Cs}]{1,255}$/u)
          .optional(),
        'what the OpenID provider calls the person (`sub`); one of password and subject',
        { type: 'string', minLength: 1, maxLength: 255, pattern: '^[^\\u0000-\\u001F\\u007F-\\u009F]+$' },
      ),
    }),
    bytesMax: 64 * 1_024,
    isRequired: true,
  },
  status: 201,
  answer: Account,
  answers: 'The person',
  errors: ['auth.external', 'account.name-taken', 'account.user-taken', 'account.no-provider'],
  example: {
    username: 'ann',
    name: 'Dr Ann Example',
    fhirUser: 'Practitioner/1',
    password: 'a long made-up sentence',
  },
});

const disable = defineContract({
  id: 'accounts.disable',
  method: 'post',
  path: '/admin/api/accounts/:id/disable',
  summary: 'Let the person in nowhere; sessions and tokens end at once',
  group: 'Apps',
  permission: 'apps.change',
  proof: 'second',
  audited: { kind: 'by-command' },
  params: z.object({ id: anyId('the id of a person') }),
  answer: Disabled,
  answers: 'Disabled',
  errors: ['auth.external', 'account.not-found'],
});

const enable = defineContract({
  id: 'accounts.enable',
  method: 'post',
  path: '/admin/api/accounts/:id/enable',
  summary: 'Let the person sign in again',
  group: 'Apps',
  permission: 'apps.change',
  proof: 'second',
  audited: { kind: 'by-command' },
  params: z.object({ id: anyId('the id of a person') }),
  answer: Enabled,
  answers: 'Enabled',
  errors: ['auth.external', 'account.not-found'],
});

const reset = defineContract({
  id: 'accounts.reset',
  method: 'post',
  path: '/admin/api/accounts/:id/reset',
  summary: 'Another password; sessions and tokens end at once',
  group: 'Apps',
  permission: 'apps.change',
  proof: 'second',
  audited: { kind: 'by-command' },
  params: z.object({ id: anyId('the id of a person') }),
  body: {
    kind: 'json',
    schema: z.strictObject({ password }),
    bytesMax: 64 * 1_024,
    isRequired: true,
  },
  answer: z.strictObject({ id: z.string(), state: z.literal('reset') }),
  answers: 'Reset',
  errors: ['auth.external', 'account.not-found', 'account.of-provider'],
  example: { password: 'a long made-up sentence' },
});

const resetFactor = defineContract({
  id: 'accounts.resetFactor',
  method: 'post',
  path: '/admin/api/accounts/:id/reset-factor',
  summary: 'Take the second factor away; sessions and tokens end at once',
  group: 'Apps',
  permission: 'apps.change',
  proof: 'second',
  audited: { kind: 'by-command' },
  params: z.object({ id: anyId('the id of a person') }),
  answer: z.strictObject({ id: z.string(), state: z.literal('reset') }),
  answers: 'Reset: where one is asked for, another is added at the next sign-in',
  errors: ['auth.external', 'account.not-found', 'account.of-provider'],
});

const unlock = defineContract({
  id: 'accounts.unlock',
  method: 'post',
  path: '/admin/api/accounts/:id/unlock',
  summary: 'Forget wrong passwords, and the waiting that they led to',
  group: 'Apps',
  permission: 'apps.change',
  proof: 'second',
  audited: { kind: 'by-command' },
  params: z.object({ id: anyId('the id of a person') }),
  answer: z.strictObject({ id: z.string(), state: z.literal('unlocked') }),
  answers: 'Unlocked',
  errors: ['auth.external', 'account.not-found'],
});

const remove = defineContract({
  id: 'accounts.remove',
  method: 'delete',
  path: '/admin/api/accounts/:id',
  summary: 'Remove a person; the tokens end at once',
  group: 'Apps',
  permission: 'apps.change',
  proof: 'second',
  audited: { kind: 'by-command' },
  params: z.object({ id: anyId('the id of a person') }),
  answer: Removed,
  answers: 'Removed',
  errors: ['auth.external', 'account.not-found', 'account.kept-out'],
});

export const accountsContract = {
  'accounts.list': list,
  'accounts.add': add,
  'accounts.disable': disable,
  'accounts.enable': enable,
  'accounts.reset': reset,
  'accounts.resetFactor': resetFactor,
  'accounts.unlock': unlock,
  'accounts.remove': remove,
} as const;
