import { fail, ok, type Result } from '../kernel/index.ts';
import type { Condition } from './match.ts';
import type { Topic } from './topics.ts';

const VALUES_MAX = 50;
const ID = /^[A-Za-z0-9\-.]{1,64}$/;

export interface ParsedFilters {
  /** Ids at the EHR; null: not filtered by patient. */
  readonly patients: readonly string[] | null;
  readonly conditions: readonly Condition[];
}

/** `Patient/1`, `1`, or the address of it here. */
function patientOf(text: string, ownBase: string): string | null {
  const rest = text.startsWith(`${ownBase}/`) ? text.slice(ownBase.length + 1) : text;
  const id = rest.startsWith('Patient/') ? rest.slice('Patient/'.length) : rest;
  return ID.test(id) && !/^\.+$/.test(id) ? id : null;
}

type Names = Topic['filters'][number];

function parseOne(criterion: string, topic: Topic): readonly (readonly [Names, readonly string[]])[] | null {
  const mark = criterion.indexOf('?');
  if (mark > 0 && criterion.slice(0, mark) !== topic.type) return null;
  const pairs = [...new URLSearchParams(criterion.slice(mark + 1))];
  const parsed = pairs.map(([given, value]) => {
    const name = (given === 'subject' || (given === '_id' && topic.type === 'Patient') ? 'patient' : given) as Names;
    const values = value.split(',').filter((one) => one !== '');
    const isGood = topic.filters.includes(name) && values.length > 0 && values.length <= VALUES_MAX;
    return isGood ? ([name, values] as const) : null;
  });
  return pairs.length === 0 || parsed.includes(null) ? null : parsed.flatMap((one) => (one === null ? [] : [one]));
}

/**
 * Filters in the form of searches, of which all must hold: `Observation?code=http://loinc.org|8867-4`. The fault is the
 * place of the one that cannot be taken.
 */
export function parseFilters(
  criteria: readonly string[],
  topic: Topic,
  ownBase: string,
): Result<ParsedFilters, number> {
  const conditions: Condition[] = [];
  let patients: readonly string[] | null = null;
  for (const [at, criterion] of criteria.entries()) {
    const parsed = parseOne(criterion, topic);
    if (parsed === null) return fail(at);
    for (const [name, values] of parsed) {
      if (name !== 'patient') {
        conditions.push({ param: name, values });
        continue;
      }
      const ids = values.map((value) => patientOf(value, ownBase));
      if (ids.includes(null)) return fail(at);
      const named: readonly string[] = ids.flatMap((id) => id ?? []);
      // Two filters by patient hold together only for whom both name.
      patients = patients === null ? named : patients.filter((id) => named.includes(id));
      if (patients.length === 0) return fail(at);
    }
  }
  return ok({ patients, conditions });
}
