import { fail, fault, isObject, ok, type Result } from '../kernel/index.ts';
import { readMatch, type CertainMatch } from '../persons/index.ts';

const bad = (problem: string) => fail(fault('read.body', { problems: [problem] }));

/** A Patient alone, or Parameters with one: http://hl7.org/fhir/R4/patient-operation-match.html */
export function parseMatch(body: unknown): Result<CertainMatch> {
  if (!isObject(body)) return bad('The body must be a Parameters resource with the parameter resource, a Patient.');
  let resource: unknown = body;
  if (body['resourceType'] === 'Parameters') {
    const given = Array.isArray(body['parameter']) ? (body['parameter'] as unknown[]) : [];
    const of = new Map<string, Readonly<Record<string, unknown>>>();
    for (const one of given) {
      const name = isObject(one) ? one['name'] : null;
      if (!isObject(one) || typeof name !== 'string' || of.has(name))
        return bad('Each parameter stands once, by its name.');
      of.set(name, one);
    }
    for (const name of of.keys())
      if (!['resource', 'onlyCertainMatches', 'count'].includes(name))
        return bad('The parameters are resource, onlyCertainMatches and count.');
    const only = of.get('onlyCertainMatches');
    if (only !== undefined && typeof only['valueBoolean'] !== 'boolean') return bad('onlyCertainMatches is a boolean.');
    const count = of.get('count');
    if (count !== undefined && !(Number.isInteger(count['valueInteger']) && Number(count['valueInteger']) > 0))
      return bad('count is a whole number above zero.');
    resource = of.get('resource')?.['resource'];
  }
  const match = readMatch(resource);
  return match === null ? bad('The parameter resource must be a Patient.') : ok(match);
}
