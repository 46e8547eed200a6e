import {
  DOMAINS,
  levelOf as levelOfScore,
  type Domain,
  type DomainProfile,
  type UserProfile,
} from '../payloads/index.ts';
import { digitsOf } from '../r4/index.ts';
import { SYSTEMS } from './name.ts';
import { codesText } from './notebook.ts';
import { buildObservation, categoryOf, codeable, type Element } from './observation.ts';
import { quantity, toRowUnit } from './quantity.ts';
import { LOINC, metaOf, nameIn, SERVICE, want, type Scene } from './scene.ts';
import { dayOf } from './times.ts';
import type { Wanted } from './translation.ts';

const REPORT = { system: LOINC, code: '53576-5', display: 'Personal health monitoring report Document' };
/** Specification, section 2.7. */
const LEVELS = new Set(['Optimal', 'Good', 'Moderate', 'Poor', 'Critical']);
/** Below this the score rests on little, and says so. */
const CONFIDENCE_LOW = 50;
const BETTER = {
  system: 'http://terminology.hl7.org/CodeSystem/v3-ObservationInterpretation',
  code: 'B',
  display: 'Better',
};

const score = (value: number): Element => ({ valueQuantity: quantity(String(value), '{score}', 'score') });
const local = (scene: Scene, code: string, value: Element): Element => ({
  code: codeable([scene.mappings.local(code)]),
  ...value,
});

/** A health level is a word of wellness: it never becomes an interpretation such as "critical". */
function levelOf(scene: Scene, level: string | null): Element[] {
  if (level === null) return [];
  const codings = LEVELS.has(level) ? [scene.mappings.local(`level-${level.toLowerCase()}`)] : [];
  return [local(scene, 'health-level', { valueCodeableConcept: codeable(codings, level) })];
}

const confidenceOf = (scene: Scene, confidence: unknown): Element[] => {
  const digits = digitsOf(confidence);
  return digits === undefined ? [] : [local(scene, 'confidence', { valueQuantity: quantity(digits, '%', '%') })];
};

function confidenceNote(confidence: unknown): string[] {
  const digits = digitsOf(confidence);
  return digits !== undefined && Number(digits) < CONFIDENCE_LOW
    ? ['Low confidence: the score rests on incomplete data.']
    : [];
}

/** Both are shown as they came: which of them is wrong, nobody here can know. */
const contradictionNote = (value: number | null, level: string | null): string[] =>
  value === null || level === null || levelOfScore(value) === level
    ? []
    : [`The source contradicts itself: a score of ${value} stands for ${levelOfScore(value)}, and it says ${level}.`];

const trendOf = (trend: string | null): readonly Element[] => (trend === 'improving' ? [codeable([BETTER])] : []);
const trendNote = (trend: string | null): string[] =>
  trend === null || trend === 'improving' ? [] : [`Trend against the profile before: ${trend}`];

/** The fields of a domain by their full names; what is nested is named by its path. */
function fieldsOf(metrics: Readonly<Record<string, unknown>>, above = ''): [string, unknown][] {
  return Object.entries(metrics)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([name, value]): [string, unknown][] => {
      if (typeof value === 'object' && value !== null && !Array.isArray(value) && digitsOf(value) === undefined)
        return fieldsOf(value as Readonly<Record<string, unknown>>, `${above}${name}.`);
      return [[`${above}${name}`, value]];
    });
}

const isInterval = (value: unknown): value is readonly [string, string] =>
  Array.isArray(value) && value.length === 2 && value.every((one) => typeof one === 'string');

/** An average over days stays a component, so that it never stands among measured vital signs. */
function componentOf(scene: Scene, domain: Domain, field: string, value: unknown): Element[] {
  if (value === null || field === 'confidence_score_int' || field === 'hrv_type_string') return [];
  const at = `user_profile_data.profiles.${domain}.metrics.${field}`;
  const { mappings, notebook } = scene;
  const row = mappings.findProfileMetric(field);
  notebook.decide(at, 'code', `${field} (profile)`, row === null ? null : codesText(row), row);
  if (row === null) {
    notebook.find('code.unmapped', at, field);
    return [];
  }
  const code = codeable(row.codings);
  if (isInterval(value)) return [{ code, valueString: value.join(' to ') }];
  const converted = toRowUnit(scene, at, { value, unit: null, system: null, code: null }, row);
  return converted === null ? [] : [{ code, valueQuantity: converted.quantity }];
}

