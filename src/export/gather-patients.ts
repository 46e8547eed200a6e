import { fail, fault, ok, type Result } from '../kernel/index.ts';
import type { Caller, FindPatients } from '../smart/index.ts';
import type { ClaimedExport, Mrn, Segment } from './commands.ts';
import { errorLine } from './error-lines.ts';
import { ALL_PATIENTS, type KnownGroup, type PatientGroups } from './groups.ts';
import { isPassing } from './read-patient.ts';
import { toSegment } from './segment-writer.ts';

const PAGE = 500;

/** Some more patients of an export, and where it goes on. */
export interface Gathered {
  readonly patients: readonly Mrn[];
  readonly next: string | null;
  /** What is told of those who are left out. */
  readonly segments: readonly Segment[];
}

export interface GatherDeps {
  readonly groups: PatientGroups;
  readonly patients: FindPatients;
  readonly mrnSystem: string;
}

/** The same words for who is not there, has no link and is in another group: nothing is told of any of them. */
const leftOut = (count: number, requestId: string): Promise<Segment> =>
  toSegment({
    n: 0,
    type: 'OperationOutcome',
    resources: 1,
    before: 0,
    lines: [errorLine(fault('read.not-found'), `${count} of the named patients cannot be exported`, requestId)],
  });

/** Those named by the client who are in the group, as linked patients are. */
async function gatherNamed(
  { groups, patients, mrnSystem }: GatherDeps,
  group: KnownGroup,
  ids: readonly string[],
  caller: Caller,
): Promise<Result<Gathered>> {
  const wanted = new Map<string, string>();
  for (const id of ids) {
    const mrns = await patients.mrnsOf(id, caller);
    if (!mrns.ok && (isPassing(mrns.fault) || mrns.fault.kind.startsWith('store-'))) return mrns;
    // What is wrong with this one is not wrong with the others.
    if (!mrns.ok) continue;
    for (const mrn of mrns.value) wanted.set(mrn, id);
  }
  const found = new Map<string, Mrn>();
  let from: string | null = null;
  do {
    const page = await groups.members(group, from, PAGE);
    if (!page.ok) return page;
    for (const one of page.value.patients) {
      const id = one.mrnSystem === mrnSystem ? wanted.get(one.mrn) : undefined;
      if (id !== undefined) found.set(id, one);
    }
    from = page.value.next;
  } while (from !== null && found.size < ids.length);
  const missing = ids.length - found.size;
  const segments = missing === 0 ? [] : [await leftOut(missing, caller.requestId)];
  return ok({ patients: [...found.values()], next: null, segments });
}

/** The next patients of an export; a fault that is not passing means that there is nothing to export. */
export async function gatherPatients(
  deps: GatherDeps,
  job: Pick<ClaimedExport, 'group' | 'asked'>,
  from: string | null,
  caller: Caller,
): Promise<Result<Gathered>> {
  const group = await deps.groups.find(job.group ?? ALL_PATIENTS);
  if (!group.ok) return group;
  if (group.value === null) return fail(fault('group.not-found'));
  const { patients } = job.asked;
  if (patients !== null) return gatherNamed(deps, group.value, patients, caller);
  const page = await deps.groups.members(group.value, from, PAGE);
  return page.ok ? ok({ ...page.value, segments: [] }) : page;
}
