import { isObject } from '../kernel/index.ts';
import type { Persons } from '../persons/index.ts';
import type { EhrReader } from './ask-ehr.ts';
import type { Asking } from './caller.ts';
import { mrnsOf } from './linked-patients.ts';

/** The same reader, which tells the index of each Patient that the EHR sends. */
export function noticePatients(reader: EhrReader, persons: Pick<Persons, 'notice'>, mrnSystem: string): EhrReader {
  const tell = (resource: unknown): void => {
    if (isObject(resource)) persons.notice(resource, mrnsOf(resource, mrnSystem));
  };
  const readPatient = async (path: string, id: string, asking: Asking): ReturnType<EhrReader['read']> => {
    const read = await reader.read(path, 'Patient', id, asking);
    if (read.ok && read.value !== null) tell(read.value.resource);
    return read;
  };
  const searchPatients = async (...args: Parameters<EhrReader['search']>) => {
    const page = await reader.search(...args);
    if (page.ok && 'bundle' in page.value)
      for (const entry of [page.value.bundle['entry'] ?? []].flat() as unknown[])
        if (isObject(entry)) tell(entry['resource']);
    return page;
  };
  return {
    ...reader,
    // An earlier version says what was.
    read: (path, type, id, asking) =>
      path === `Patient/${id}` ? readPatient(path, id, asking) : reader.read(path, type, id, asking),
    search: ((...args: Parameters<EhrReader['search']>) =>
      args[0] === 'Patient' ? searchPatients(...args) : reader.search(...args)) as EhrReader['search'],
  };
}
