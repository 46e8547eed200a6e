import { z } from 'zod';
import type { Permission, Role } from '../../operators/index.ts';
import { defineContract } from './define-contract.ts';
import { anyId, displayName, named, signInName, someOf, taken, time } from './fields.ts';
import { Removed } from './shapes.ts';

/** A test compares both lists with those of the module. */
export const ROLES = [
  'viewer',
  'engineer',
  'clinical-reviewer',
  'registrar',
  'auditor',
  'administrator',
] as const satisfies readonly Role[];
export const PERMISSIONS = [
  'flow.read',
  'deliveries.read',
  'deliveries.act',
  'deliveries.raw',
  'plans.decide',
  'mappings.read',
  'mappings.change',
  'mappings.sign-off',
  'targets.read',
  'targets.act',
  'links.read',
  'links.change',
  'patients.read',
  'patients.enrol',
  'patients.erase',
  'handles.make',
  'audit.read',
  'audit.export',
  'apps.read',
  'apps.change',
  'apps.launch',
  'operators.read',
  'operators.change',
  'keys.read',
  'keys.change',
  'settings.read',
] as const satisfies readonly Permission[];
const KEY_DAYS_MAX = 730;

const Roles = z.array(z.enum(ROLES));

const Operator = named(
  'Operator',
  z.strictObject({
    id: z.string(),
    name: z.string(),
    displayName: z.string(),
    roles: Roles,
    state: z.enum(['active', 'disabled']),
    signsInBy: z.enum(['password', 'provider']),
    isReady: z.boolean().describe('Whether a password was set'),
    factors: z.array(z.enum(['totp', 'passkey'])),
    madeAt: time,
    signedInAt: time.nullable(),
  }),
);

const OneTimeLink = named(
  'OneTimeLink',
  z.strictObject({
    id: z.string(),
    link: z.string().describe('Sets the password, once; what proves it stands behind the #'),
    linkExpiresAt: time,
  }),
);

const ApiKey = named(
  'ApiKey',
  z.strictObject({
    id: z.string(),
    name: z.string(),
    roles: Roles,
    permissions: z.array(z.enum(PERMISSIONS)),
    madeBy: z.string(),
    madeAt: time,
    expiresAt: time.nullable(),
    usedAt: time.nullable().describe('To the minute'),
  }),
);

const one = z.object({ id: anyId('the id of an operator') });

const list = defineContract({
  id: 'operators.list',
  method: 'get',
  path: '/admin/api/operators',
  summary: 'Who works here',
  group: 'Operators',
  permission: 'operators.read',
  audited: { kind: 'later', name: 'operators' },
  answer: z.strictObject({ operators: z.array(Operator) }),
  answers: 'All of them',
  errors: [],
});

const add = defineContract({
  id: 'operators.add',
  method: 'post',
  path: '/admin/api/operators',
  summary: 'Add an operator; answers a one-time link to set the password',
  group: 'Operators',
  permission: 'operators.change',
  proof: 'second',
  audited: { kind: 'by-command' },
  body: {
    kind: 'json',
    schema: z.strictObject({ name: signInName, displayName, roles: someOf(ROLES, 1) }),
    bytesMax: 64 * 1_024,
    isRequired: true,
  },
  status: 201,
  answer: OneTimeLink,
  answers: 'The link, told here and never again',
  errors: ['operator.escalation', 'operator.name-taken'],
  example: { name: 'ada', displayName: 'Ada Example', roles: ['engineer'] },
});

const get = defineContract({
  id: 'operators.get',
  method: 'get',
  path: '/admin/api/operators/:id',
  summary: 'One operator',
  group: 'Operators',
  permission: 'operators.read',
  audited: { kind: 'later', name: 'operator' },
  params: one,
  answer: Operator,
  answers: 'The operator',
  errors: ['operator.not-found'],
});

const remove = defineContract({
  id: 'operators.remove',
  method: 'delete',
  path: '/admin/api/operators/:id',
  summary: 'Remove an operator; the sessions end at once',
  group: 'Operators',
  permission: 'operators.change',
  proof: 'second',
  audited: { kind: 'by-command' },
  params: one,
  answer: Removed,
  answers: 'Removed',
  errors: ['operator.escalation', 'operator.not-found', 'operator.last-administrator'],
});

