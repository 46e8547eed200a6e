import type { Clock, Fault, Result } from '../kernel/index.ts';
import type { Operate } from '../store/index.ts';
import type { DuePerson, PersonReads, PersonWrites } from './commands.ts';
import { factsOf } from './facts.ts';

/** Asked for together: as many as every EHR takes in one search. */
const AT_ONCE = 50;
/** Who dies between the question and the answer leaves them to others after this. */
const LEASE_MS = 5 * 60_000;
const AGAIN_MS = 24 * 60 * 60_000;
/** Whom the EHR does not have may be registered there any moment. */
const MISSING_AGAIN_MS = 60 * 60_000;

type Found = readonly { readonly patient: unknown; readonly mrns: readonly string[] }[];

/** The Patients of these MRNs as the EHR has them, each with the MRNs that it has. */
export type ReadByMrn = (mrns: readonly string[]) => Promise<Result<Found>>;

export type ReadDue = () => Promise<
  { readonly kind: 'nothing' } | { readonly kind: 'read' } | { readonly kind: 'failed'; readonly fault: Fault }
>;

const factsIn = ({ mrn, mrnIndex, version }: DuePerson, found: Found) => ({
  mrnIndex,
  version,
  facts: found.flatMap(({ patient, mrns }) => {
    const facts = mrns.includes(mrn) ? factsOf(patient) : null;
    return facts === null ? [] : [facts];
  }),
});

/** Reads from the EHR those who are due, as many as it is asked for at once. */
export function makeReadDue(deps: {
  readonly tenant: string;
  readonly persons: Operate<PersonWrites, PersonReads>;
  readonly readByMrn: ReadByMrn;
  readonly clock: Clock;
}): ReadDue {
  const { tenant, persons, clock } = deps;
  const nowMs = (): number => clock.now().getTime();

  return async () => {
    const isDue = await persons.read('persons.is-due', { tenant, atMs: nowMs() });
    if (!isDue.ok) return { kind: 'failed', fault: isDue.fault };
    if (!isDue.value) return { kind: 'nothing' };
    const lease = { tenant, atMs: nowMs(), leaseMs: LEASE_MS, limit: AT_ONCE };
    const leasedUntilMs = lease.atMs + lease.leaseMs;
    const due = await persons.writeBehind('persons.claim', lease);
    if (!due.ok) return { kind: 'failed', fault: due.fault };
    if (due.value.length === 0) return { kind: 'nothing' };
    const found = await deps.readByMrn(due.value.map(({ mrn }) => mrn));
    if (!found.ok) {
      await persons.writeBehind('persons.doubt', { tenant, mrnIndexes: due.value.map(({ mrnIndex }) => mrnIndex) });
      return { kind: 'failed', fault: found.fault };
    }
    const read = due.value.map((one) => factsIn(one, found.value));
    for (const [isThere, of] of Map.groupBy(read, ({ facts }) => facts.length > 0)) {
      const dueAtMs = nowMs() + (isThere ? AGAIN_MS : MISSING_AGAIN_MS);
      const kept = await persons.writeBehind('persons.put', { tenant, read: of, dueAtMs, leasedUntilMs });
      if (!kept.ok) return { kind: 'failed', fault: kept.fault };
    }
    return { kind: 'read' };
  };
}
