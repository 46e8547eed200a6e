import { ok } from '../kernel/index.ts';
import type { ReadByMrn } from '../persons/index.ts';
import type { EhrReader } from './ask-ehr.ts';
import { mrnsOf } from './linked-patients.ts';
import { byMrns, searchPatients } from './search-patients.ts';

export function makeReadByMrn(deps: { readonly reader: EhrReader; readonly mrnSystem: string }): ReadByMrn {
  const { reader, mrnSystem } = deps;
  return async (mrns) => {
    const found = await searchPatients(reader, byMrns(mrns, mrnSystem), { requestId: 'persons' });
    return found.ok ? ok(found.value.map((patient) => ({ patient, mrns: mrnsOf(patient, mrnSystem) }))) : found;
  };
}
