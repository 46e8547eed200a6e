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
    weak: z
      .array(
        z.strictObject({
          key: z.string(),
          what: z.string().describe('What is left unchecked'),
          mend: z.string().describe('What a person can do about it'),
        }),
      )
      .describe('Settings that are legal and leave something unchecked'),
    connections: z
      .array(
        z.strictObject({
          of: z
            .enum(['listener', 'public-address', 'ehr', 'database'])
            .describe('listener: where we listen. public-address: how apps and people reach us'),
          isProtected: z.boolean().describe('By TLS, or since it does not leave the machine'),
          how: z.enum(['own-certificate', 'proxy', 'tls', 'mutual-tls', 'loopback', 'file', 'plain']),
          certificateUntil: time.nullable().describe('Of a certificate of ours: when it ends'),
        }),
      )
      .describe('Which connections are protected, and how'),
    audit: z
      .strictObject({
        checkpoint: z
          .strictObject({ number: z.int(), at: time.nullable(), records: z.int() })
          .nullable()
          .describe('The last one that was signed'),
        isAnchored: z.boolean().describe('Whether checkpoints are kept outside the database too'),
        retentionDays: z.int(),
      })
      .describe('How far the audit is signed'),
    versions: z.strictObject({
      gateway: z.string(),
      node: z.string(),
      engine: z.enum(['sqlite', 'postgres']),
      engineVersion: z.string(),
      mappings: z.string().describe('Version of the mapping data in force'),
    }),
  }),
);

const get = defineContract({
  id: 'settings.get',
  method: 'get',
  path: '/admin/api/settings',
  summary: 'The settings that are in force, without secrets, which of them are weak, and how old the keys are',
  group: 'Settings',
  permission: 'settings.read',
  audited: { kind: 'later', name: 'settings' },
  answer: Settings,
  answers: 'Every setting, where it comes from, the keys, and what protects them',
  errors: [],
});

export const settingsContract = { 'settings.get': get } as const;
