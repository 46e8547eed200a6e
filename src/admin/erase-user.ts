import { fail, fault, ok, type FaultCode, type Result } from '../kernel/index.ts';
import type { EraseLook, EraseReads, EraseWrites } from '../lanes/index.ts';
import { ENROL_TABLES, type EnrolReads, type EnrolWrites } from '../enrol/index.ts';
import type { LinkAct, SourceUser } from '../identity/index.ts';
import type { Operate } from '../store/index.ts';

const AT_ONCE = 100;
/** Should a sender be faster than this, it is a matter for another try. */
const FINISHES_MAX = 20;

/** One table that can hold data of the user. */
export interface ErasedTable {
  readonly table: string;
  readonly what: string;
  /** Rows of which something was destroyed; in a preview, would be. */
  readonly destroyed: number;
  /** Rows that still hold something that should be gone. */
  readonly remaining: number;
  /** Rows that stay, and why. */
  readonly left: number;
  readonly why: string | null;
}

export interface EraseReport {
  readonly preview: boolean;
  /** Why it cannot be done now; null where it can, or was. */
  readonly blocked: 'erase.linked' | 'erase.busy' | null;
  readonly erasedAt: string | null;
  readonly tables: readonly ErasedTable[];
  /** Whether the files of the live database were overwritten too; null in a preview. */
  readonly scrubbed: 'done' | 'partly' | null;
}

interface Held {
  readonly look: EraseLook;
  readonly enrolled: Readonly<Record<string, number>>;
  readonly claims: readonly Uint8Array[];
}

const ENROLLED = {
  enrolled_user: 'the user id',
  source_connection: 'connections',
  source_request: 'requests and their MRN',
};

const tablesOf = (before: Held, after: Held | null): ErasedTable[] => [
  ...before.look.counts.map(({ table, what, held, left, why }) => {
    const now = after?.look.counts.find((one) => one.table === table) ?? null;
    const remaining = now?.held ?? held;
    return { table, what, destroyed: now === null ? held : held - remaining, remaining, left: now?.left ?? left, why };
  }),
  ...[
    ...ENROL_TABLES.map((table) => [table, ENROLLED[table]] as const),
    ['enrolled_patient', 'who a patient is at the source'] as const,
  ].map(([table, what]) => {
    const held = before.enrolled[table] ?? 0;
    const remaining = after === null ? held : (after.enrolled[table] ?? 0);
    return { table, what, destroyed: after === null ? held : held - remaining, remaining, left: 0, why: null };
  }),
];

const blockedBy = ({ links, moving }: EraseLook): EraseReport['blocked'] =>
  links > 0 ? 'erase.linked' : moving > 0 ? 'erase.busy' : null;

/** Destroys what is stored of a source user, and tells of every table what is gone, what is left and why. */
export function makeEraseUser(deps: {
  readonly tenant: string;
  readonly erasing: Operate<EraseWrites, EraseReads>;
  readonly enrolment: Operate<EnrolWrites, EnrolReads>;
  readonly scrub: () => Promise<'done' | 'partly'>;
}) {
  const { tenant, erasing, enrolment } = deps;

  async function lookAt(user: SourceUser): Promise<Result<Held>> {
    const look = await erasing.read('erase.look', { tenant, user });
    if (!look.ok) return look;
    const enrolled = await enrolment.read('enrol.held', { tenant, user });
    if (!enrolled.ok) return enrolled;
    const { held, claims } = enrolled.value;
    const isKnown = look.value.isKnown || claims.length > 0 || ENROL_TABLES.some((table) => held[table] > 0);
    if (!isKnown) return fail(fault('erase.not-found'));
    return ok({ look: look.value, enrolled: { ...held, enrolled_patient: claims.length }, claims });
  }

  /** All but the key: what is destroyed one by one. */
  async function destroy(act: LinkAct, user: SourceUser): Promise<Result<null>> {
    for (;;) {
      const some = await erasing.writeBehind('erase.some', { ...act, user, limit: AT_ONCE });
      if (!some.ok) return some;
      if (some.value === 0) return ok(null);
    }
  }

  return {
    async preview(user: SourceUser): Promise<Result<EraseReport>> {
      const held = await lookAt(user);
      if (!held.ok) return held;
      const { look } = held.value;
      const erasedAt = look.erasedAt === null ? null : new Date(look.erasedAt).toISOString();
      return ok({
        preview: true,
        blocked: blockedBy(look),
        erasedAt,
        tables: tablesOf(held.value, null),
        scrubbed: null,
      });
    },

    /** May be asked again after it was cut off. */
    async erase(act: LinkAct, user: SourceUser): Promise<Result<EraseReport>> {
      const before = await lookAt(user);
      if (!before.ok) return before;
      const blocked = blockedBy(before.value.look);
      if (blocked !== null) return fail(fault(blocked));
      const counts = Object.fromEntries(tablesOf(before.value, null).map(({ table, destroyed }) => [table, destroyed]));
      for (let times = 0; ; times += 1) {
        const destroyed = await destroy(act, user);
        if (!destroyed.ok) return destroyed;
        const forgotten = await enrolment.write('enrol.erase', { tenant, user, claims: before.value.claims });
        if (!forgotten.ok) return forgotten;
        const finished = await erasing.write('erase.finish', { ...act, user, counts });
        if (!finished.ok) return finished;
        if (finished.value === 'done') break;
        const why: FaultCode = finished.value === 'linked' ? 'erase.linked' : 'erase.busy';
        if (finished.value !== 'more' || times === FINISHES_MAX) return fail(fault(why));
      }
      const scrubbed = await deps.scrub();
      const after = await lookAt(user);
      if (!after.ok) return after;
      const { erasedAt } = after.value.look;
      return ok({
        preview: false,
        blocked: null,
        erasedAt: erasedAt === null ? null : new Date(erasedAt).toISOString(),
        tables: tablesOf(before.value, after.value),
        scrubbed,
      });
    },
  };
}
export type EraseUser = ReturnType<typeof makeEraseUser>;
