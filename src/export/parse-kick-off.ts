import type { Pairs } from '../ehr/index.ts';
import { fail, fault, isObject, ok, type Result } from '../kernel/index.ts';
import { isId, parseInstant } from '../smart/index.ts';
import type { AskedExport } from './asked-export.ts';
import type { ExportLevel } from './commands.ts';

const FORMATS = new Set(['application/fhir+ndjson', 'application/ndjson', 'ndjson']);
const ONCE = new Set(['_outputFormat', '_since']);
const PATIENTS_MAX = 1_000;
/** Each is a search of its own for each patient. */
const FILTERS_MAX = 20;
const ELEMENT = /^(?:([A-Z][A-Za-z]{0,63})\.)?([a-z][A-Za-z]{0,63})$/;
const PROVENANCE = 'RelevantProvenanceResources';
/** What any FHIR request may carry. */
const OF_THE_ANSWER = new Set(['_format', '_pretty']);

export interface KickOffRules {
  readonly level: ExportLevel;
  readonly method: 'GET' | 'POST';
  readonly isServed: (type: string) => boolean;
  readonly parseFilter: (type: string, query: string) => Result<Pairs>;
  /** `lenient`: what is not supported is left undone; what is wrong is refused all the same. */
  readonly handling: 'strict' | 'lenient';
}

type Draft = {
  -readonly [K in keyof Omit<AskedExport, 'request'>]: Omit<AskedExport, 'request'>[K] extends readonly (infer T)[]
    ? T[]
    : AskedExport[K];
};

/** `Patient/1`, or that with a base before it. */
function patientIdOf(reference: string): string | null {
  const [, id = ''] = /^(?:https?:\/\/[^\s?#]+\/)?Patient\/([^/]+)$/.exec(reference) ?? [];
  return isId(id) ? id : null;
}

const split = (value: string): string[] => value.split(',').filter((one) => one !== '');

/** The parameters of `$export`, https://hl7.org/fhir/uv/bulkdata/STU2/export.html#query-parameters; all problems at once. */
export function parseKickOff(pairs: Pairs, rules: KickOffRules): Result<Omit<AskedExport, 'request'>> {
  const problems: string[] = [];
  const draft: Draft = { types: null, since: null, elements: [], filters: [], patients: null, provenance: 'as-a-type' };
  const wrong = (problem: string): void => void problems.push(problem);
  const unsupported = (problem: string): void => {
    if (rules.handling === 'strict') wrong(problem);
  };

  function takeTypes(value: string): void {
    const types = split(value);
    for (const type of types)
      if (!rules.isServed(type)) unsupported(`_type: ${/^[A-Za-z]{1,64}$/.test(type) ? type : 'a name'} is not served`);
    draft.types = [...(draft.types ?? []), ...types.filter(rules.isServed)];
  }

  function takeElements(value: string): void {
    for (const one of split(value)) {
      const [, type = null, name] = ELEMENT.exec(one) ?? [];
      if (name === undefined) wrong('_elements: must be names of elements, such as Patient.name or status');
      else draft.elements.push({ type, name });
    }
  }

  let asked = 0;
  function takeFilters(value: string): void {
    // A query may have commas of its own.
    for (const one of value.split(/,(?=[A-Z][A-Za-z]*\?)/)) {
      asked += 1;
      if (asked > FILTERS_MAX) {
        wrong(`_typeFilter: at most ${FILTERS_MAX}`);
        return;
      }
      const [type = '', ...rest] = one.split('?');
      const query = rest.join('?');
      const parsed = rules.isServed(type) ? rules.parseFilter(type, query) : null;
      if (parsed?.ok === true) draft.filters.push({ type, query });
      else
        unsupported(
          `_typeFilter: ${parsed?.fault.at === undefined ? '' : `not by ${parsed.fault.at}; `}must be searches of served types by their own parameters, such as Observation?status=final`,
        );
    }
  }

  function takePatient(value: string): void {
    const id = patientIdOf(value);
    if (rules.level === 'system') unsupported('patient: not for an export of the system');
    else if (rules.method === 'GET') wrong('patient: is taken by POST alone');
    else if (id === null) wrong('patient: must be a reference, such as Patient/1');
    else draft.patients = [...new Set([...(draft.patients ?? []), id])];
  }

  function takeAssociated(value: string): void {
    for (const one of split(value))
      if (one === PROVENANCE) draft.provenance = 'asked';
      else unsupported(`includeAssociatedData: ${PROVENANCE} alone is supported`);
  }

  function takeFormat(value: string): void {
    if (!FORMATS.has(value.replace(' ', '+'))) wrong(`_outputFormat: must be one of ${[...FORMATS].join(', ')}`);
  }

  function takeSince(value: string): void {
    const since = parseInstant(value);
    if (since === null) wrong('_since: must be an instant with its zone, such as 2026-01-31T08:00:00Z');
    else draft.since = since.getTime();
  }

  const TAKEN = new Map<string, (value: string) => void>([
    ['_outputFormat', takeFormat],
    ['_since', takeSince],
    ['_type', takeTypes],
    ['_elements', takeElements],
    ['_typeFilter', takeFilters],
    ['patient', takePatient],
    ['includeAssociatedData', takeAssociated],
  ]);
  for (const [name, value] of pairs) {
    const take = TAKEN.get(name);
    if (take !== undefined) take(value);
    else if (!OF_THE_ANSWER.has(name)) unsupported('a parameter is not known');
  }
  for (const name of ONCE) if (pairs.filter(([one]) => one === name).length > 1) wrong(`${name}: may stand once`);
  if (draft.types?.length === 0) wrong('_type: names no type that is served');
  if ((draft.patients?.length ?? 0) > PATIENTS_MAX) wrong(`patient: at most ${PATIENTS_MAX}`);
  const { types } = draft;
  if (types !== null && draft.filters.some(({ type }) => !types.includes(type)))
    unsupported('_typeFilter: of a type that _type does not name');
  if (problems.length > 0) return fail(fault('read.parameter', { problems: [...new Set(problems)] }));
  return ok({ ...draft, types: types === null ? null : [...new Set(types)] });
}

/** A Parameters resource as the same pairs that a query would have. */
export function pairsOfParameters(body: unknown): Result<Pairs> {
  const wrong = fail(fault('read.body'));
  if (!isObject(body) || body['resourceType'] !== 'Parameters') return wrong;
  const given = body['parameter'] ?? [];
  if (!Array.isArray(given)) return wrong;
  const pairs: [string, string][] = [];
  for (const one of given as unknown[]) {
    if (!isObject(one) || typeof one['name'] !== 'string') return wrong;
    const [key, ...more] = Object.keys(one).filter((name) => name.startsWith('value'));
    const value = key === undefined ? undefined : one[key];
    const text = isObject(value) ? value['reference'] : value;
    if (more.length > 0 || typeof text !== 'string') return wrong;
    pairs.push([one['name'], text]);
  }
  return ok(pairs);
}
