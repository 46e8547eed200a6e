import { expect, test } from '@jest/globals';
import type { OwnAddress } from '../../../src/ehr/index.ts';
import { ok } from '../../../src/kernel/index.ts';
import type { BundlePage, EhrReader } from '../../../src/smart/ask-ehr.ts';
import { makeFindPatients } from '../../../src/smart/find-patients.ts';
import { searchPatients } from '../../../src/smart/search-patients.ts';

const SYSTEM = 'urn:mrn';
const asking = { requestId: 'r' };
const addressOf = (at: number): OwnAddress => ({ path: '', query: `at=${at}` }) as unknown as OwnAddress;

/** Sends `size` Patients at a time, whatever it is asked for. `leadsBack`: its pages go round in a circle. */
function stingy(mrns: readonly string[], size: number, leadsBack = false): EhrReader {
  const all = mrns.map((mrn, n) => ({
    resource: { resourceType: 'Patient', id: `p${n}`, identifier: [{ system: SYSTEM, value: mrn }] },
  }));
  const pageAt = (at: number) => {
    const isLast = at + size >= all.length;
    const page: BundlePage = {
      bundle: { resourceType: 'Bundle', type: 'searchset', entry: all.slice(at, at + size) },
      next: isLast ? (leadsBack ? addressOf(0) : null) : addressOf(at + size),
    };
    return Promise.resolve(ok(page));
  };
  return {
    search: () => pageAt(0),
    page: ({ query }: OwnAddress) => pageAt(Number(String(query).slice(3))),
  } as unknown as EhrReader;
}

const MRNS = Array.from({ length: 50 }, (_, n) => `mrn-${n}`);

test.each([1, 10, 200])('whom an EHR sends %i at a time are all found', async (size) => {
  const patients = makeFindPatients({ reader: stingy(MRNS, size), mrnSystem: SYSTEM });
  const found = await patients.idsOf(MRNS, asking);
  expect(found.ok && [...found.value.keys()]).toEqual(MRNS);
});

test('pages that lead back, or never end, are not followed', async () => {
  for (const reader of [
    stingy(MRNS, 10, true),
    stingy(
      Array.from({ length: 500 }, (_, n) => String(n)),
      1,
    ),
  ])
    expect(await searchPatients(reader, [], asking)).toMatchObject({ fault: { code: 'ehr.answer-too-large' } });
});
