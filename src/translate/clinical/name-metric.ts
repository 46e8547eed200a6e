import { LOINC, nameIn, type Scene } from '../scene.ts';
import type { Metric } from './read-metric.ts';

const named = (scene: Scene, { category, context, times }: Metric, system: string, code: string): string =>
  nameIn(
    scene,
    'measurement',
    system,
    code,
    category,
    context,
    times === null ? null : scene.utc(times.start),
    times === null || times.open !== undefined ? null : scene.utc(times.end),
  );

/** The name of a measurement: the source's code, never the mapped one, and never its value. */
export const nameOfMetric = (scene: Scene, metric: Metric): string =>
  named(scene, metric, metric.coding.system, metric.coding.code);

/** The name of a panel. Its key is ours, so that a side in LOINC and one in the source's own code meet. */
export const nameOfPanel = (scene: Scene, metric: Metric, key: string): string =>
  named(scene, metric, metric.coding.system === LOINC ? scene.mappings.uris.code : metric.coding.system, key);
