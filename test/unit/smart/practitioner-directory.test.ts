import { expect, test } from '@jest/globals';
import { fail, fault, ok } from '../../../src/kernel/index.ts';
import type { EhrReader } from '../../../src/smart/ask-ehr.ts';
import { makePractitionerDirectory } from '../../../src/smart/practitioner-directory.ts';

const SYSTEM = 'http://hl7.org/fhir/sid/us-npi';
const practitioner = (id: string, more: Record<string, unknown> = {}) => ({
  resource: { resourceType: 'Practitioner', id, identifier: [{ system: SYSTEM, value: '12,3' }], ...more },
});

/** What the directory makes of an answer of the EHR, and what it asked. */
async function find(entry: unknown, link?: unknown) {
  const asked: unknown[] = [];
  const reader = {
    search: (type: string, params: unknown) => {
      asked.push([type, params]);
      return Promise.resolve(entry === null ? fail(fault('ehr.timeout')) : ok({ bundle: { entry, link } }));
    },
  } as unknown as EhrReader;
  const found = await makePractitionerDirectory({ reader }).byIdentifier({ system: SYSTEM, value: '12,3' }, 'req_1');
  return { found: found.ok ? found.value : found.fault.code, asked };
}

test('the one active practitioner with the identifier is found, and special characters are escaped', async () => {
  const { found, asked } = await find([practitioner('p1')]);
  expect(found).toEqual({ kind: 'one', reference: 'Practitioner/p1' });
  expect(asked).toEqual([
    [
      'Practitioner',
      [
        ['identifier', `${SYSTEM}|12\\,3`],
        ['_count', '10'],
      ],
    ],
  ]);
});

test.each([
  ['nobody', [], 'none'],
  ['no list at all', undefined, 'none'],
  ['one who is inactive', [practitioner('p1', { active: false })], 'none'],
  ['another identifier', [practitioner('p1', { identifier: [{ system: SYSTEM, value: '12' }] })], 'none'],
  ['the value in another system', [practitioner('p1', { identifier: [{ system: 'urn:x', value: '12,3' }] })], 'none'],
  ['another type', [practitioner('p1', { resourceType: 'Patient' })], 'none'],
  ['an id that is none', [practitioner('../Patient/1')], 'none'],
  ['two', [practitioner('p1'), practitioner('p2')], 'several'],
])('%s is not one practitioner', async (_what, entry, kind) => {
  expect((await find(entry)).found).toEqual({ kind });
});

test('one who is sent twice is one; a further page may hold another; a failure is none of these', async () => {
  expect((await find([practitioner('p1'), practitioner('p1')])).found).toMatchObject({ kind: 'one' });
  expect((await find([practitioner('p1'), practitioner('p2', { active: false })])).found).toMatchObject({
    kind: 'one',
  });
  expect((await find([practitioner('p1')], [{ relation: 'next', url: 'x' }])).found).toEqual({ kind: 'several' });
  expect((await find(null)).found).toBe('ehr.timeout');
});
