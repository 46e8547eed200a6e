import { fail, fault, ok, type Result } from '../kernel/index.ts';
import type { EhrReader } from './ask-ehr.ts';
import type { Asking } from './caller.ts';
import { mrnsOf } from './linked-patients.ts';
import { isId } from './read-request.ts';
import { byMrns, MRNS_AT_ONCE, searchPatients } from './search-patients.ts';
import type { Resource } from './whose.ts';

/** Which Patient of the EHR has which MRN. Nothing of it is shown by this alone: whether it may be is asked elsewhere. */
export interface FindPatients {
  /** `patient.none` and `patient.many` where it is not the one. */
  byMrn(mrn: string, asking: Asking): Promise<Result<Resource>>;
  /** The EHR's ids, by MRN; those that are not the one are left out. */
  idsOf(mrns: readonly string[], asking: Asking): Promise<Result<ReadonlyMap<string, string>>>;
  /** The MRNs of the Patient with this id; none where there is no such Patient. */
  mrnsOf(id: string, asking: Asking): Promise<Result<readonly string[]>>;
}

export function makeFindPatients(deps: { readonly reader: EhrReader; readonly mrnSystem: string }): FindPatients {
  const { reader, mrnSystem } = deps;

  const search = (mrns: readonly string[], asking: Asking): Promise<Result<readonly Resource[]>> =>
    searchPatients(reader, byMrns(mrns, mrnSystem), asking);

  /** One that is active goes before those that are not, such as the rest of a merge. */
  function pick(found: readonly Resource[], mrn: string): Result<Resource> {
    const all = found.filter((patient) => mrnsOf(patient, mrnSystem).includes(mrn));
    const active = all.filter((patient) => patient['active'] !== false);
    const [first, ...more] = active.length > 0 ? active : all;
    if (first === undefined) return fail(fault('patient.none'));
    return more.length > 0 ? fail(fault('patient.many')) : ok(first);
  }

  return {
    async byMrn(mrn, asking) {
      const found = await search([mrn], asking);
      return found.ok ? pick(found.value, mrn) : found;
    },
    async idsOf(mrns, asking) {
      const ids = new Map<string, string>();
      for (let i = 0; i < mrns.length; i += MRNS_AT_ONCE) {
        const some = mrns.slice(i, i + MRNS_AT_ONCE);
        const found = await search(some, asking);
        if (!found.ok) return found;
        for (const mrn of some) {
          const one = pick(found.value, mrn);
          if (one.ok) ids.set(mrn, one.value.id);
        }
      }
      return ok(ids);
    },
    async mrnsOf(id, asking) {
      if (!isId(id)) return ok([]);
      const read = await reader.read(`Patient/${id}`, 'Patient', id, asking);
      if (!read.ok) return read;
      return ok(read.value === null ? [] : mrnsOf(read.value.resource, mrnSystem));
    },
  };
}
