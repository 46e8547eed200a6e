import type { Config } from '../config/index.ts';
import { makeFreshBodies, makePretranslations, type TranslationContextHolder } from '../judge/index.ts';
import { ANSWERED_TOGETHER, type Budget } from '../kernel/index.ts';
import { makeContentKey } from '../lanes/index.ts';
import { PARTS } from '../pipeline.ts';

/** What judges deliveries, and what is kept in memory before and after it. */
export function makeJudging(deps: {
  readonly config: Config;
  readonly translationContext: TranslationContextHolder;
  readonly budget: Budget;
  readonly pseudonymKey: Uint8Array;
  /** How many judge. None: it is done between everything else, but for what is large. */
  readonly threads: number;
}) {
  const { threads } = deps;
  // In the order in which they give way where memory is short.
  const fresh = makeFreshBodies(deps.budget);
  const pretranslated = makePretranslations(deps.budget);
  const contentKey = makeContentKey(deps.pseudonymKey);
  const { judge, pretranslate } = PARTS.judge({
    current: deps.translationContext.current,
    held: pretranslated,
    bodyBytesMax: deps.config.http.bodyBytesMax,
    contentKey,
    threads,
  });
  // As many as a thread answers together, four times: so that it has the next ones while the event loop is at something
  // else and verdicts share a commit.
  const judgesAtOnce = Math.max(1, threads * ANSWERED_TOGETHER * 4);
  return { judging: { judge, judgesAtOnce, fresh }, pretranslated, pretranslate, contentKey };
}
