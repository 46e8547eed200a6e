import { nameIn, type Scene } from '../scene.ts';
import { dayOf, isWholeDay } from '../times.ts';
import type { Metric } from './read-metric.ts';

/** The source's code for steps, as its clinical documents and its steps events have it. */
export const STEPS = 'steps';

/**
 * The steps of a day are one thing, whether its running total tells of them or its sum: when the sum comes it takes the place of the
 * running total, so that no chart shows two different counts of one day side by side.
 */
export const nameOfSteps = (scene: Scene, day: string): string => nameIn(scene, 'steps-day', day);

const isSumOfSteps = ({ mappings }: Scene, { coding, context, times }: Metric): boolean =>
  coding.code === STEPS && coding.system === mappings.uris.code && context !== 'session' && times !== null && isWholeDay(times);

/** The name of a measurement: the source's code, never the mapped one, and never its value. */
export function nameOfMetric(scene: Scene, metric: Metric, code = metric.coding.code): string {
  const { coding, category, context, times } = metric;
  if (times !== null && isSumOfSteps(scene, metric)) return nameOfSteps(scene, dayOf(times.start));
  return nameIn(
    scene,
    'measurement',
    coding.system,
    code,
    category,
    context,
    times === null ? null : scene.utc(times.start),
    times === null || times.open !== undefined ? null : scene.utc(times.end),
  );
}
