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
import { REASON_HEADER, type Contract } from './contract/define-contract.ts';
import { sentence } from './contract/fields.ts';
import { sayField } from './contract/say-schema.ts';
import type { AdminContext, AdminRoute, BytesAnswer, EventsAnswer, LinesAnswer } from './define-route.ts';
import type { OpenHandle } from './handles.ts';
import {
  actorOfCaller,
  patientsOf,
  type Act,
  type Patient,
  type RecordAct,
  type RecordActLater,
} from './record-act.ts';
import { fromReasonHeader } from './reason-header.ts';

interface Recorders {
  readonly record: RecordAct;
  readonly recordLater: RecordActLater;
  /** Those of these patients at whom nobody looks without saying why. */
  readonly restrictedAmong: (patients: readonly Patient[]) => Promise<Result<readonly Patient[]>>;
}
interface Doors extends Recorders {
  readonly openHandle: OpenHandle;
}

/** Names under which the handler may record. */
function namesOf({ audited }: Contract): readonly string[] {
  if (audited.kind === 'act') return audited.names;
  return audited.kind === 'by-command' ? (audited.also ?? []) : [];
}

function toAnswer({ answer, status = 200 }: Contract, value: unknown): Answer {
  if (!('kind' in answer)) return jsonAnswer(status, value);
  if (answer.kind === 'bytes') {
    const { bytes, fileName } = value as BytesAnswer;
    const headers = {
      'Content-Type': answer.types[0],
      'Content-Disposition': `attachment; filename="${fileName}"`,
      'Cache-Control': 'no-store',
    };
    return { status, headers, body: bytes };
  }
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

/** What a handler answered, as it is sent. */
export function answerRoute(contract: Contract, result: Result<unknown>): Result<Answer> {
  const said = saying(contract, result);
  return said.ok ? ok(toAnswer(contract, said.value)) : said;
}

/** Why the caller wants it, as their header says; null where they say nothing. */
function reasonOf({ headers }: Ask['request']): Result<string | null> {
  const given = headers[REASON_HEADER.toLowerCase()];
  if (given === undefined) return ok(null);
  const parsed = sentence.safeParse(typeof given === 'string' ? fromReasonHeader(given) : given);
  if (parsed.success) return ok(parsed.data);
  const detail = sayField(REASON_HEADER, sentence);
  return fail(fault('admin.parameter', { at: REASON_HEADER, detail, problems: [detail] }));
}

function contextOf(
  contract: Contract,
  ask: Ask,
  caller: AdminCaller,
  reason: string | null,
  { record, restrictedAmong }: Recorders,
  onRecorded: () => void,
) {
  const names = namesOf(contract);
  /** Nobody is kept from anything who says why. */
  const withheld: AdminContext['withheld'] = (patients) =>
    reason === null && patients.length > 0 ? restrictedAmong(patients) : Promise.resolve(ok([]));
  /** What was done is done; a look at somebody who is withheld is recorded as refused. */
  async function recordUnlessWithheld(act: Act): Promise<Result<null>> {
    const isLook = act.action === 'R' && act.outcome === '0';
    const hidden = isLook ? await withheld(patientsOf(act)) : ok([]);
    if (!hidden.ok) return hidden;
    const isRefused = hidden.value.length > 0;
    const recorded = await record({ requestId: ask.requestId, caller }, isRefused ? { ...act, outcome: '4' } : act);
    return recorded.ok && isRefused ? fail(fault('admin.reason-needed')) : recorded;
  }
  const { requestId, log, request, stillMay = nobodyMay } = ask;
  const context: AdminContext = {
    caller,
    reason,
    requestId,
    log,
    request,
    stillMay,
    actor: { requestId, ...actorOfCaller(caller) },
    withheld,
    record: ({ why = names[0] ?? '', ...act }) => {
      if (!names.includes(why)) throw new Error(`${contract.id} has no act of this name`);
      onRecorded();
      return recordUnlessWithheld({ ...act, why, ...(reason === null ? {} : { reason }) });
    },
  };
  return context;
}

/** A route of the table that http serves: input checked, answer written, and no look without its record. */
export function serveRoute({ contract, handle }: AdminRoute, doors: Doors): Route {
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
      const input = await checkInput(contract, ask, doors.openHandle);
      if (!input.ok) return input;
      const reason = reasonOf(ask.request);
      if (!reason.ok) return reason;
      if (audited.kind === 'later') doors.recordLater({ requestId: ask.requestId, caller }, audited.name);
      const seen = { isRecorded: false };
      const context = contextOf(contract, ask, caller, reason.value, doors, () => void (seen.isRecorded = true));
      const result = await handle(input.value as never, context);
      if (result.ok && audited.kind === 'act' && !seen.isRecorded)
        throw new Error(`${contract.id} was answered without a record`);
      return answerRoute(contract, result);
    },
  };
}
