import { z } from 'zod';
import { defineContract } from './define-contract.ts';
import { named, time } from './fields.ts';

const Settings = named(
  'Settings',
  z.strictObject({
    settings: z.array(
      z.strictObject({
        key: z.string(),
        about: z.string(),
        isSecret: z.boolean(),
        value: z.string().nullable().describe('Of a secret `set` or `not set`; null: not set'),
        from: z
          .enum(['environment', 'file', 'default', 'none'])
          .describe('file: the one that CHARTGATE_CONFIG names. none: it is not set, and has no default'),
      }),
    ),
    keys: z.array(
      z.strictObject({
        kind: z
          .enum(['data', 'audit', 'id-token'])
          .describe('data: seals what is stored. audit: signs checkpoints. id-token: signs id tokens'),
        id: z.string(),
        isInUse: z.boolean().describe('false: an older one that is still needed to open or to verify'),
        since: time.nullable().describe('When it was made, or first used here; null: not yet'),
        ageDays: z.int().nullable(),
      }),
    ),
  }),
);

const get = defineContract({
  id: 'settings.get',
  method: 'get',
  path: '/admin/api/settings',
  summary: 'The settings that are in force, without secrets, and how old the keys are',
  group: 'Settings',
  permission: 'settings.read',
  audited: { kind: 'later', name: 'settings' },
  answer: Settings,
  answers: 'Every setting, where it comes from, and the keys',
  errors: [],
});

export const settingsContract = { 'settings.get': get } as const;
