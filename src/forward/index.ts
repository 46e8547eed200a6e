export { auditOfLookUp } from './audit-of-look-up.ts';
export { type ComparedVersions, compareWanted, makeCompareVersions } from './compare-versions.ts';
export { type Change, type Changes, type WrittenResource, decideChanges } from './decide-changes.ts';
export { type ExplainedResource, type Explanation, explain } from './explain.ts';
export { type LearntHabits, learnHabits } from './learn-habits.ts';
export { lookUp } from './look-up.ts';
export { makeExplain } from './make-explain.ts';
export { nextWrite } from './next-write.ts';
export { planJob } from './plan-job.ts';
export type { LanesDeps } from './lanes-deps.ts';
export { runLanes } from './run-lanes.ts';
export {
  type ListedEvaluation,
  SHADOW_CHANGES,
  SHADOW_KINDS,
  type ShadowChange,
  type ShadowKind,
  type ShadowReads,
  type ShadowTotals,
  type ShadowWrites,
  shadowSet,
} from './shadow/commands.ts';
export type { ShadowEvaluator } from './shadow/evaluate-waiting.ts';
export { type Shadow, openShadow } from './shadow/open-shadow.ts';
export type { Forwarding, ShadowWatch } from './shadow/watch-shadow.ts';
