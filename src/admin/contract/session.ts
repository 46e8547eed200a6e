import { z } from 'zod';
import { defineContract } from './define-contract.ts';
import { anyId, anyObject, named, taken, time } from './fields.ts';
import { PERMISSIONS, ROLES } from './operators.ts';
import { body, code, OpenedSession, password, text, WRONG_TRIES } from './session-shapes.ts';

const ONE_PROOF = 'one of code and password';
const provingPassword = text(200, `text of 1 to 200 characters; ${ONE_PROOF}`);
const provingCode = taken(z.string().regex(/^[0-9]{6}$/), `the six digits that the app shows; ${ONE_PROOF}`);

const Stage = z.enum(['factor', 'enrol', 'signed-in', 'locked']);

const OperatorSession = named(
  'OperatorSession',
  z.strictObject({
    kind: z.enum(['person', 'key']),
    id: z.string(),
    name: z.string(),
    roles: z.array(z.enum(ROLES)),
    permissions: z.array(z.enum(PERMISSIONS)),
    stage: Stage,
    displayName: z.string().optional(),
    sessionId: z.string().optional(),
    signsInBy: z.enum(['password', 'provider']).optional(),
    csrf: z.string().optional(),
    provedAt: time.nullable().optional(),
    locksAt: time.optional(),
    expiresAt: time.optional(),
    factors: z
      .array(
        z.strictObject({
          id: z.string().optional(),
          kind: z.enum(['totp', 'passkey']),
          label: z.string().optional(),
          madeAt: time.optional(),
          usedAt: time.nullable().optional(),
        }),
      )
      .optional()
      .describe('Before the second factor was given, their kinds alone'),
  }),
);

const SessionList = named(
  'SessionList',
  z.strictObject({
    sessions: z.array(
      z.strictObject({
        id: z.string(),
        operatorId: z.string(),
        isThis: z.boolean(),
        stage: Stage,
        agent: z.string(),
        madeAt: time,
        seenAt: time,
        expiresAt: time,
      }),
    ),
  }),
);

const Ended = z.strictObject({ id: z.string(), state: z.literal('ended') });

const signIn = defineContract({
  id: 'session.signIn',
  method: 'post',
  path: '/admin/api/session',
  summary: 'Sign in by name and password; the answer sets the cookie',
  group: 'Operators',
  permission: null,
  presence: 'page',
  audited: { kind: 'by-command' },
  body: body(z.strictObject({ name: text(100), password })),
  answer: OpenedSession,
  answers: 'The session, and what comes next',
  errors: WRONG_TRIES,
});

const get = defineContract({
  id: 'session.get',
  method: 'get',
  path: '/admin/api/session',
  summary: 'Who am I, what may I, and until when',
  group: 'Operators',
  permission: null,
  presence: 'caller',
  audited: { kind: 'no', because: 'it tells callers about themselves alone' },
  answer: OperatorSession,
  answers: 'The caller; of a person, the session too',
  errors: [],
});

const signOut = defineContract({
  id: 'session.signOut',
  method: 'delete',
  path: '/admin/api/session',
  summary: 'Sign out',
  group: 'Operators',
  permission: null,
  presence: 'session',
  audited: { kind: 'by-command' },
  answer: Ended,
  answers: 'Ended',
  errors: ['operator.session-not-found'],
});

const giveCode = defineContract({
  id: 'session.giveCode',
  method: 'post',
  path: '/admin/api/session/code',
  summary: 'The code of an authenticator app: completes a sign-in, and is a second proof',
  group: 'Operators',
  permission: null,
  presence: 'unlocked',
  audited: { kind: 'by-command' },
  body: body(z.strictObject({ code })),
  answer: OpenedSession,
  answers: 'The session from now on',
  errors: WRONG_TRIES,
});

const askForPasskey = defineContract({
  id: 'session.askForPasskey',
  method: 'post',
  path: '/admin/api/session/passkey',
  summary: 'What a passkey is asked to sign',
  group: 'Operators',
  permission: null,
  presence: 'unlocked',
  audited: { kind: 'no', because: 'nothing is proved yet' },
  answer: anyObject,
  answers: 'Options of WebAuthn',
  errors: ['operator.factor-not-found'],
});

const givePasskey = defineContract({
  id: 'session.givePasskey',
  method: 'post',
  path: '/admin/api/session/passkey/finish',
  summary: 'What the passkey signed: completes a sign-in, and is a second proof',
  group: 'Operators',
  permission: null,
  presence: 'unlocked',
  audited: { kind: 'by-command' },
  body: body(z.strictObject({ response: anyObject })),
  answer: OpenedSession,
  answers: 'The session from now on',
  errors: [...WRONG_TRIES, 'operator.factor'],
});

const unlock = defineContract({
  id: 'session.unlock',
  method: 'post',
  path: '/admin/api/session/unlock',
  summary: 'The password again, after 15 minutes without a person',
  group: 'Operators',
  permission: null,
  presence: 'session',
  audited: { kind: 'by-command' },
  body: body(z.strictObject({ password })),
  answer: OpenedSession,
  answers: 'The session from now on',
  errors: [...WRONG_TRIES, 'operator.of-provider'],
});

const prove = defineContract({
  id: 'session.prove',
  method: 'post',
  path: '/admin/api/session/proof',
  summary: 'A second proof, good for five minutes: a code, or the password of who has no second factor',
  group: 'Operators',
  permission: null,
  presence: 'unlocked',
  audited: { kind: 'by-command' },
  body: body(
    z
      .strictObject({ password: provingPassword.optional(), code: provingCode.optional() })
      .refine((given) => (given.password === undefined) !== (given.code === undefined), { path: ['code'] })
      .meta({ oneOf: [{ required: ['password'] }, { required: ['code'] }] }),
  ),
  answer: OpenedSession,
  answers: 'The session from now on',
  errors: [...WRONG_TRIES, 'operator.of-provider'],
  example: { code: '123456' },
});

const list = defineContract({
  id: 'session.list',
  method: 'get',
  path: '/admin/api/session/all',
  summary: "One's own sessions; an administrator's: everybody's",
  group: 'Operators',
  permission: null,
  presence: 'present',
  audited: { kind: 'no', because: 'it shows sessions of operators and nothing else' },
  answer: SessionList,
  answers: 'Those that have not ended',
  errors: [],
});

const end = defineContract({
  id: 'session.end',
  method: 'delete',
  path: '/admin/api/session/all/:id',
  summary: 'End a session',
  group: 'Operators',
  permission: null,
  presence: 'present',
  audited: { kind: 'by-command' },
  params: z.object({ id: anyId('the id of a session') }),
  answer: Ended,
  answers: 'Ended',
  errors: ['operator.session-not-found'],
});

const redeemLink = defineContract({
  id: 'session.redeemLink',
  method: 'post',
  path: '/admin/api/session/link',
  summary: 'Set the password by a one-time link',
  group: 'Operators',
  permission: null,
  presence: 'page',
  audited: { kind: 'by-command' },
  body: body(z.strictObject({ link: text(100), password })),
  answer: z.strictObject({ name: z.string() }),
  answers: 'The name to sign in with',
  errors: ['operator.link', 'operator.weak-password'],
});

export const sessionContract = {
  'session.signIn': signIn,
  'session.get': get,
  'session.signOut': signOut,
  'session.giveCode': giveCode,
  'session.askForPasskey': askForPasskey,
  'session.givePasskey': givePasskey,
  'session.unlock': unlock,
  'session.prove': prove,
  'session.list': list,
  'session.end': end,
  'session.redeemLink': redeemLink,
} as const;
