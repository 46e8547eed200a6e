import { z } from 'zod';
import { defineContract } from './define-contract.ts';
import { anyId, displayName, named, signInName, taken } from './fields.ts';
import { Removed } from './shapes.ts';

const Account = named(
  'Account',
  z.strictObject({
    id: z.string(),
    username: z.string(),
    name: z.string(),
    fhirUser: z.string(),
    wrongTries: z.int().min(0).describe('wrong passwords since somebody last signed in'),
  }),
);

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
      password: taken(z.string().min(12).max(200), '12 to 200 characters'),
    }),
    bytesMax: 64 * 1_024,
    isRequired: true,
  },
  status: 201,
  answer: Account,
  answers: 'The person',
  errors: ['auth.external', 'account.name-taken'],
  example: {
    username: 'ann',
    name: 'Dr Ann Example',
    fhirUser: 'Practitioner/1',
    password: 'a long made-up sentence',
  },
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
  errors: ['auth.external', 'account.not-found'],
});

export const accountsContract = { 'accounts.list': list, 'accounts.add': add, 'accounts.remove': remove } as const;
