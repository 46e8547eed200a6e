export { type Result, ok, fail } from './result.ts';
export {
  canonicalJson,
  canonicalJsonWithout,
  openCanonicalTexts,
  quote,
  shapeOf,
  type CanonicalTexts,
  type Shape,
} from './canonical-json.ts';
export { cleanEnvironment } from './clean-environment.ts';
export { makeBudget, MEMORY, ROOM_WAIT_MS, withRoom, type Budget, type Room } from './budget.ts';
export { isDayOrTime, readInstant } from './calendar.ts';
export { parseQuery } from './parse-query.ts';
export { ANSWERED_TOGETHER, answerInThread } from './answer-in-thread.ts';
export { collectAfterStart } from './collect-after-start.ts';
export { makeAskThread, THREAD_LIMITS, ThreadEnded, type ThreadAnswers } from './ask-thread.ts';
export { makePooledChance } from './pooled-chance.ts';
export { dropBytes, ownMemory } from './drop-bytes.ts';
export { fileBeside } from './file-beside.ts';
export { flatText } from './flat-text.ts';
export { errorCode, isError } from './is-error.ts';
export { isObject, isObjectOrArray } from './is-object.ts';
export { readBody } from './read-body.ts';
export { StartError } from './start-error.ts';
export { type Life, type Part, makeLife, opened } from './life.ts';
export { lowerThreadPriority } from './lower-thread-priority.ts';
export { type Signal, makeSignal } from './signal.ts';
export { type Fault, type FaultCode, FAULT_CODES, fault } from './fault.ts';
export { detailOfFault } from './fault-detail.ts';
export { type FaultKind, HANDLING } from './handling.ts';
export {
  type Brand,
  type RequestId,
  type DeliveryId,
  type LinkId,
  type AttemptId,
  type InstanceId,
  type Tenant,
  type Chance,
  type NewId,
  makeNewId,
} from './id.ts';
export {
  type AdminAccess,
  type AdminCaller,
  type Answer,
  type Ask,
  type Mount,
  type Outlet,
  type Route,
  jsonAnswer,
} from './route.ts';
export { NO_PEERS, shareCalls, type Peers } from './peers.ts';
export { parseTraceparent, parentOf, traceOf, traceparentOf } from './trace.ts';
export {
  type HttpFields,
  type Span,
  type SpanFields,
  type SpanName,
  type Trace,
  type Traced,
  SPAN_NAMES,
} from './span.ts';
export { type Clock, systemClock } from './clock.ts';
export { type Secret, secret } from './secret.ts';
export {
  type Log,
  type LogEvent,
  type LogFields,
  type SafeError,
  LOG_EVENTS,
  faultFields,
  safeError,
  silentLog,
} from './log.ts';
export { ICON, ICON_FILE, ICON_URL } from './icon.ts';
