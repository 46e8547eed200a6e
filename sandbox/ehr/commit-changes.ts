import type { Clock } from '../../src/kernel/index.ts';
import { alterOnWrite } from './alter-on-write.ts';
import { nameVersion } from './name-version.ts';
import type { Change, Repository, Version } from './repository.ts';
import type { Switches } from './switches.ts';
import type { WriteLog } from './write-log.ts';

export type CommitChanges = (requestId: string, switches: Switches, changes: readonly Change[]) => Version[];

/** Stores what this server makes of the changes, and logs it as it was stored. */
export const makeCommitChanges =
  ({
    repository,
    log,
    clock,
  }: {
    readonly repository: Repository;
    readonly log: WriteLog;
    readonly clock: Clock;
  }): CommitChanges =>
  (requestId, switches, changes) => {
    const at = clock.now().toISOString();
    const altered = changes.map(({ resource, ...change }) => {
      const before = repository.read(change.type, change.id)?.resource ?? null;
      return { ...change, resource: resource === null ? null : alterOnWrite(switches, resource, before, requestId) };
    });
    const versions = repository.apply(altered, {
      lastUpdated: at,
      nameVersion: (n) => nameVersion(switches, n),
      searchableFromMs: switches.searchLagMs === undefined ? 0 : clock.monotonicMs() + switches.searchLagMs,
    });
    log.add(
      versions.map((version, i) => ({
        at,
        requestId,
        kind: changes[i]?.kind ?? 'update',
        method: version.method,
        type: version.type,
        id: version.id,
        versionId: version.n,
        json: version.resource === null ? null : version.json,
      })),
    );
    return versions;
  };