const setRoles = defineContract({
  id: 'operators.setRoles',
  method: 'put',
  path: '/admin/api/operators/:id/roles',
  summary: 'Other roles',
  group: 'Operators',
  permission: 'operators.change',
  proof: 'second',
  audited: { kind: 'by-command' },
  params: one,
  body: {
    kind: 'json',
    schema: z.strictObject({ roles: someOf(ROLES, 1) }),
    bytesMax: 64 * 1_024,
    isRequired: true,
  },
  answer: z.strictObject({ id: z.string(), roles: Roles }),
  answers: 'The roles from now on',
  errors: ['operator.escalation', 'operator.not-found', 'operator.last-administrator', 'operator.of-provider'],
  example: { roles: ['viewer', 'auditor'] },
});

const disable = defineContract({
  id: 'operators.disable',
  method: 'post',
  path: '/admin/api/operators/:id/disable',
  summary: 'Let nobody in by this account; the sessions end at once',
  group: 'Operators',
  permission: 'operators.change',
  proof: 'second',
  audited: { kind: 'by-command' },
  params: one,
  answer: z.strictObject({ id: z.string(), state: z.literal('disabled') }),
  answers: 'Disabled',
  errors: ['operator.escalation', 'operator.not-found', 'operator.last-administrator'],
});

const enable = defineContract({
  id: 'operators.enable',
  method: 'post',
  path: '/admin/api/operators/:id/enable',
  summary: 'Let them in again',
  group: 'Operators',
  permission: 'operators.change',
  proof: 'second',
  audited: { kind: 'by-command' },
  params: one,
  answer: z.strictObject({ id: z.string(), state: z.literal('active') }),
  answers: 'Enabled',
  errors: ['operator.escalation', 'operator.not-found'],
});

const reset = defineContract({
  id: 'operators.reset',
  method: 'post',
  path: '/admin/api/operators/:id/reset',
  summary: 'Take password, second factors and sessions away; answers a one-time link',
  group: 'Operators',
  permission: 'operators.change',
  proof: 'second',
  audited: { kind: 'by-command' },
  params: one,
  answer: OneTimeLink,
  answers: 'The link, told here and never again',
  errors: ['operator.escalation', 'operator.not-found', 'operator.of-provider'],
});

const listKeys = defineContract({
  id: 'keys.list',
  method: 'get',
  path: '/admin/api/keys',
  summary: 'API keys of machines, without what proves them',
  group: 'Operators',
  permission: 'keys.read',
  audited: { kind: 'later', name: 'api-keys' },
  answer: z.strictObject({ keys: z.array(ApiKey) }),
  answers: 'All of them',
  errors: [],
});

const addKey = defineContract({
  id: 'keys.add',
  method: 'post',
  path: '/admin/api/keys',
  summary: 'Make an API key; it is told here and never again',
  group: 'Operators',
  permission: 'keys.change',
  proof: 'second',
  audited: { kind: 'by-command' },
  body: {
    kind: 'json',
    schema: z.strictObject({
      name: displayName,
      roles: someOf(ROLES, 0).optional(),
      permissions: someOf(PERMISSIONS, 0).optional(),
      days: taken(z.int().min(1).max(KEY_DAYS_MAX), `a whole number from 1 to ${KEY_DAYS_MAX}`).optional(),
    }),
    bytesMax: 64 * 1_024,
    isRequired: true,
  },
  status: 201,
  answer: z.strictObject({ id: z.string(), key: z.string(), expiresAt: time.nullable() }),
  answers: 'The key',
  errors: ['operator.escalation', 'key.name-taken'],
  example: { name: 'monitoring', roles: ['viewer'], days: 365 },
});

const removeKey = defineContract({
  id: 'keys.remove',
  method: 'delete',
  path: '/admin/api/keys/:id',
  summary: 'Remove an API key; it opens nothing from now on',
  group: 'Operators',
  permission: 'keys.change',
  proof: 'second',
  audited: { kind: 'by-command' },
  params: z.object({ id: anyId('the id of an API key') }),
  answer: Removed,
  answers: 'Removed',
  errors: ['key.not-found'],
});

export const operatorsContract = {
  'operators.list': list,
  'operators.add': add,
  'operators.get': get,
  'operators.remove': remove,
  'operators.setRoles': setRoles,
  'operators.disable': disable,
  'operators.enable': enable,
  'operators.reset': reset,
  'keys.list': listKeys,
  'keys.add': addKey,
  'keys.remove': removeKey,
} as const;
