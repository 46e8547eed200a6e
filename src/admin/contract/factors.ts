import { z } from 'zod';
import type { FaultCode } from '../../kernel/index.ts';
import { defineContract } from './define-contract.ts';
import { anyId, anyObject } from './fields.ts';
import { body, code, Done, OpenedSession, password, text, WRONG_TRIES } from './session-shapes.ts';

const label = text(60);
const NEW_FACTOR = ['operator.proof-needed', 'operator.of-provider'] as const satisfies readonly FaultCode[];

const newTotp = defineContract({
  id: 'session.newTotp',
  method: 'post',
  path: '/admin/api/session/factors/totp',
  summary: 'A secret for an authenticator app',
  group: 'Operators',
  permission: null,
  presence: 'enrolling',
  audited: { kind: 'no', because: 'nothing is added yet' },
  answer: z.strictObject({
    secret: z.string(),
    uri: z.string(),
    qr: z.string().describe('The same as a picture, as a data: address'),
  }),
  answers: 'The secret, told here and never again',
  errors: NEW_FACTOR,
});

const addTotp = defineContract({
  id: 'session.addTotp',
  method: 'post',
  path: '/admin/api/session/factors/totp/finish',
  summary: 'Add the app by its first code',
  group: 'Operators',
  permission: null,
  presence: 'enrolling',
  audited: { kind: 'by-command' },
  body: body(z.strictObject({ code, label: label.optional() })),
  answer: OpenedSession,
  answers: 'The session from now on',
  errors: [...NEW_FACTOR, 'operator.factor', 'operator.too-many'],
});

const newPasskey = defineContract({
  id: 'session.newPasskey',
  method: 'post',
  path: '/admin/api/session/factors/passkey',
  summary: 'What a new passkey is made by',
  group: 'Operators',
  permission: null,
  presence: 'enrolling',
  audited: { kind: 'no', because: 'nothing is added yet' },
  answer: anyObject,
  answers: 'Options of WebAuthn',
  errors: NEW_FACTOR,
});

const addPasskey = defineContract({
  id: 'session.addPasskey',
  method: 'post',
  path: '/admin/api/session/factors/passkey/finish',
  summary: 'Add the passkey',
  group: 'Operators',
  permission: null,
  presence: 'enrolling',
  audited: { kind: 'by-command' },
  body: body(z.strictObject({ response: anyObject, label: label.optional() })),
  answer: OpenedSession,
  answers: 'The session from now on',
  errors: [...NEW_FACTOR, 'operator.factor'],
});

const removeFactor = defineContract({
  id: 'session.removeFactor',
  method: 'delete',
  path: '/admin/api/session/factors/:id',
  summary: 'Remove a second factor',
  group: 'Operators',
  permission: null,
  presence: 'present',
  audited: { kind: 'by-command' },
  params: z.object({ id: anyId('the id of a second factor') }),
  answer: Done,
  answers: 'Removed',
  errors: [...NEW_FACTOR, 'operator.factor-not-found', 'operator.last-factor'],
});

const setPassword = defineContract({
  id: 'session.setPassword',
  method: 'put',
  path: '/admin/api/session/password',
  summary: 'Another password; ends the other sessions',
  group: 'Operators',
  permission: null,
  presence: 'present',
  audited: { kind: 'by-command' },
  body: body(z.strictObject({ current: password, password })),
  answer: Done,
  answers: 'The password is set',
  errors: [...WRONG_TRIES, 'operator.of-provider', 'operator.weak-password'],
});

export const factorsContract = {
  'session.newTotp': newTotp,
  'session.addTotp': addTotp,
  'session.newPasskey': newPasskey,
  'session.addPasskey': addPasskey,
  'session.removeFactor': removeFactor,
  'session.setPassword': setPassword,
} as const;
