import { get, send, type Program } from '../../store/index.ts';

/**
 * The number of the next change. Its row is held until the commit, so that changes come into sight in the order of
 * their numbers, and whoever has seen one has seen all before it.
 */
export function* nextVersion(tenant: string): Program<number> {
  const row = yield* get`
    INSERT INTO person_version (tenant, version) VALUES (${tenant}, 2)
    ON CONFLICT (tenant) DO UPDATE SET version = person_version.version + 1 RETURNING version`;
  return Number(row?.['version']);
}

/**
 * Holds the same row before links are looked at: of two that end at once the later one must see that it was the last,
 * also where two processes end them.
 */
export function* orderLinks(tenant: string): Program<void> {
  yield* send`
    INSERT INTO person_version (tenant, version) VALUES (${tenant}, 1)
    ON CONFLICT (tenant) DO UPDATE SET version = person_version.version`;
}

/**
 * In the commit that changes a link: who is linked now can be found as soon as the EHR was asked, and of whom nobody is
 * linked any more nothing stays.
 */
export function* followLinks(tenant: string, mrnIndexes: readonly Uint8Array[], at: Date): Program<void> {
  // First of all: another link of the same patient may end or begin in another process at this moment.
  const version = yield* nextVersion(tenant);
  for (const index of mrnIndexes) {
    const row = yield* get`
      SELECT (SELECT 1 FROM link WHERE tenant = ${tenant} AND mrn_index = ${index} AND status = 'confirmed' LIMIT 1)
        AS linked, (SELECT 1 FROM person WHERE tenant = ${tenant} AND mrn_index = ${index} AND gone_at IS NULL) AS known`;
    const isLinked = (row?.['linked'] ?? null) !== null;
    const isKnown = (row?.['known'] ?? null) !== null;
    if (isLinked === isKnown) continue;
    if (isLinked)
      yield* send`
        INSERT INTO person (tenant, mrn_index, version, due_at) VALUES (${tenant}, ${index}, ${version}, 0)
        ON CONFLICT (tenant, mrn_index) DO UPDATE SET version = excluded.version, due_at = 0, gone_at = NULL`;
    else
      yield* send`
        UPDATE person SET facts_sealed = NULL, version = ${version}, due_at = NULL, gone_at = ${at.getTime()}
        WHERE tenant = ${tenant} AND mrn_index = ${index}`;
  }
}
