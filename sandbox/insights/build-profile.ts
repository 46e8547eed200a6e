import { addDays, dayBounds, localDateOf, localTime, offsetMs, type DaySummary } from '../population/index.ts';
import type { Whose } from './next-steps-event.ts';
import {
  DOMAINS,
  levelOf,
  trendOf,
  type BodyMetrics,
  type Domain,
  type DomainObject,
  type ProfilePayload,
  type Profiles,
} from './profile-payload.ts';
import { remarksOf } from './remarks.ts';
import { scoreDomains, type Scored, type ScoredDomains } from './score-domains.ts';
import { meanOf } from './week.ts';

/** What is known of the user besides data. */
export interface Demographics {
  readonly sex: string | null;
  readonly birthYear: number | null;
  readonly country: string | null;
  /** IANA name; null where no offset is known. */
  readonly zone: string | null;
}

/** The last profile of a user, as far as the next one needs it. */
export interface ProfileState {
  readonly documentVersion: number;
  readonly scores: Readonly<Record<Domain, number | null>>;
  readonly overall: number;
}

export interface ProfileInput {
  readonly whose: Whose;
  readonly requestId: string;
  /** When it is made: the profile is of the seven local days before. */
  readonly at: number;
  readonly demographics: Demographics;
  /** Those of the last thirty days and more; what lies outside is not looked at. */
  readonly days: readonly DaySummary[];
}

/** Where clocks are put forward at midnight, the day begins later than at 00:00, in the offset that holds then. */
function midnightOf(date: string, zone: string): { readonly text: string; readonly offsetSeconds: number } {
  const { startsAt } = dayBounds(zone, date);
  return {
    text: `${date}T00:00:00${localTime(zone, startsAt).slice(19)}`,
    offsetSeconds: offsetMs(zone, startsAt) / 1_000,
  };
}

const withWords = <M extends { readonly confidence_score_int: number }>(
  scored: Scored<M>,
  before: number | null | undefined,
): DomainObject<M> =>
  scored === null
    ? { score_int: null, level_string: null, trend_string: null, metrics: null }
    : {
        score_int: scored.score,
        level_string: levelOf(scored.score),
        trend_string: trendOf(before, scored.score),
        metrics: scored.metrics,
      };

/** What the body's score rests on is not in the payload, since its fields are not shown. */
const bodyShown = (body: ScoredDomains['body']): Scored<BodyMetrics> =>
  body === null
    ? null
    : { score: body.score, metrics: { confidence_score_int: body.metrics.confidence_score_int }, coverage: {} };

function profilesOf(scored: ScoredDomains, before: ProfileState['scores'] | undefined): Profiles {
  return {
    activity: withWords(scored.activity, before?.activity),
    sleep: withWords(scored.sleep, before?.sleep),
    cardio: withWords(scored.cardio, before?.cardio),
    recovery: withWords(scored.recovery, before?.recovery),
    body: withWords(bodyShown(scored.body), before?.body),
  };
}

/** The date that a profile made at that time covers: the last whole day of the user. */
export const profileDate = (at: number, zone: string | null): string => addDays(localDateOf(zone ?? 'UTC', at), -1);

/** Null where no domain can be computed: then there is no profile, and the version does not rise. */
export function buildProfile(
  previous: ProfileState | null,
  { whose, requestId, at, demographics, days }: ProfileInput,
): { readonly state: ProfileState; readonly payload: ProfilePayload } | null {
  const { sex, birthYear, country, zone } = demographics;
  const date = profileDate(at, zone);
  const scored = scoreDomains(days, date);
  const profiles = profilesOf(scored, previous?.scores);
  const available = DOMAINS.flatMap((name) => profiles[name].score_int ?? []);
  if (available.length === 0) return null;

  const midnight = midnightOf(date, zone ?? 'UTC');
  const overall = Math.round(meanOf(available));
  const documentVersion = (previous?.documentVersion ?? 0) + 1;
  const scores = Object.fromEntries(DOMAINS.map((name) => [name, profiles[name].score_int])) as ProfileState['scores'];
  return {
    state: { documentVersion, scores, overall },
    payload: {
      version: 1,
      document_version: documentVersion,
      data_structure: 'user_profile',
      user_id: whose.user,
      client_uuid: whose.client,
      user_profile_data: {
        metadata: {
          datetime_string: midnight.text,
          user_id_string: whose.user,
          request_id_string: requestId,
        },
        demographics: {
          sex_string: sex,
          birth_year_int: birthYear,
          country_string: country,
          utc_offset_seconds_int: zone === null ? null : midnight.offsetSeconds,
        },
        profiles,
        overall: {
          health_score_int: overall,
          category_string: levelOf(overall),
          trend_string: trendOf(previous?.overall, overall),
          // A domain without data has no confidence, and the whole is no better known than its parts.
          confidence_score_int: Math.round(
            meanOf(DOMAINS.map((name) => profiles[name].metrics?.confidence_score_int ?? 0)),
          ),
        },
        observations: remarksOf(scored),
      },
    },
  };
}
