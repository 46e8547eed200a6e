import { z } from 'zod';
import { defineContract } from './define-contract.ts';
import { cursor, limit, mrn, named, taken, time } from './fields.ts';
import { Explanation } from './mappings.ts';
import { HistoryChange } from './shapes.ts';

const MappingRow = named(
  'MappingRow',
  z.strictObject({
    file: z.string(),
    row: z.string().describe('As every decision of a translation names it'),
    code: z.string().describe('The word or code of the source; of plausibility.json the code whose values are bounded'),
    when: z.string().nullable().describe('The context or unit that it is for'),
    system: z.string(),
    target: z.string(),
    display: z.string().nullable(),
    says: z.string().describe('The equivalence, or the bounds'),
    source: z.string(),
    reviewer: z.string(),
  }),
);

const MappingLoad = named(
  'MappingLoad',
  z.strictObject({
    firstAt: time,
    lastAt: time.describe('The last time that the same was loaded, or refused'),
    count: z.int().describe('How many times in a row'),
    by: z.string().describe('gateway: at its start, or by SIGHUP; else whoever asked'),
    outcome: z.enum(['ok', 'failed']),
    digest: z.string().nullable().describe('Of all files and templates; null where they were refused'),
    rows: z.int(),
    changes: z.array(HistoryChange).describe('Files and templates that differ from the load before'),
    problems: z.array(z.string()),
  }),
);

const searched = taken(
  z.string().regex(/^[^\p{Cc}]{1,100}$/u),
  'a text of 1 to 100 characters, which a row holds anywhere, in any case',
  { type: 'string', minLength: 1, maxLength: 100, pattern: '^[^\\u0000-\\u001F\\u007F-\\u009F]*$' },
);
const file = taken(
  z.string().regex(/^[a-z0-9-]{1,60}\.json$/),
  'the name of a file of the mapping data, such as conceptmap-metrics.json',
);

const rows = defineContract({
  id: 'mappings.rows',
  method: 'get',
  path: '/admin/api/mappings/rows',
  summary: 'The rows of the mapping data in force, file by file',
  description: 'A cursor is good for the data that it was made of: after a load of others it is refused.',
  group: 'Mappings',
  permission: 'mappings.read',
  audited: { kind: 'later', name: 'mapping rows' },
  query: z.strictObject({
    text: searched.optional(),
    file: file.optional(),
    cursor: cursor.optional(),
    limit: limit(),
  }),
  answer: z.strictObject({ total: z.int(), rows: z.array(MappingRow), next: z.string().nullable() }),
  answers: 'A page, and how many rows there are in all that were asked for',
  errors: [],
});

const tried = defineContract({
  id: 'mappings.try',
  method: 'post',
  path: '/admin/api/mappings/try',
  summary: 'What would be written for a payload of the Data Webhook, and why',
  description:
    'The payload is translated and judged as a delivery would be. Nothing of it is stored or sent, and nothing that was written before is looked at.',
  group: 'Mappings',
  permission: 'mappings.read',
  audited: { kind: 'act', names: ['mappings try'] },
  query: z.strictObject({ mrn: mrn.describe('As if the user of the payload were linked to this patient').optional() }),
  body: { kind: 'bytes', types: ['application/json'] },
  answer: named('Tried', Explanation.omit({ id: true, delivery: true }).extend({ wouldGo: z.boolean() })),
  answers: 'The explanation; `wouldGo`: nothing keeps it from being written, except perhaps that nobody is linked',
  errors: [
    'admin.no-room',
    'payload.shape',
    'payload.identity',
    'payload.foreign-client',
    'template.timeout',
    'template.failed',
    'template.output',
  ],
});

const check = defineContract({
  id: 'mappings.check',
  method: 'post',
  path: '/admin/api/mappings/check',
  summary: 'Check the files of mapping data and templates as they are now, before they are loaded',
  group: 'Mappings',
  permission: 'mappings.read',
  audited: { kind: 'later', name: 'mappings check' },
  answer: z.strictObject({
    isSound: z.boolean(),
    problems: z.array(
      z.strictObject({
        file: z.string(),
        line: z.int().nullable().describe('Null where it is about the whole file'),
        row: z.string().nullable(),
        text: z.string(),
      }),
    ),
  }),
  answers: 'Every problem by file and line; nothing was loaded',
  errors: [],
});

const loads = defineContract({
  id: 'mappings.loads',
  method: 'get',
  path: '/admin/api/mappings/loads',
  summary: 'When mapping data were loaded or refused, by whom, and what had changed, newest first',
  description: 'The same data loaded again by the same is one entry. The last 500 entries are kept.',
  group: 'Mappings',
  permission: 'mappings.read',
  audited: { kind: 'later', name: 'mapping loads' },
  query: z.strictObject({ cursor: cursor.optional(), limit: limit() }),
  answer: z.strictObject({ loads: z.array(MappingLoad), next: z.string().nullable() }),
  answers: 'A page of them',
  errors: [],
});

export const mappingDataContract = {
  'mappings.rows': rows,
  'mappings.try': tried,
  'mappings.check': check,
  'mappings.loads': loads,
} as const;
