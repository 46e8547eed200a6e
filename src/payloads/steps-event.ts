import { z } from 'zod';
import { dateTime, integer, sources } from './envelope.ts';
import { mapParsed, type Read } from './finding.ts';

export interface StepsEvent {
  readonly at: string;
  readonly sources: readonly string[];
  readonly wasActive: boolean | null;
  readonly accumulatedSteps: number;
}
export interface StepsEvents {
  readonly kind: 'steps_event';
  readonly isAutoDetected: boolean | null;
  readonly events: readonly StepsEvent[];
}

const shape = z.looseObject({
  auto_detected: z.boolean().nullish(),
  physical_health: z.looseObject({
    events: z.looseObject({
      steps_event: z
        .array(
          z.looseObject({
            metadata: z.looseObject({
              datetime_string: dateTime,
              user_id_string: z.string(),
              sources_of_data_array: sources,
              was_the_user_under_physical_activity_bool: z.boolean().nullish(),
            }),
            steps: z.looseObject({ accumulated_steps_int: integer.pipe(z.number().nonnegative()) }),
          }),
        )
        .min(1),
    }),
  }),
});

/** The day on the wall of the user: the date as it is written, in the offset that it is written with. */
const localDay = (at: string): string => at.slice(0, 10);

/** Accumulated steps only ascend within a local day, so the count itself is the version of that day. */
export function readStepsEvent(value: unknown): z.ZodSafeParseResult<Read<StepsEvents>> {
  return mapParsed(shape.safeParse(value), (payload): Read<StepsEvents> => {
    const raw = payload.physical_health.events.steps_event;
    const events = raw.map(({ metadata, steps }): StepsEvent => ({
      at: metadata.datetime_string,
      sources: metadata.sources_of_data_array,
      wasActive: metadata.was_the_user_under_physical_activity_bool ?? null,
      accumulatedSteps: steps.accumulated_steps_int,
    }));
    const days = [...new Set(events.map(({ at }) => localDay(at)))].sort();
    const day = days.at(-1) ?? '';
    const ofDay = events.filter(({ at }) => localDay(at) === day).map(({ accumulatedSteps }) => accumulatedSteps);
    return {
      document: { kind: 'steps_event', isAutoDetected: payload.auto_detected ?? null, events },
      userIds: raw.map(({ metadata }, i) => ({
        at: `physical_health.events.steps_event[${i}].metadata.user_id_string`,
        id: metadata.user_id_string,
      })),
      findings: [],
      // One that also tells of the day before is not out of date when only its last day is.
      keyParts: ['steps', ...days],
      order: { by: 'ascending', value: ofDay.reduce((highest, steps) => Math.max(highest, steps), 0) },
      clinical: () =>
        events
          .map(({ at, accumulatedSteps }) => `${at} ${accumulatedSteps}`)
          .sort()
          .join('\n'),
    };
  });
}
