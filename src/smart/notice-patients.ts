import { isObject } from '../kernel/index.ts';
import type { Persons } from '../persons/index.ts';
import type { EhrReader } from './ask-ehr.ts';
import { mrnsOf } from './linked-patients.ts';

/** The same reader, which tells the index of each Patient that the EHR sends. */
export function noticePatients(reader: EhrReader, persons: Pick<Persons, 'notice'>, mrnSystem: string): EhrReader {
  const tell = (resource: unknown): void => {
    if (isObject(resource)) persons.notice(resource, mrnsOf(resource, mrnSystem));
  };
  return {
    ...reader,
    async read(path, type, id, asking) {
      const read = await reader.read(path, type, id, asking);
      // An earlier version says what was.
      if (read.ok && read.value !== null && path === `Patient/${id}`) tell(read.value.resource);
      return read;
    },
    search: (async (...args: Parameters<EhrReader['search']>) => {
      const page = await reader.search(...args);
      if (page.ok && args[0] === 'Patient' && 'bundle' in page.value)
        for (const entry of [page.value.bundle['entry'] ?? []].flat() as unknown[])
          if (isObject(entry)) tell(entry['resource']);
      return page;
    }) as EhrReader['search'],
  };
}