/** Whether SDNN or RMSSD was averaged; said in words, since the two are never compared. */
function variabilityNote(metrics: Readonly<Record<string, unknown>> | null): string[] {
  const type = metrics?.['hrv_type_string'];
  return typeof type === 'string' ? [`Heart rate variability is given as ${type.toUpperCase()}.`] : [];
}

function translateDomain(scene: Scene, domain: Domain, profile: DomainProfile, day: string): Wanted[] {
  const { score: value, metrics } = profile;
  if (value === null && metrics === null) return [];
  const confidence = metrics?.['confidence_score_int'];
  const resource = buildObservation(scene, {
    category: categoryOf('survey'),
    code: codeable([scene.mappings.local(`health-score-${domain}`)]),
    times: { start: day, end: day },
    value:
      value === null
        ? {
            dataAbsentReason: {
              coding: [{ system: 'http://terminology.hl7.org/CodeSystem/data-absent-reason', code: 'unknown' }],
            },
          }
        : score(value),
    interpretation: trendOf(profile.trend),
    note: [
      ...contradictionNote(value, profile.level),
      ...confidenceNote(confidence),
      ...trendNote(profile.trend),
      ...variabilityNote(metrics),
    ],
    component: [
      ...levelOf(scene, profile.level),
      ...confidenceOf(scene, confidence),
      ...fieldsOf(metrics ?? {}).flatMap(([field, one]) => componentOf(scene, domain, field, one)),
    ],
  });
  return [want(nameIn(scene, 'profile', day, domain), resource, { group: 'profile', chartDay: null })];
}

function translateOverall(
  scene: Scene,
  { overall, observations }: UserProfile,
  day: string,
  domains: readonly Wanted[],
): Wanted[] {
  if (overall === null || overall.score === null) return [];
  const built = buildObservation(scene, {
    category: categoryOf('survey'),
    code: codeable([scene.mappings.local('overall-health-score')]),
    times: { start: day, end: day },
    value: score(overall.score),
    interpretation: trendOf(overall.trend),
    note: [
      ...contradictionNote(overall.score, overall.level),
      ...confidenceNote(overall.confidence),
      ...trendNote(overall.trend),
    ],
    hasMember: domains.map(({ reference }) => ({ reference })),
    component: [...levelOf(scene, overall.level), ...confidenceOf(scene, overall.confidence)],
  });
  const said = observations.map(({ text }) => ({ authorString: `${SERVICE} (generated by a machine)`, text }));
  const note = [...((built['note'] ?? []) as Element[]), ...said];
  const resource = note.length === 0 ? built : { ...built, note };
  return [want(nameIn(scene, 'profile', day, 'overall'), resource, { group: 'profile', chartDay: null })];
}

/** A report over its scores. The demographics of the source never go to the EHR. */
export function translateProfile(scene: Scene, profile: UserProfile): Wanted[] {
  const day = dayOf(profile.at);
  const domains = DOMAINS.flatMap((domain) => translateDomain(scene, domain, profile.domains[domain], day));
  const overall = translateOverall(scene, profile, day, domains);
  const results = [...overall, ...domains];
  if (results.length === 0) return [];
  const conclusion = profile.observations.map(({ text }) => text).join('\n');
  const report = want(
    nameIn(scene, 'profile', day, 'report'),
    {
      resourceType: 'DiagnosticReport',
      meta: metaOf(scene),
      identifier: profile.requestId === null ? [] : [{ system: SYSTEMS.profileRequest, value: profile.requestId }],
      status: 'final',
      category: [codeable([{ system: 'http://terminology.hl7.org/CodeSystem/v2-0074', code: 'OTH' }])],
      code: codeable([REPORT], 'Health profile of the seven days up to this day'),
      subject: scene.subject,
      effectiveDateTime: day,
      result: results.map(({ reference }) => ({ reference })),
      ...(conclusion === '' ? {} : { conclusion }),
    },
    { group: 'profile', chartDay: null },
  );
  return [...domains, ...overall, report];
}
