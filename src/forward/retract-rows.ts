import { labelsOf } from '../content/index.ts';
import { fault } from '../kernel/index.ts';
import type { TypePlan, Verdict } from '../ehr/index.ts';
import { asRetracted, isRetractable, isWithdrawn, type WithdrawnBecause } from '../translate/index.ts';
import { versionOf, versionOfEtag } from './build-items.ts';
import { NO_CONTENT, type LedgerRow, type RetractedRow } from '../lanes/index.ts';
import type { ContentReader } from './content-reader.ts';
import type { JobDeps } from './job.ts';
import { judgeChart, tookBackOurs, type ChartQuestion, type Intent } from './judge-chart.ts';
import { lookUp } from './look-up.ts';
import { NAME_SYSTEM } from './request-items.ts';
import { later } from './settle-item.ts';
import type { Stop } from './stop.ts';

export interface RetractedRows {
  readonly retracted: readonly RetractedRow[];
  /** What somebody else changed, or a person keeps: left alone, for a person to decide on. */
  readonly conflicts: readonly LedgerRow[];
  readonly stop: Stop | null;
  readonly httpStatus: number | null;
}

export interface Retraction {
  /** For whoever reads the chart. */
  readonly because: WithdrawnBecause;
  /**
   * In the wrong chart (`whoever`) a resource is taken back whoever was at it since; else somebody else's change is a
   * conflict.
   */
  readonly mode: 'ours' | 'whoever';
  readonly reader: ContentReader;
  readonly intentsOf: (name: string) => readonly Intent[];
}

/** What became of one row. */
type One =
  /** It was taken back, or found so. */
  | { readonly kind: 'done'; readonly row: RetractedRow }
  | { readonly kind: 'conflict' }
  | { readonly kind: 'stop'; readonly stop: Stop };

const done = (row: RetractedRow): One => ({ kind: 'done', row });
const stopped = (verdict: Exclude<Verdict, { kind: 'ok' }>): One => ({
  kind: 'stop',
  stop: { kind: 'verdict', verdict },
});
const CONFLICT: One = { kind: 'conflict' };

/** What it still says: where an EHR wants a value left out, the reason stands in its place. */
const withoutReason = ({ dataAbsentReason: _reason, ...said }: Readonly<Record<string, unknown>>) => said;

async function retractRow(row: LedgerRow, typePlan: TypePlan, given: Retraction, deps: JobDeps) {
  const { mode, reader } = given;
  const { target, signal } = deps;
  const requestId = deps.newId('req');
  const named = { name: row.name, ledgerDocument: row.ledgerDocument };
  let httpStatus: number | null = null;
  const ended = (one: One): { readonly one: One; readonly httpStatus: number | null } => ({ one, httpStatus });
  const looked = await lookUp(target.ehr, {
    resourceType: row.resourceType,
    name: row.name,
    system: NAME_SYSTEM,
    id: row.id,
    plan: typePlan,
    requestId,
    signal,
  });
  if (!looked.ok) return ended(stopped(later(looked.fault)));
  if (looked.value.kind === 'several') return ended(stopped({ kind: 'several', fault: fault('ehr.several') }));
  if (looked.value.kind !== 'there') return ended(done({ ...named, versionId: null, fingerprint: NO_CONTENT }));
  const { resource } = looked.value;
  const version = versionOf(resource);
  const fingerprint = reader.fingerprintOf(resource);
  const question: ChartQuestion = {
    standing: { versionId: version, fingerprint, isWithdrawn: isWithdrawn(resource) },
    known: row,
    wanted: 'withdraw',
    intents: given.intentsOf(row.name),
    habits: deps.habits.current().types[row.resourceType] ?? null,
  };
  const verdict = judgeChart(question);
  const wasMeant = question.intents.includes('withdraw');
  const { resourceType, group } = row;
  const event = { resourceType, id: looked.value.id, group, labels: labelsOf(resource) };
  if (verdict === 'says-it') {
    // Where somebody else took it back, it is not ours to say again; nor is what a person kept.
    const isOwn =
      row.isRetracted || (!row.isKept && tookBackOurs(reader.fingerprintOf(withoutReason(resource)), question));
    return ended(
      done({
        ...named,
        versionId: isOwn ? version : null,
        fingerprint: isOwn ? fingerprint : NO_CONTENT,
        // An attempt of which nobody heard took it back.
        ...(wasMeant && !row.isRetracted ? { event } : {}),
      }),
    );
  }
  if (row.isKept && mode === 'ours') return ended(CONFLICT);
  if (verdict === 'foreign' && mode === 'ours') return ended(CONFLICT);
  const withdrawn = asRetracted(resource, deps.translationContext.setting.dialect, given.because);
  const sent = await target.send({
    method: 'PUT',
    path: `${row.resourceType}/${looked.value.id}`,
    body: JSON.stringify(withdrawn),
    ...(version === null || typePlan.ifMatch === 'none' ? {} : { ifMatch: `W/"${version}"` }),
    prefer: 'return=minimal',
    requestId,
    signal,
  });
  if (sent.exchange?.kind === 'answered') httpStatus = sent.exchange.status;
  if (sent.verdict.kind !== 'ok') {
    const isForeign = sent.verdict.kind === 'conflict' && sent.verdict.because === 'version' && mode === 'ours';
    return ended(isForeign ? CONFLICT : stopped(again(sent.verdict)));
  }
  const etag = sent.exchange?.kind === 'answered' ? sent.exchange.headers.etag : undefined;
  // What a person made of it or kept stays there, and is not ours to write over should it be said again.
  if (verdict === 'foreign' || row.isKept)
    return ended(done({ ...named, versionId: null, fingerprint: NO_CONTENT, event }));
  const [versionId, said] = [versionOfEtag(etag), reader.fingerprintOf(withdrawn)];
  return ended(done({ ...named, versionId, fingerprint: said, event }));
}

/**
 * Takes resources back, one by one: each is read, so that what a person added to it stays, and says then that it does
 * not hold.
 */
export async function retractRows(
  rows: readonly LedgerRow[],
  given: Retraction,
  deps: JobDeps,
): Promise<RetractedRows> {
  const retracted: RetractedRow[] = [];
  const conflicts: LedgerRow[] = [];
  let httpStatus: number | null = null;
  for (const row of rows) {
    const typePlan = deps.target.plan.types[row.resourceType];
    if (typePlan === undefined || typePlan.change === 'none' || !isRetractable(row.resourceType)) {
      const verdict = { kind: 'rejected', fault: fault('ehr.rejected') } as const;
      return { retracted, conflicts, stop: { kind: 'verdict', verdict }, httpStatus };
    }
    const { one, httpStatus: status } = await retractRow(row, typePlan, given, deps);
    httpStatus = status ?? httpStatus;
    if (one.kind === 'stop') return { retracted, conflicts, stop: one.stop, httpStatus };
    if (one.kind === 'conflict') conflicts.push(row);
    else retracted.push(one.row);
  }
  return { retracted, conflicts, stop: null, httpStatus };
}

/** In the wrong chart a version that went on meanwhile is read once more. */
const again = (verdict: Exclude<Verdict, { kind: 'ok' }>): Exclude<Verdict, { kind: 'ok' }> =>
  verdict.kind === 'conflict' ? { ...verdict, because: 'concurrency' } : verdict;
