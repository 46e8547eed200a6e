import { ok, type Result } from '../../kernel/index.ts';
import { holdsContent, versionOf, type Item } from './build-items.ts';
import type { Finish, ForeignChange, LedgerRow, SeenChange, WrittenRow } from './commands.ts';
import { lookUp, type Looked } from './look-up.ts';
import type { Planned } from './plan-job.ts';
import { NAME_SYSTEM } from './request-items.ts';
import type { JobDeps } from './run-job.ts';

/** More than these in one document a person decides on in several rounds. */
const LOOKS_MAX = 100;

type Named = Pick<Item, 'name' | 'resourceType'>;

async function look({ name, resourceType }: Named, id: string | null, deps: JobDeps): Promise<Result<Looked>> {
  const plan = deps.target.plan.types[resourceType];
  if (plan === undefined) return ok({ kind: 'unfindable' });
  const { signal, newId } = deps;
  return lookUp(deps.target.ehr, { resourceType, name, system: NAME_SYSTEM, id, plan, requestId: newId('req'), signal });
}

function foreignOf(item: Item, looked: Looked): ForeignChange | null {
  const { name, resourceType, at } = item;
  if (looked.kind === 'there') {
    const versionId = versionOf(looked.resource);
    const isKnown =
      holdsContent(looked.resource, item.digest) || (at !== null && at.versionId === versionId && versionId !== null);
    return isKnown ? null : { name, resourceType, id: looked.id, versionId };
  }
  return looked.kind === 'absent' && at !== null && !item.isRetracted ? { name, resourceType, id: at.id, versionId: null } : null;
}

/** Everything of a document that somebody else changed, so that a person decides once. What cannot be asked for now is left out. */
export async function seeForeignChanges(
  { items, gone }: Pick<Planned, 'items' | 'gone'>,
  settled: readonly { readonly name: string }[],
  deps: JobDeps,
): Promise<ForeignChange[]> {
  const isSettled = new Set(settled.map(({ name }) => name));
  const seen: ForeignChange[] = [];
  for (const item of items.filter(({ name }) => !isSettled.has(name)).slice(0, LOOKS_MAX)) {
    const looked = await look(item, item.at?.id ?? null, deps);
    if (!looked.ok) return seen;
    const foreign = foreignOf(item, looked.value);
    if (foreign !== null) seen.push(foreign);
  }
  for (const row of gone.filter(({ name }) => !isSettled.has(name)).slice(0, LOOKS_MAX)) {
    const looked = await look(row, row.id, deps);
    if (!looked.ok) return seen;
    const versionId = looked.value.kind === 'there' ? versionOf(looked.value.resource) : row.versionId;
    if (versionId !== row.versionId) seen.push({ name: row.name, resourceType: row.resourceType, id: row.id, versionId });
  }
  return seen;
}

export interface Decided extends Planned {
  /** Left as somebody else made it, and from now on known by that version. */
  readonly kept: readonly WrittenRow[];
  /** To be withdrawn by the document, and left as it is. */
  readonly left: Finish['retracted'];
}

/**
 * Carries the decisions of a person into a plan. A decision is about the version that was shown: what went on since is planned as if
 * nobody had decided, and so is a conflict again.
 */
export async function applyDecisions(deliveryId: string, planned: Planned, deps: JobDeps): Promise<Result<Decided>> {
  const read = await deps.lanes.read('lane.foreign', { tenant: deps.tenant, deliveryId });
  if (!read.ok) return read;
  const decided = new Map(read.value.filter(({ decision }) => decision !== null).map((one) => [one.name, one]));
  const [items, kept]: [Item[], WrittenRow[]] = [[], []];
  const [gone, left]: [LedgerRow[], { name: string; versionId: string | null }[]] = [[], []];

  for (const item of planned.items) {
    const seen = decided.get(item.name);
    const now = seen === undefined ? ok(null) : await stillAsSeen(item, seen, deps);
    if (!now.ok) return now;
    if (seen === undefined || now.value === null) items.push(item);
    else if (seen.decision === 'keep-theirs') kept.push(rowOf(item, seen, planned.saidAt));
    else items.push({ ...item, at: now.value === 'there' ? { id: seen.id, versionId: seen.versionId } : null, isDecided: true });
  }
  for (const row of planned.gone) {
    const seen = decided.get(row.name);
    const now = seen === undefined ? ok(null) : await stillAsSeen(row, seen, deps);
    if (!now.ok) return now;
    if (seen === undefined || now.value === null) gone.push(row);
    else if (seen.decision === 'keep-theirs') left.push({ name: row.name, versionId: seen.versionId });
    else gone.push({ ...row, versionId: seen.versionId });
  }
  return ok({ ...planned, items, gone, kept, left });
}

async function stillAsSeen(of: Named, seen: SeenChange, deps: JobDeps): Promise<Result<'there' | 'absent' | null>> {
  const looked = await look(of, seen.id, deps);
  if (!looked.ok) return looked;
  const { value } = looked;
  if (value.kind === 'there') return ok(versionOf(value.resource) === seen.versionId ? 'there' : null);
  return ok(value.kind === 'absent' && seen.versionId === null ? 'absent' : null);
}

const rowOf = ({ name, resourceType, digest, wanted }: Item, { id, versionId }: SeenChange, saidAt: number): WrittenRow => ({
  name,
  resourceType,
  id,
  versionId,
  contentDigest: digest,
  group: wanted.group,
  chartDay: wanted.chartDay,
  saidAt,
  effect: 'none',
});
