import type { PatientDirectory, ShownPatient, WantedPatient } from '../auth/index.ts';
import { escapeSearchValue } from '../ehr/index.ts';
import type { IdentityReads, IdentityWrites } from '../identity/index.ts';
import { fail, fault, isObject, ok, type Result } from '../kernel/index.ts';
import { factsOf, toPerson, wordsAre, type Condition, type Persons } from '../persons/index.ts';
import type { Operate } from '../store/index.ts';
import type { EhrReader } from './ask-ehr.ts';
import { listEncounters, toShownEncounter } from './list-encounters.ts';
import { mrnsOf, type LinkedPatients } from './linked-patients.ts';
import { isId } from './read-request.ts';
import { byMrns, patientsIn, searchPatients } from './search-patients.ts';
import type { Served } from './served-types.ts';
import { whose, type Resource } from './whose.ts';

const PAGE = 20;
const OTHERS_MAX = 50;
const text = (value: unknown): string | null => (typeof value === 'string' ? value : null);

/** The official name, else the first; nothing but what a person needs to know whom they choose. */
function nameOf(patient: Resource): string {
  const names = Array.isArray(patient['name']) ? (patient['name'] as unknown[]).filter(isObject) : [];
  const name = names.find(({ use }) => use === 'official') ?? names.find(({ use }) => use !== 'old') ?? {};
  const given = Array.isArray(name['given'])
    ? (name['given'] as unknown[]).filter((one) => typeof one === 'string')
    : [];
  return text(name['text']) ?? [...given, text(name['family']) ?? ''].join(' ').trim();
}

const toShown = (patient: Resource, mrn: string): ShownPatient => ({
  id: patient.id,
  mrn,
  name: nameOf(patient),
  birthDate: text(patient['birthDate']),
  gender: text(patient['gender']),
});

type Place = readonly string[];
const sealPlace = (place: Place | null): string | null =>
  place === null ? null : Buffer.from(JSON.stringify(place)).toString('base64url');
/** Null for what is no place: it says only where to go on, and opens nothing. */
function openPlace(cursor: string): Place | null {
  try {
    const place: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString());
    return Array.isArray(place) && place.every((one) => typeof one === 'string') ? place : null;
  } catch {
    return null;
  }
}

const meets = ({ name, birthDate }: WantedPatient): Condition => {
  const isNamed = wordsAre(name);
  return (person) => person.isActive && isNamed(person) && (birthDate === '' || person.birthDate === birthDate);
};

/**
 * Whom a token may be about. A patient without an MRN is not offered: that is what a link says. The index says who they
 * may be, the EHR what is true of them now.
 */
