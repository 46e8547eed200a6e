import type { IdentityReads, IdentityWrites } from '../identity/index.ts';
import { ok, type Clock, type Result } from '../kernel/index.ts';
import type { Operate } from '../store/index.ts';
import type { EhrReader } from './ask-ehr.ts';
import type { Asking } from './caller.ts';
import { mrnsOf } from './linked-patients.ts';
import { byMrns, MRNS_AT_ONCE, searchPatients } from './search-patients.ts';

/** So many patients are searched for together; who has more names one. */
const PATIENTS_MAX = 200;
const LINKS_MAX = 1_000;
const KEEP_MS = 60_000;

/**
 * The ids at the EHR of all patients with a confirmed link. Null: there are too many of them, or a link is not asked
 * for.
 */
export type ListLinked = (asking: Asking) => Promise<Result<readonly string[] | null>>;

/** The links are read each time; which ids an MRN has at the EHR is remembered for a minute. */
export function makeListLinked(deps: {
  readonly mode: 'linked' | 'all';
  readonly tenant: string;
  readonly mrnSystem: string;
  readonly reader: EhrReader;
  readonly identity: Operate<IdentityWrites, IdentityReads>;
  readonly clock: Clock;
}): ListLinked {
  const { mode, tenant, mrnSystem, reader, identity, clock } = deps;
  const kept = new Map<string, { readonly ids: readonly string[]; readonly untilMs: number }>();

  async function lookUp(mrns: readonly string[], asking: Asking): Promise<Result<null>> {
    const found = await searchPatients(reader, byMrns(mrns, mrnSystem), asking);
    if (!found.ok) return found;
    for (const mrn of mrns) {
      const ids = found.value.filter((patient) => mrnsOf(patient, mrnSystem).includes(mrn)).map(({ id }) => id);
      kept.set(mrn, { ids, untilMs: clock.monotonicMs() + KEEP_MS });
    }
    return ok(null);
  }

  return async (asking) => {
    if (mode === 'all') return ok(null);
    const filter = { tenant, status: 'confirmed', user: null, patient: null, before: null } as const;
    const rows = await identity.read('identity.list', { ...filter, limit: LINKS_MAX + 1 });
    if (!rows.ok) return rows;
    const mrns = [...new Set(rows.value.map(({ mrn }) => mrn))];
    if (rows.value.length > LINKS_MAX || mrns.length > PATIENTS_MAX) return ok(null);
    const now = clock.monotonicMs();
    for (const [mrn, { untilMs }] of kept) if (untilMs <= now || !mrns.includes(mrn)) kept.delete(mrn);
    const missing = mrns.filter((mrn) => !kept.has(mrn));
    for (let i = 0; i < missing.length; i += MRNS_AT_ONCE) {
      const done = await lookUp(missing.slice(i, i + MRNS_AT_ONCE), asking);
      if (!done.ok) return done;
    }
    return ok([...new Set(mrns.flatMap((mrn) => kept.get(mrn)?.ids ?? []))]);
  };
}
