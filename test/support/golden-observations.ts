import { readFileSync } from 'node:fs';
import type { Observation } from '../../sandbox/clinician-app/web/chart-parts.ts';

function* observationsIn(value: unknown): Generator<Observation> {
  if (typeof value !== 'object' || value === null) return;
  if ('resourceType' in value && value.resourceType === 'Observation') yield value as Observation;
  for (const part of Object.values(value)) yield* observationsIn(part);
}

/** The Observations that a golden case writes, as an app finds them in the chart. */
export const goldenObservations = (name: string): readonly Observation[] =>
  [
    ...observationsIn(
      JSON.parse(readFileSync(new URL(`../golden/${name}/expected.json`, import.meta.url), 'utf8')) as unknown,
    ),
  ].map((one, i) => ({ ...one, id: `${name}-${i}` }));
