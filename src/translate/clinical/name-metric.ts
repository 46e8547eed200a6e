import type { Name } from '../name.ts';
import { LOINC, nameIn, type Scene } from '../scene.ts';
import { dayOf } from '../times.ts';
import type { Metric } from './read-metric.ts';

/** The source's code for steps, as its clinical documents and its steps events have it. */
export const STEPS = 'steps';
/** Number of steps in 24 hours. */
const STEPS_OF_DAY = '41950-7';

/**
 * The steps of a day are one thing, whether its running total tells of them or its sum: when the sum comes it takes the
 * place of the running total, so that no chart shows two different counts of one day side by side.
 */
export const nameOfSteps = (scene: Scene, day: string): Name => nameIn(scene, 'steps-day', day);

function isSumOfSteps({ mappings }: Scene, { coding: { system, code }, context }: Metric): boolean {
  if (system === LOINC) return code === STEPS_OF_DAY;
  return code === STEPS && system === mappings.uris.code && context !== 'session';
}

const named = (scene: Scene, { category, context, times, timeFacts }: Metric, system: string, code: string): Name =>
  nameIn(
    scene,
    'measurement',
    system,
    code,
    category,
    context,
    timeFacts === null ? null : timeFacts.startUtc,
    timeFacts === null || times?.open !== undefined ? null : timeFacts.endUtc,
  );

/** The name of a measurement: the source's code, never the mapped one, and never its value. */
export function nameOfMetric(scene: Scene, metric: Metric): Name {
  const { coding, times, timeFacts } = metric;
  if (times !== null && timeFacts?.isWholeDay === true && isSumOfSteps(scene, metric))
    return nameOfSteps(scene, dayOf(times.start));
  return named(scene, metric, coding.system, coding.code);
}

/** The name of a panel. Its key is ours, so that a side in LOINC and one in the source's own code meet. */
export const nameOfPanel = (scene: Scene, metric: Metric, key: string): Name =>
  named(scene, metric, metric.coding.system === LOINC ? scene.mappings.uris.code : metric.coding.system, key);
