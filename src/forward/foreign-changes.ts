import { ok, type Result } from '../kernel/index.ts';
import { DROPPED_DIGEST } from './decide-changes.ts';
import { versionOf, type Item } from './build-items.ts';
import { NO_CONTENT, type ForeignChange, type LedgerRow, type SeenChange, type WrittenRow } from '../lanes/index.ts';
import { makeContentReader, type ContentReader } from './content-reader.ts';
import { afterFault, type Past } from './decide-outcome.ts';
import type { JobDeps } from './job.ts';
import { lookUp, type Looked } from './look-up.ts';
import type { NotSent, Planned } from './plan-job.ts';
import { NAME_SYSTEM } from './request-items.ts';

/** More than these in one document a person decides on in several rounds. */
const LOOKS_MAX = 100;

type Named = Pick<Item, 'name' | 'resourceType'>;

async function look({ name, resourceType }: Named, id: string | null, deps: JobDeps): Promise<Result<Looked>> {
  const plan = deps.target.plan.types[resourceType];
  if (plan === undefined) return ok({ kind: 'unfindable' });
  const { signal, newId } = deps;
  return lookUp(deps.target.ehr, {
    resourceType,
    name,
    system: NAME_SYSTEM,
    id,
    plan,
    requestId: newId('req'),
    signal,
  });
}

/** What is in conflict of a document: what it wants written, and what it no longer says. */
export interface InConflict {
  readonly items: readonly Item[];
  readonly rows: readonly LedgerRow[];
}

/** Both sides of everything that is in conflict, for a person to decide on. */
export async function seeForeignChanges(
  { items, rows }: InConflict,
  reader: ContentReader,
  deps: JobDeps,
): Promise<Result<readonly ForeignChange[]>> {
  const all = [
    ...items.map((item) => ({ of: item, id: item.at?.id ?? null, ours: reader.contentOf(item.statement.resource) })),
    ...rows.map((row) => ({ of: row, id: row.id, ours: null })),
  ];
  const seen: ForeignChange[] = [];
  for (const { of, id, ours } of all.slice(0, LOOKS_MAX)) {
    const looked = await look(of, id, deps);
    if (!looked.ok) return looked;
    const { name, resourceType } = of;
    if (looked.value.kind === 'there') {
      const { resource } = looked.value;
      const sides = { ours, theirs: reader.contentOf(resource) };
      const fingerprint = reader.fingerprintOf(resource);
      seen.push({ name, resourceType, id: looked.value.id, versionId: versionOf(resource), fingerprint, sides });
    } else if (looked.value.kind === 'absent' && id !== null)
      seen.push({ name, resourceType, id, versionId: null, fingerprint: null, sides: { ours, theirs: null } });
  }
  return ok(seen);
}

/**
 * Whoever approves a plan sees first what it would take out of the chart; where that cannot be read now, it is tried
 * again.
 */
export async function withWithdrawals({ kind: _, withdraws, ...planned }: NotSent, past: Past, deps: JobDeps) {
  if (withdraws === undefined) return planned;
  const reader = makeContentReader({ guard: deps.target.ehr.guard, key: deps.contentKey, patient: null });
  const seen = await seeForeignChanges({ items: [], rows: withdraws }, reader, deps);
  return seen.ok ? { ...planned, foreign: seen.value } : { outcome: afterFault(seen.fault, past) };
}

export interface Decided extends Planned {
  /** Left as somebody else made it until a person decides otherwise. */
  readonly kept: readonly WrittenRow[];
}

/**
 * Carries the decisions of a person into a plan. A decision is about what was shown: what went on since is planned as
 * if nobody had decided, and so is a conflict again.
 */
export async function applyDecisions(
  deliveryId: string,
  planned: Planned,
  reader: ContentReader,
  deps: JobDeps,
): Promise<Result<Decided>> {
  const read = await deps.lanes.read('lane.foreign', { tenant: deps.tenant, deliveryId });
  if (!read.ok) return read;
  const decided = new Map(read.value.filter(({ decision }) => decision !== null).map((one) => [one.name, one]));
  const items: Item[] = [];
  const gone: LedgerRow[] = [];
  const kept: WrittenRow[] = [];

  for (const item of planned.items) {
    const seen = decided.get(item.name);
    const now = seen === undefined ? ok('went-on' as const) : await stillAsSeen(item, seen, reader, deps);
    if (!now.ok) return now;
    if (seen === undefined || now.value === 'went-on') items.push(item);
    else if (seen.decision === 'keep-theirs') {
      const { group, chartDay, shelf } = item.wanted;
      kept.push(keptRow({ ...item, group, chartDay, shelf }, seen, item.digest, planned.saidAt));
    } else {
      const at = now.value === 'there' ? { id: seen.id, versionId: seen.versionId } : null;
      items.push({ ...item, at, knownFingerprint: seen.fingerprint, isKept: false });
    }
  }
  for (const row of planned.gone) {
    const seen = decided.get(row.name);
    const now = seen === undefined ? ok('went-on' as const) : await stillAsSeen(row, seen, reader, deps);
    if (!now.ok) return now;
    if (seen === undefined || now.value === 'went-on') gone.push(row);
    else if (seen.decision === 'keep-theirs') kept.push(keptRow(row, seen, DROPPED_DIGEST, planned.saidAt));
    else gone.push({ ...row, versionId: seen.versionId, fingerprint: seen.fingerprint, isKept: false });
  }
  return ok({ ...planned, items, gone, kept });
}

/** Whether it is as a person saw it; `went-on`: somebody changed it since. */
async function stillAsSeen(
  of: Named,
  seen: SeenChange,
  reader: ContentReader,
  deps: JobDeps,
): Promise<Result<'there' | 'absent' | 'went-on'>> {
  const looked = await look(of, seen.id, deps);
  if (!looked.ok) return looked;
  const { value } = looked;
  if (value.kind === 'absent') return ok(seen.versionId === null && seen.fingerprint === null ? 'absent' : 'went-on');
  if (value.kind !== 'there' || versionOf(value.resource) !== seen.versionId) return ok('went-on');
  // Without versions only the content tells whether it is what was shown.
  const isSame = seen.versionId !== null || reader.fingerprintOf(value.resource) === seen.fingerprint;
  return ok(isSame ? 'there' : 'went-on');
}

const keptRow = (
  row: Pick<WrittenRow, 'name' | 'resourceType' | 'group' | 'chartDay' | 'shelf' | 'ledgerDocument'>,
  { id, versionId, fingerprint }: SeenChange,
  /** Of what the document says of it, as the person saw it. */
  contentDigest: string,
  saidAt: number,
): WrittenRow => ({
  name: row.name,
  resourceType: row.resourceType,
  id,
  versionId,
  contentDigest,
  said: null,
  fingerprint: fingerprint ?? NO_CONTENT,
  group: row.group,
  chartDay: row.chartDay,
  shelf: row.shelf,
  ledgerDocument: row.ledgerDocument,
  saidAt,
  effect: 'kept',
});