export function makePatientDirectory(deps: {
  readonly mode: 'linked' | 'all';
  readonly tenant: string;
  readonly mrnSystem: string;
  readonly ehrBase: string;
  readonly served: Served;
  readonly identity: Operate<IdentityWrites, IdentityReads>;
  readonly persons: Persons;
  readonly links: LinkedPatients;
  readonly reader: EhrReader;
}): PatientDirectory {
  const { mode, tenant, mrnSystem, ehrBase, served, identity, persons, links, reader } = deps;

  const hasLink = (mrns: readonly string[]): Promise<Result<boolean>> =>
    mrns.length === 0
      ? Promise.resolve(ok(false))
      : identity.read('identity.is-linked', { tenant, patients: mrns.map((mrn) => ({ mrnSystem, mrn })) });

  const isWanted = (patient: Resource, is: Condition): boolean => {
    const facts = factsOf(patient);
    return facts !== null && is(toPerson(facts));
  };

  async function byMrn(wanted: WantedPatient, requestId: string): Promise<Result<ShownPatient[]>> {
    const { mrn } = wanted;
    const isLinked = mode === 'all' ? ok(true) : await hasLink([mrn]);
    if (!isLinked.ok || !isLinked.value) return isLinked.ok ? ok([]) : isLinked;
    const found = await searchPatients(reader, byMrns([mrn], mrnSystem), { requestId });
    if (!found.ok) return found;
    const is = meets(wanted);
    return ok(
      found.value
        .filter((patient) => mrnsOf(patient, mrnSystem).includes(mrn) && isWanted(patient, is))
        .map((patient) => toShown(patient, mrn)),
    );
  }

  /** Those with a link, by name. */
  async function linked(
    wanted: WantedPatient,
    after: Place | null,
    requestId: string,
  ): Promise<Result<{ readonly patients: ShownPatient[]; readonly next: Place | null }>> {
    const is = meets(wanted);
    const found = await persons.find({ is, sort: null, after, limit: PAGE });
    if (!found.ok) return found;
    const ids = found.value.persons.map(({ id }) => id);
    if (ids.length === 0) return ok({ patients: [], next: null });
    const patients = await searchPatients(reader, [['_id', ids.join(',')]], { requestId });
    if (!patients.ok) return patients;
    const shown = new Map<string, ShownPatient>();
    for (const patient of patients.value) {
      const mrns = mrnsOf(patient, mrnSystem);
      const isLinked = isWanted(patient, is) ? await hasLink(mrns) : ok(false);
      if (!isLinked.ok) return isLinked;
      if (isLinked.value) shown.set(patient.id, toShown(patient, mrns[0] ?? ''));
    }
    const stale = ids.filter((id) => !shown.has(id));
    if (stale.length > 0) persons.doubt(stale);
    return ok({ patients: ids.flatMap((id) => shown.get(id) ?? []), next: found.value.next });
  }

  /** Those without a link, where they may be chosen: as many as the EHR sends at once. */
  async function others(
    wanted: WantedPatient,
    requestId: string,
  ): Promise<Result<{ readonly patients: ShownPatient[]; readonly isAll: boolean }>> {
    const words = wanted.name.split(/[\s,]+/).filter((word) => word !== '');
    const page = await reader.search(
      'Patient',
      [
        ...words.map((word) => ['name', escapeSearchValue(word)] as const),
        ...(wanted.birthDate === '' ? [] : [['birthdate', wanted.birthDate] as const]),
        ['_count', String(OTHERS_MAX)],
      ],
      { requestId },
    );
    if (!page.ok) return page;
    const is = meets(wanted);
    const found: { readonly sortName: string; readonly shown: ShownPatient }[] = [];
    for (const patient of patientsIn(page.value)) {
      const [mrn, ...more] = mrnsOf(patient, mrnSystem);
      const facts = factsOf(patient);
      if (mrn === undefined || facts === null || !is(toPerson(facts))) continue;
      const isLinked = await hasLink([mrn, ...more]);
      if (!isLinked.ok) return isLinked;
      if (!isLinked.value) found.push({ sortName: facts.sortName, shown: toShown(patient, mrn) });
    }
    const patients = found
      .sort((a, b) => (a.sortName < b.sortName ? -1 : a.sortName > b.sortName ? 1 : 0))
      .map(({ shown }) => shown);
    return ok({ patients, isAll: page.value.next === null });
  }

  return {
    async list({ cursor, wanted, requestId }) {
      if (wanted.mrn !== '') {
        const patients = await byMrn(wanted, requestId);
        return patients.ok ? ok({ patients: patients.value, next: null, isAll: true }) : patients;
      }
      const after = cursor === null ? null : openPlace(cursor);
      if (cursor !== null && after === null) return fail(fault('read.cursor'));
      const page = await linked(wanted, after, requestId);
      if (!page.ok) return page;
      const { patients, next } = page.value;
      const isSearch = wanted.name !== '' || wanted.birthDate !== '';
      if (mode === 'linked' || next !== null || !isSearch) return ok({ patients, next: sealPlace(next), isAll: true });
      const more = await others(wanted, requestId);
      if (!more.ok) return more;
      return ok({ patients: [...patients, ...more.value.patients], next: null, isAll: more.value.isAll });
    },

    async find(id, requestId) {
      if (!isId(id)) return ok(null);
      const read = await reader.read(`Patient/${id}`, 'Patient', id, { requestId });
      if (!read.ok) return read;
      if (read.value === null) return ok(null);
      const { resource } = read.value;
      const [mrn = ''] = mrnsOf(resource, mrnSystem);
      const isLinked = await links.isLinkedPatient(resource);
      if (!isLinked.ok) return isLinked;
      return ok(isLinked.value && resource['active'] !== false ? toShown(resource, mrn) : null);
    },

    encounters: (patient, requestId) => listEncounters(deps, patient, { requestId }),

    async findEncounter(patient, encounter, requestId) {
      if (!isId(encounter)) return ok(null);
      const read = await reader.read(`Encounter/${encounter}`, 'Encounter', encounter, { requestId });
      if (!read.ok) return read;
      if (read.value === null) return ok(null);
      const { resource } = read.value;
      const of = whose(resource, served, ehrBase);
      const isTheirs = of.kind === 'patient' && of.id === patient;
      return ok(isTheirs ? toShownEncounter(resource) : null);
    },
  };
}
