import { flag, type Context, type Json } from '../runtime/context.ts';
import { countPattern, hasValue, listOf } from './read-coding.ts';

const OBSERVATION_CATEGORY = 'http://terminology.hl7.org/CodeSystem/observation-category';
const REPORT_CATEGORY = 'http://terminology.hl7.org/CodeSystem/v2-0074';
/** A report of these statuses says something, so it must say when (us-core-8, us-core-9). */
const REPORTED = new Set(['partial', 'preliminary', 'final', 'amended', 'corrected', 'appended']);

const isAbsent = (o: Json, ...names: readonly string[]): boolean =>
  names.every((name) => o[name] === undefined && o[`_${name}`] === undefined);

function checkResult(o: Json, c: Context, path: string): boolean {
  const count = countPattern(o['category'], OBSERVATION_CATEGORY, 'laboratory');
  if (count === 0) return true;
  let isSound = count === 1 || flag(c, 'lab-category', `${path}.category`, 'The category laboratory appears once.');
  if (isAbsent(o, 'subject')) isSound = flag(c, 'lab-subject', path, 'A laboratory result needs a subject.');
  const isPanel = listOf(o['component']).length > 0 || listOf(o['hasMember']).length > 0;
  if (isPanel || hasValue(o) || !isAbsent(o, 'dataAbsentReason')) return isSound;
  return flag(c, 'lab-value', path, 'A laboratory result needs a value, dataAbsentReason, components or members.');
}

function checkReport(o: Json, c: Context, path: string): boolean {
  const count = countPattern(o['category'], REPORT_CATEGORY, 'LAB');
  if (count === 0) return true;
  let isSound = count === 1 || flag(c, 'lab-category', `${path}.category`, 'The category LAB appears once.');
  if (isAbsent(o, 'subject')) isSound = flag(c, 'lab-subject', path, 'A laboratory report needs a subject.');
  if (!REPORTED.has(String(o['status']))) return isSound;
  if (isAbsent(o, 'effectiveDateTime', 'effectivePeriod'))
    isSound = flag(
      c,
      'lab-effective',
      path,
      'A laboratory report of this status needs effectiveDateTime or effectivePeriod.',
    );
  return isAbsent(o, 'issued')
    ? flag(c, 'lab-issued', path, 'A laboratory report of this status needs issued.')
    : isSound;
}

/**
 * The minimum that US Core asks of laboratory results and reports, for resources whose category says that they are
 * such.
 */
export function checkLab(o: Json, c: Context, path: string): boolean {
  if (o['resourceType'] === 'Observation') return checkResult(o, c, path);
  return o['resourceType'] === 'DiagnosticReport' ? checkReport(o, c, path) : true;
}
