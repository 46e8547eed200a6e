import { randomUUID } from 'node:crypto';
import type { Switches } from './switches.ts';

/** What the `n`th version of a resource is called; null where this server names none. */
export function nameVersion({ versionIds }: Switches, n: number): string | null {
  if (versionIds === 'absent') return null;
  return versionIds === 'uuid' ? randomUUID() : String(n);
}

/** History goes by the names of versions. */
export const hasHistory = ({ noHistory, versionIds }: Switches): boolean =>
  noHistory !== true && versionIds !== 'absent';
