import { USER, envelopeOf, type EnvelopeOverrides } from './envelope.ts';
import type { Json } from './json.ts';

export interface StepsEventOverrides extends EnvelopeOverrides {
  readonly at?: string;
  readonly steps?: number;
  /** Several events in one payload: when, and how many steps so far. */
  readonly events?: readonly (readonly [at: string, steps: number])[];
}

export function aStepsEvent(overrides: StepsEventOverrides = {}): Json {
  const { userId = USER, at = '2026-11-14T10:00:00+01:00', steps = 4200 } = overrides;
  const events = overrides.events ?? [[at, steps] as const];
  return {
    ...envelopeOf('steps_event', 2, overrides),
    auto_detected: true,
    physical_health: {
      events: {
        steps_event: events.map(([when, count]) => ({
          metadata: {
            datetime_string: when,
            user_id_string: userId,
            sources_of_data_array: ['fitness_band'],
            was_the_user_under_physical_activity_bool: false,
          },
          steps: { accumulated_steps_int: count },
          non_structured_data_array: [],
        })),
      },
    },
    ...overrides.fields,
  };
}
