import { z } from 'zod';
import { defineContract } from './define-contract.ts';
import { bareMrn, bareUserId, mrn, named, taken } from './fields.ts';
import { HANDLES_AT_ONCE } from './handle-shape.ts';

const upTo = (what: string): string => `a list of at most ${HANDLES_AT_ONCE} ${what}`;

const make = defineContract({
  id: 'handles.make',
  method: 'post',
  path: '/admin/api/handles',
  summary: 'Names for MRNs and users that say nothing, to put into addresses and commands',
  description:
    'A handle is taken wherever a route takes an MRN or a user, in path, query and JSON. It is always the same for the same value, and of no use at another gateway. Whether there is such a patient is not looked up.',
  group: 'Patients',
  permission: 'handles.make',
  audited: { kind: 'later', name: 'handles' },
  body: {
    kind: 'json',
    schema: z.strictObject({
      mrns: taken(z.array(bareMrn).max(HANDLES_AT_ONCE), upTo('MRNs')).optional(),
      users: taken(z.array(bareUserId).max(HANDLES_AT_ONCE), upTo('users of the source')).optional(),
    }),
    bytesMax: 128 * 1_024,
    isRequired: true,
  },
  answer: named('Handles', z.strictObject({ mrns: z.array(z.string()), users: z.array(z.string()) })),
  answers: 'Handles, in the order of what was given',
  errors: [],
  example: { mrns: ['0001003'] },
});

const open = defineContract({
  id: 'handles.open',
  method: 'post',
  path: '/admin/api/handles/open',
  summary: 'The MRNs that handles stand for',
  group: 'Patients',
  permission: 'patients.read',
  audited: { kind: 'act', names: ['handles opened'] },
  body: {
    kind: 'json',
    schema: z.strictObject({
      handles: taken(z.array(mrn).min(1).max(HANDLES_AT_ONCE), `${upTo('handles of MRNs')}, and at least one`),
    }),
    bytesMax: 128 * 1_024,
    isRequired: true,
  },
  answer: named('OpenedHandles', z.strictObject({ mrns: z.array(z.string()) })),
  answers: 'MRNs, in the order of the handles',
  errors: [],
});

export const handlesContract = { 'handles.make': make, 'handles.open': open } as const;
