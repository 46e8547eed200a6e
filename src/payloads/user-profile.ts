import { z } from 'zod';
import { canonicalJson } from '../kernel/index.ts';
import { dateTime, integer, word } from './envelope.ts';
import { mapParsed, type Finding, type Read } from './finding.ts';

export const DOMAINS = ['activity', 'sleep', 'cardio', 'recovery', 'body'] as const;
export type Domain = (typeof DOMAINS)[number];

export interface DomainProfile {
  readonly score: number | null;
  readonly level: string | null;
  readonly trend: string | null;
  /** The metrics as the source names them; which there are differs by domain. */
  readonly metrics: Readonly<Record<string, unknown>> | null;
}
export interface UserProfile {
  readonly kind: 'user_profile';
  readonly at: string;
  readonly requestId: string | null;
  readonly demographics: {
    readonly sex: string | null;
    readonly birthYear: number | null;
    readonly country: string | null;
    readonly utcOffsetSeconds: number | null;
  };
  readonly domains: Readonly<Record<Domain, DomainProfile>>;
  readonly overall: {
    readonly score: number | null;
    readonly level: string | null;
    readonly trend: string | null;
    readonly confidence: number | null;
  } | null;
  readonly observations: readonly { readonly text: string; readonly confidence: number | null }[];
}

/** Specification, section 2.7: health levels by the lowest score of each. */
const LEVELS = [
  [80, 'Optimal'],
  [65, 'Good'],
  [50, 'Moderate'],
  [30, 'Poor'],
  [0, 'Critical'],
] as const;
export const levelOf = (score: number): string => LEVELS.find(([from]) => score >= from)?.[1] ?? 'Critical';

const score = integer.pipe(z.number().min(0).max(100)).nullish();
const domain = z.looseObject({
  score_int: score,
  level_string: word,
  trend_string: word,
  metrics: z.looseObject({}).nullish(),
});
const shape = z.looseObject({
  user_profile_data: z.looseObject({
    metadata: z.looseObject({ datetime_string: dateTime, user_id_string: z.string(), request_id_string: word }),
    demographics: z
      .looseObject({
        sex_string: word,
        birth_year_int: integer.nullish(),
        country_string: word,
        utc_offset_seconds_int: integer.nullish(),
      })
      .nullish(),
    profiles: z.looseObject({ activity: domain, sleep: domain, cardio: domain, recovery: domain, body: domain }),
    overall: z
      .looseObject({ health_score_int: score, category_string: word, trend_string: word, confidence_score_int: score })
      .nullish(),
    observations: z.array(z.looseObject({ text_string: z.string(), confidence_int: score })).default([]),
  }),
});

const disagrees = (at: string, value: number | null | undefined, level: string | null | undefined): Finding[] =>
  typeof value === 'number' && typeof level === 'string' && levelOf(value) !== level
    ? [{ code: 'profile.level', at }]
    : [];

export function readUserProfile(payload: unknown): z.ZodSafeParseResult<Read<UserProfile>> {
  return mapParsed(shape.safeParse(payload), ({ user_profile_data: p }): Read<UserProfile> => {
    const domains = Object.fromEntries(
      DOMAINS.map((name) => {
        const d = p.profiles[name];
        return [
          name,
          {
            score: d.score_int ?? null,
            level: d.level_string,
            trend: d.trend_string,
            metrics: d.metrics ?? null,
          },
        ];
      }),
    ) as Record<Domain, DomainProfile>;
    const { metadata: _metadata, ...said } = p;
    return {
      document: {
        kind: 'user_profile',
        at: p.metadata.datetime_string,
        requestId: p.metadata.request_id_string,
        demographics: {
          sex: p.demographics?.sex_string ?? null,
          birthYear: p.demographics?.birth_year_int ?? null,
          country: p.demographics?.country_string ?? null,
          utcOffsetSeconds: p.demographics?.utc_offset_seconds_int ?? null,
        },
        domains,
        overall:
          p.overall === null || p.overall === undefined
            ? null
            : {
                score: p.overall.health_score_int ?? null,
                level: p.overall.category_string,
                trend: p.overall.trend_string,
                confidence: p.overall.confidence_score_int ?? null,
              },
        observations: p.observations.map(({ text_string: text, confidence_int: confidence }) => ({
          text,
          confidence: confidence ?? null,
        })),
      },
      userIds: [{ at: 'user_profile_data.metadata.user_id_string', id: p.metadata.user_id_string }],
      findings: [
        ...DOMAINS.flatMap((name) =>
          disagrees(`user_profile_data.profiles.${name}`, domains[name].score, domains[name].level),
        ),
        ...disagrees('user_profile_data.overall', p.overall?.health_score_int, p.overall?.category_string),
      ],
      keyParts: ['profile', p.metadata.datetime_string.slice(0, 10)],
      order: { by: 'version' },
      clinical: () => canonicalJson(said),
    };
  });
}
