import { fault, type Fault } from '../../kernel/index.ts';
import type { Verdict } from '../../ehr/index.ts';
import type { Dialect } from '../../mappings/index.ts';
import type { AnyResource } from '../../payloads/index.ts';
import { asRetracted, isRetractable } from '../../translate/index.ts';
import { versionOf, versionOfEtag, withoutMark } from './build-items.ts';
import type { Finish, LedgerRow } from './commands.ts';
import { lookUp } from './look-up.ts';
import { NAME_SYSTEM } from './request-items.ts';
import type { JobDeps } from './run-job.ts';
import type { Stop } from './stop.ts';

export interface RetractedRows {
  readonly retracted: Finish['retracted'];
  readonly stop: Stop | null;
  readonly httpStatus: number | null;
}

const RETRACTED_TAG = { system: 'urn:chartgate:retracted', code: 'retracted' };
const isTakenBack = (resource: AnyResource): boolean => {
  const { tag } = (resource['meta'] ?? {}) as { tag?: { system?: unknown }[] };
  return resource['status'] === 'entered-in-error' || (tag ?? []).some(({ system }) => system === RETRACTED_TAG.system);
};
function takenBack(resource: AnyResource, dialect: Dialect, why: string): AnyResource {
  const unmarked = withoutMark(asRetracted(resource, dialect, why));
  const meta = (unmarked['meta'] ?? {}) as { tag?: unknown[] };
  return { ...unmarked, meta: { ...meta, tag: [...(meta.tag ?? []), RETRACTED_TAG] } };
}

/**
 * Takes resources back, one by one: each is read, so that what a person added to it stays, and changed in its status alone. In the wrong
 * chart (`whoever`) it is taken back whoever was at it since; else somebody else's change is a conflict.
 */
export async function retractRows(
  rows: readonly LedgerRow[],
  why: string,
  mode: 'ours' | 'whoever',
  deps: JobDeps,
): Promise<RetractedRows> {
  const { target, reading, signal } = deps;
  const retracted: { name: string; versionId: string | null }[] = [];
  let httpStatus: number | null = null;
  const stopped = (stop: Stop): RetractedRows => ({ retracted, stop, httpStatus });
  for (const row of rows) {
    const typePlan = target.plan.types[row.resourceType];
    if (typePlan === undefined || typePlan.change === 'none' || !isRetractable(row.resourceType))
      return stopped({ kind: 'verdict', verdict: { kind: 'rejected', fault: fault('ehr.rejected') } });
    const requestId = deps.newId('req');
    const asked = {
      resourceType: row.resourceType,
      name: row.name,
      system: NAME_SYSTEM,
      id: row.id,
      plan: typePlan,
      requestId,
      signal,
    };
    const looked = await lookUp(target.ehr, asked);
    if (!looked.ok) return stopped({ kind: 'verdict', verdict: notNow(looked.fault) });
    if (looked.value.kind !== 'there' || isTakenBack(looked.value.resource)) {
      retracted.push({ name: row.name, versionId: looked.value.kind === 'there' ? versionOf(looked.value.resource) : null });
      continue;
    }
    const { resource } = looked.value;
    const version = versionOf(resource);
    if (mode === 'ours' && row.versionId !== null && version !== null && row.versionId !== version)
      return stopped({ kind: 'conflict', fault: fault('ehr.conflict') });
    const { exchange, verdict } = await deps.target.send({
      method: 'PUT',
      path: `${row.resourceType}/${row.id}`,
      body: JSON.stringify(takenBack(resource, reading.setting.dialect, why)),
      ...(version === null || typePlan.ifMatch === 'none' ? {} : { ifMatch: `W/"${version}"` }),
      prefer: 'return=minimal',
      requestId,
      signal,
    });
    if (exchange?.kind === 'answered') httpStatus = exchange.status;
    if (verdict.kind !== 'ok') {
      const isForeign = verdict.kind === 'conflict' && verdict.because === 'version' && mode === 'ours';
      return stopped(isForeign ? { kind: 'conflict', fault: verdict.fault } : { kind: 'verdict', verdict: again(verdict) });
    }
    const etag = exchange?.kind === 'answered' ? exchange.headers.etag : undefined;
    retracted.push({ name: row.name, versionId: versionOfEtag(etag) });
  }
  return { retracted, stop: null, httpStatus };
}

const notNow = (because: Fault): Exclude<Verdict, { kind: 'ok' }> => ({
  kind: 'retry-later',
  afterMs: null,
  patience: 'long',
  effect: 'none',
  fault: because,
});
/** In the wrong chart a version that went on meanwhile is read once more. */
const again = (verdict: Exclude<Verdict, { kind: 'ok' }>): Exclude<Verdict, { kind: 'ok' }> =>
  verdict.kind === 'conflict' ? { ...verdict, because: 'concurrency' } : verdict;
