import {
  fail,
  fault,
  jsonAnswer,
  ok,
  type AdminCaller,
  type Answer,
  type Ask,
  type Result,
  type Route,
} from '../kernel/index.ts';
import { checkInput, sayParameter } from './check-input.ts';
import type { Contract } from './contract/define-contract.ts';
import type { AdminContext, AdminRoute, EventsAnswer, LinesAnswer } from './define-route.ts';
import type { RecordAct, RecordActLater } from './record-act.ts';

interface Recorders {
  readonly record: RecordAct;
  readonly recordLater: RecordActLater;
}

/** Names under which the handler may record. */
function namesOf({ audited }: Contract): readonly string[] {
  if (audited.kind === 'act') return audited.names;
  return audited.kind === 'by-command' ? (audited.also ?? []) : [];
}

function toAnswer({ answer, status = 200 }: Contract, value: unknown): Answer {
  if (!('kind' in answer)) return jsonAnswer(status, value);
  if (answer.kind === 'events') {
    const { follow } = value as EventsAnswer;
    // A proxy that collects an answer would show nothing of it.
    const headers = { 'Content-Type': 'text/event-stream; charset=utf-8', 'X-Accel-Buffering': 'no' };
    return { status, headers, body: '', follow };
  }
  const { type, text, next } = value as LinesAnswer;
  return {
    status,
    headers: { 'Content-Type': type, ...(next === null ? {} : { 'Next-Cursor': next }) },
    body: text,
  };
}

/** Whoever gave what the handler refused is told what would be taken. */
function saying(contract: Contract, result: Result<unknown>): Result<unknown> {
  if (result.ok || result.fault.code !== 'admin.parameter' || result.fault.detail !== undefined) return result;
  const detail = sayParameter(contract, result.fault.at ?? '');
  return fail({ ...result.fault, detail, problems: [detail] });
}

const nobodyMay = (): Promise<Result<unknown>> => Promise.resolve(fail(fault('admin.unauthenticated')));

function contextOf(contract: Contract, ask: Ask, caller: AdminCaller, { record }: Recorders, onRecorded: () => void) {
  const names = namesOf(contract);
  const { requestId, log, request, stillMay = nobodyMay } = ask;
  const context: AdminContext = {
    caller,
    requestId,
    log,
    request,
    stillMay,
    actor: { requestId, actor: caller.name },
    record: ({ why = names[0] ?? '', ...act }) => {
      if (!names.includes(why)) throw new Error(`${contract.id} has no act of this name`);
      onRecorded();
      return record({ requestId, caller }, { ...act, why });
    },
  };
  return context;
}

/** A route of the table that http serves: input checked, answer written, and no look without its record. */
export function serveRoute({ contract, handle }: AdminRoute, recorders: Recorders): Route {
  const { method, path, permission, proof, audited } = contract;
  return {
    method,
    path,
    access: 'admin',
    permission,
    ...(proof === undefined ? {} : { proof }),
    handle: async (ask) => {
      const { caller } = ask;
      if (caller === undefined) throw new Error('nobody was authenticated');
      const input = await checkInput(contract, ask);
      if (!input.ok) return input;
      if (audited.kind === 'later') recorders.recordLater({ requestId: ask.requestId, caller }, audited.name);
      const seen = { isRecorded: false };
      const context = contextOf(contract, ask, caller, recorders, () => void (seen.isRecorded = true));
      const result = saying(contract, await handle(input.value as never, context));
      if (!result.ok) return result;
      if (audited.kind === 'act' && !seen.isRecorded) throw new Error(`${contract.id} was answered without a record`);
      return ok(toAnswer(contract, result.value));
    },
  };
}
