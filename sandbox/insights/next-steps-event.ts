import { localTime } from '../population/index.ts';
import type { StepsAnswer, StepsPoll } from './steps-polls.ts';

/** Whose data it is. */
export interface Whose {
  readonly client: string;
  readonly user: string;
}

/** Section 2.2. */
export interface StepsEventPayload {
  readonly version: 2;
  readonly data_structure: 'steps_event';
  readonly client_uuid: string;
  readonly user_id: string;
  readonly document_version: number;
  readonly auto_detected: boolean;
  readonly physical_health: {
    readonly events: {
      readonly steps_event: readonly {
        readonly metadata: {
          readonly datetime_string: string;
          readonly user_id_string: string;
          readonly sources_of_data_array: readonly string[];
          readonly was_the_user_under_physical_activity_bool: boolean;
        };
        readonly steps: { readonly accumulated_steps_int: number };
        readonly non_structured_data_array: readonly never[];
      }[];
    };
  };
}

/** A notification but for its time and environment, which whoever sends it knows. */
export interface StepsFailure {
  readonly client_uuid: string;
  readonly user_id: string;
  readonly data_source: string;
  readonly action: 'steps_event_fetch_failed';
  readonly level: 'error';
  readonly message: string;
}

/** What is known of the steps of one user's newest day. */
export interface StepsState {
  readonly date: string;
  /** The last valid value of each source. */
  readonly lastValid: Readonly<Record<string, number>>;
  /** Of the last event; null before the first of the day. */
  readonly sent: { readonly steps: number; readonly at: number; readonly documentVersion: number } | null;
}

export interface NextSteps {
  readonly state: StepsState;
  /** Null where nothing ascended: there is no event to tell of. */
  readonly payload: StepsEventPayload | null;
  readonly failures: readonly StepsFailure[];
}

const REASONS: Readonly<Record<NonNullable<StepsAnswer['failure']>, string>> = {
  timeout: 'the provider did not answer in time',
  authentication: 'the provider refused the authentication',
  quota: 'the quota at the provider is used up',
};

const failureOf = ({ client, user }: Whose, { dataSource, failure }: StepsAnswer): StepsFailure[] =>
  failure === null
    ? []
    : [
        {
          client_uuid: client,
          user_id: user,
          data_source: dataSource,
          action: 'steps_event_fetch_failed',
          level: 'error',
          message: `Steps could not be fetched: ${REASONS[failure]}`,
        },
      ];

/** Zero, null, a failure and what is no count are no value; what has fallen is not accepted either. */
function withAnswers(lastValid: StepsState['lastValid'], answers: readonly StepsAnswer[]): Record<string, number> {
  const next = { ...lastValid };
  for (const { dataSource, accumulated, failure } of answers) {
    if (failure !== null || accumulated === null || !Number.isSafeInteger(accumulated)) continue;
    if (accumulated > (next[dataSource] ?? 0)) next[dataSource] = accumulated;
  }
  return next;
}

/** Steps in an hour that only walking for a good part of it gives: a quarter of an hour at 100 a minute. */
const ACTIVE_STEPS_PER_HOUR = 1_500;
const HOUR_MS = 3_600_000;

function isActive(before: StepsState['sent'], steps: number, at: number): boolean {
  const hours = before === null ? 1 : Math.max(1, (at - before.at) / HOUR_MS);
  return (steps - (before?.steps ?? 0)) / hours >= ACTIVE_STEPS_PER_HOUR;
}

/**
 * One step of the hourly poll. An event is made only when the highest count of the day has risen; a new local date
 * begins from nothing, and an answer about a day that is over changes nothing.
 */
export function nextStepsEvent(previous: StepsState | null, poll: StepsPoll, whose: Whose): NextSteps {
  const failures = poll.answers.flatMap((answer) => failureOf(whose, answer));
  if (previous !== null && poll.date < previous.date) return { state: previous, payload: null, failures };

  const before: StepsState = previous?.date === poll.date ? previous : { date: poll.date, lastValid: {}, sent: null };
  const lastValid = withAnswers(before.lastValid, poll.answers);
  const steps = Object.values(lastValid).reduce((highest, one) => Math.max(highest, one), 0);
  if (steps <= (before.sent?.steps ?? 0)) return { state: { ...before, lastValid }, payload: null, failures };

  // The count at midnight is that of the day which ends there; written as midnight it would be filed under the next.
  const at = Math.min(poll.at, poll.endsAt - 1_000);
  const documentVersion = (before.sent?.documentVersion ?? 0) + 1;
  const payload: StepsEventPayload = {
    version: 2,
    data_structure: 'steps_event',
    client_uuid: whose.client,
    user_id: whose.user,
    document_version: documentVersion,
    auto_detected: true,
    physical_health: {
      events: {
        steps_event: [
          {
            metadata: {
              datetime_string: localTime(poll.zone, at),
              user_id_string: whose.user,
              sources_of_data_array: Object.keys(lastValid)
                .filter((name) => lastValid[name] === steps)
                .sort(),
              was_the_user_under_physical_activity_bool: isActive(before.sent, steps, at),
            },
            steps: { accumulated_steps_int: steps },
            non_structured_data_array: [],
          },
        ],
      },
    },
  };
  return { state: { date: poll.date, lastValid, sent: { steps, at, documentVersion } }, payload, failures };
}
