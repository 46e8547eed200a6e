import type { Pairs } from '../ehr/index.ts';
import { daysOfParam, searchParamsOf, type DaySpan } from '../r4/index.ts';
import type { Resource } from './whose.ts';

/**
 * `out`: what happens at a time, and says when; without it, it is in no range, and the EHR may look for it by the
 * parameter. `in`: what is in force for a while, or often does not say when; without a date it is in every range, so
 * that the EHR is not asked.
 */
interface CareDate {
  readonly param: string;
  readonly undated: 'out' | 'in';
}

const happens = (param: string): CareDate => ({ param, undated: 'out' });
const lasts = (param: string): CareDate => ({ param, undated: 'in' });

/**
 * By which search parameter of R4 a type says when care was given. `start` and `end` of `$everything` are "care dates,
 * not record currency dates": a type that says only when somebody wrote it down (AllergyIntolerance), or since when
 * something is so (Condition, Goal), is not here, and is in every range.
 */
const CARE_DATES: ReadonlyMap<string, CareDate> = new Map([
  ['Appointment', happens('date')],
  ['DiagnosticReport', happens('date')],
  ['Encounter', happens('date')],
  ['ImagingStudy', happens('started')],
  ['Immunization', happens('date')],
  ['MedicationAdministration', happens('effective-time')],
  ['MedicationRequest', happens('authoredon')],
  ['NutritionOrder', happens('datetime')],
  ['Observation', happens('date')],
  ['Procedure', happens('date')],
  ['VisionPrescription', happens('datewritten')],
  ['AdverseEvent', lasts('date')],
  ['CarePlan', lasts('date')],
  ['CareTeam', lasts('date')],
  ['ClinicalImpression', lasts('date')],
  ['Communication', lasts('sent')],
  ['DocumentReference', lasts('period')],
  ['EpisodeOfCare', lasts('date')],
  ['Flag', lasts('date')],
  ['Media', lasts('created')],
  ['MedicationDispense', lasts('whenhandedover')],
  ['MedicationStatement', lasts('effective')],
  ['QuestionnaireResponse', lasts('authored')],
  ['RiskAssessment', lasts('date')],
  ['ServiceRequest', lasts('authored')],
  ['Specimen', lasts('collected')],
]);

export const careDateTypes = (): IterableIterator<readonly [string, CareDate]> => CARE_DATES.entries();

/**
 * By the days that the record itself writes, whatever zone the EHR or we are in: that is the day on which care was
 * given.
 */
export function isInRange(resource: Resource, { from, to }: DaySpan): boolean {
  const care = CARE_DATES.get(resource.resourceType);
  const param = care === undefined ? undefined : searchParamsOf(resource.resourceType).get(care.param);
  if (care === undefined || param === undefined || (from === null && to === null)) return true;
  const days = daysOfParam(resource, param);
  if (days.length === 0) return care.undated === 'in';
  return days.some(
    (span) =>
      (to === null || span.from === null || span.from <= to) && (from === null || span.to === null || span.to >= from),
  );
}

const DAY_MS = 86_400_000;
/** Null where that is no day that FHIR can write. */
function shifted(day: string, byDays: number): string | null {
  const [, moved = null] =
    /^(\d{4}-\d\d-\d\d)T/.exec(new Date(Date.parse(`${day}T00:00:00Z`) + byDays * DAY_MS).toISOString()) ?? [];
  return moved?.startsWith('0000') === true ? null : moved;
}

/**
 * The range for the EHR, as far as it knows the parameter. A day wider on each side: the EHR compares instants in its
 * own zone, and whether a day of the record is in the range is decided here.
 */
export function rangeClauses(type: string, { from, to }: DaySpan, knows: (param: string) => boolean): Pairs {
  const care = CARE_DATES.get(type);
  if (care === undefined || care.undated === 'in' || !knows(care.param)) return [];
  const [after, before] = [from === null ? null : shifted(from, -1), to === null ? null : shifted(to, 1)];
  return [
    ...(after === null ? [] : [[care.param, `ge${after}`] as const]),
    ...(before === null ? [] : [[care.param, `le${before}`] as const]),
  ];
}
