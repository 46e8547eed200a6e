import type { Result } from '../kernel/index.ts';
import type { EhrRequest } from '../ehr/index.ts';
import type { WrittenRow } from '../lanes/index.ts';
import type { Wanted } from '../translate/index.ts';
import { fingerprintOfItem, type Item } from './build-items.ts';
import { learnFromCreate } from './learn-from-create.ts';
import { lookUp, type Looked } from './look-up.ts';
import { beginWrite, nextWrite } from './next-write.ts';
import { readAnswer } from './read-answer.ts';
import { NAME_SYSTEM, patientEntry } from './request-items.ts';
import { typePlanOf } from './settle-item.ts';
import type { Stop } from './stop.ts';
import type { WriteDeps } from './write-deps.ts';
import type { Progress, WriteAct, WriteEvent, WriteFacts, WriteRequest } from './write-state.ts';

export interface WroteItems {
  readonly written: readonly WrittenRow[];
  /**
   * What somebody else changed, or a person keeps: left alone, for a person to decide on. Everything else was written.
   */
  readonly conflicts: readonly Item[];
  /** What was not come to, as it is known by now. */
  readonly unsettled: readonly Item[];
  readonly stop: Stop | null;
  readonly httpStatus: number | null;
  /** Whatever an earlier attempt may have written was found out. */
  readonly isLookedUp: boolean;
}

/** What the EHR holds under the name of an item. */
export const lookUpItem = (
  item: Item,
  { ehr, plan, requestId, signal }: Pick<WriteDeps, 'ehr' | 'plan' | 'requestId' | 'signal'>,
): Promise<Result<Looked>> =>
  lookUp(ehr, {
    resourceType: item.resourceType,
    name: item.name,
    system: NAME_SYSTEM,
    id: item.at?.id ?? null,
    plan: typePlanOf(plan, item.resourceType),
    requestId,
    signal,
  });

/** What the decisions go by at this moment. */
export const factsOf = (items: readonly Item[], provenance: Wanted | null, deps: WriteDeps): WriteFacts => ({
  ...deps,
  items,
  provenance,
  habits: deps.habits.current(),
  nowMs: deps.now().getTime(),
});

function bodyOf(request: WriteRequest, { patient }: WriteDeps): string {
  if (request.kind === 'single') return JSON.stringify(request.resource);
  const entries = [...request.entries, ...(request.showsPatient ? [patientEntry(patient.reference)] : [])];
  return `{"resourceType":"Bundle","type":"${request.type}","entry":[${entries.map(({ text }) => text).join()}]}`;
}

async function sendRequest(request: WriteRequest, deps: WriteDeps): Promise<WriteEvent> {
  const { plan, habits, reader, patient } = deps;
  /** Whether the EHR is asked to show what it makes of these. */
  const isToBeSeen = habits.wantsToSee(
    request.items
      .filter(({ at, resourceType }) => at === null && resourceType !== 'Provenance')
      .map((item) => ({ type: item.resourceType, fingerprint: fingerprintOfItem(item, reader) })),
  );
  const isShown = isToBeSeen || plan.answer === 'representation' || habits.current().minimal === 'empty';
  const asked: EhrRequest = {
    ...(request.kind === 'single' ? request.asked : { method: 'POST', path: '' }),
    body: bodyOf(request, deps),
    prefer: isShown ? 'return=representation' : 'return=minimal',
    requestId: deps.requestId,
    signal: deps.signal,
  };
  const sent = await deps.send(asked);
  const { exchange } = sent;
  const isEmpty = exchange?.kind === 'answered' && exchange.status === 200 && exchange.body.kind === 'empty';
  if (isEmpty && request.kind === 'bundle' && !isShown) habits.learnEmptyAnswer();
  const event = readAnswer(sent, request, {
    guard: deps.ehr.guard,
    now: deps.now(),
    isToBeSeen,
    patient: patient.reference,
    isStillPatient: (shown) => patient.remembered?.isStill(shown) === true,
  });
  if (event.kind === 'patient-missing') patient.remembered?.forget();
  return event;
}

async function perform(act: Exclude<WriteAct, { kind: 'end' }>, deps: WriteDeps): Promise<WriteEvent> {
  switch (act.kind) {
    case 'look': {
      const looked = await lookUpItem(act.item, deps);
      return looked.ok ? { kind: 'looked', looked: looked.value } : { kind: 'look-failed', fault: looked.fault };
    }
    case 'send':
      return sendRequest(act.request, deps);
    case 'learn':
      await learnFromCreate(act, deps, (item) => lookUpItem(item, deps));
      return { kind: 'learnt' };
  }
}

function wroteOf(
  all: readonly Item[],
  { written, pending, conflicts, ...told }: Progress,
  stop: Stop | null,
): WroteItems {
  const rows = written.map(({ row }) => row);
  const settled = new Set([...rows, ...conflicts].map(({ name }) => name));
  const found = new Map(pending.map((item) => [item.name, item]));
  return {
    written: rows,
    conflicts,
    unsettled: all.filter(({ name }) => !settled.has(name)).map((item) => found.get(item.name) ?? item),
    stop,
    httpStatus: told.httpStatus,
    isLookedUp: told.isLookedUp,
  };
}

/**
 * Writes what a document wants in as few requests as the EHR allows. What was written is told also where the rest was
 * not. `next-write.ts` decides; here its acts are carried out.
 */
export async function writeItems(
  all: readonly Item[],
  provenance: Wanted | null,
  deps: WriteDeps,
): Promise<WroteItems> {
  const facts = (): WriteFacts => factsOf(all, provenance, deps);
  let { state, act } = beginWrite(facts(), deps.patient.remembered === null ? 'known' : 'to-be-seen');
  while (act.kind !== 'end') {
    const event = await perform(act, deps);
    ({ state, act } = nextWrite(state, event, facts()));
  }
  return wroteOf(all, state.progress, state.kind === 'ended' ? state.stop : null);
}
