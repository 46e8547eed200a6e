export { auditOfLookUp } from './audit-of-look-up.ts';
export {
  ADJUST_AT_ONCE,
  deliverSet,
  TARGET,
  type Adjusted,
  type DeliverReads,
  type DeliverWrites,
  type LinkOutcome,
} from './commands.ts';
export { eraseSet, type EraseLook, type EraseReads, type EraseWrites } from './erase/commands.ts';
export { deliverSealed } from './sealed.ts';
export { detailOf, isFaultCode } from './detail-of.ts';
export { forwardAgain, forwardLeftOut } from './forward-again.ts';
export { holdAhead, type HeldAhead } from './hold-ahead.ts';
export { keepLinks, type Links } from './keep-links.ts';
export { laneSet, type Decision, type LaneReads, type LaneWrites, type Outcome } from './lane/commands.ts';
export { openTarget, type OpenTarget } from './lane/open-target.ts';
export { makeContentKey, type ChartContent } from './lane/chart-content.ts';
export { holdHabits, type HeldHabits } from './lane/hold-habits.ts';
export { runLanes, type LanesDeps } from './lane/run-lanes.ts';
export {
  SHADOW_CHANGES,
  SHADOW_KINDS,
  shadowSet,
  type ListedEvaluation,
  type ShadowChange,
  type ShadowKind,
  type ShadowReads,
  type ShadowTotals,
  type ShadowWrites,
} from './shadow/commands.ts';
export type { ShadowEvaluator } from './shadow/evaluate-waiting.ts';
export { openShadow, type Shadow } from './shadow/open-shadow.ts';
export type { Forwarding, ShadowWatch } from './shadow/watch-shadow.ts';
export { keepRetention } from './keep-retention.ts';
export {
  decideChanges,
  contentDigest,
  digestOf,
  type Change,
  type Changes,
  type WrittenResource,
} from './decide-changes.ts';
export { explain, type Explanation, type ExplainedResource } from './explain.ts';
export {
  makeReadingHolder,
  type ChosenDialect,
  type HeldReading,
  type Reloaded,
  type ReadingHolder,
  type ReadingSettings,
} from './hold-reading.ts';
export { judge, type Judgement } from './judge.ts';
export { makeExplain } from './make-explain.ts';
export type { Unmapped } from './unmapped.ts';
export { loadValidators, makeJudge, type Judge } from './make-judge.ts';
export { processReceived } from './process-received.ts';
