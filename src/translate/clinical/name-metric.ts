import { nameIn, type Scene } from '../scene.ts';
import type { Metric } from './read-metric.ts';

/** The name of a measurement: the source's code, never the mapped one, and never its value. */
export const nameOfMetric = (scene: Scene, { coding, category, context, times }: Metric, code = coding.code): string =>
  nameIn(
    scene,
    'measurement',
    coding.system,
    code,
    category,
    context,
    times === null ? null : scene.utc(times.start),
    times === null || times.open !== undefined ? null : scene.utc(times.end),
  );
