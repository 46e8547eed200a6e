import { identifierToken } from '../ehr/index.ts';
import { isObject, ok } from '../kernel/index.ts';
import type { ReadByMrn } from '../persons/index.ts';
import type { EhrReader } from './ask-ehr.ts';
import { mrnsOf } from './linked-patients.ts';

const PAGES_MAX = 5;

/** Asks for several at once. Two Patients may have one MRN, so that more may come than were asked for. */
export function makeReadByMrn(deps: { readonly reader: EhrReader; readonly mrnSystem: string }): ReadByMrn {
  const { reader, mrnSystem } = deps;
  const asking = { requestId: 'persons' };

  return async (mrns) => {
    const value = mrns.map((mrn) => identifierToken(mrnSystem, mrn)).join(',');
    const query = [
      ['identifier', value],
      ['_count', '200'],
    ] as const;
    let page = await reader.search('Patient', query, asking);
    const found: { readonly patient: unknown; readonly mrns: readonly string[] }[] = [];
    for (let n = 1; ; n += 1) {
      if (!page.ok) return page;
      for (const entry of [page.value.bundle['entry'] ?? []].flat() as unknown[]) {
        const patient = isObject(entry) ? entry['resource'] : null;
        if (isObject(patient)) found.push({ patient, mrns: mrnsOf(patient, mrnSystem) });
      }
      if (page.value.next === null || n === PAGES_MAX) return ok(found);
      const next = await reader.page(page.value.next, 'searchset', asking);
      if (!next.ok) return next;
      if (next.value === null) return ok(found);
      page = ok(next.value);
    }
  };
}
