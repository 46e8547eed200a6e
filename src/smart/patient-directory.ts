import type { PatientDirectory, ShownPatient } from '../auth/index.ts';
import { identifierToken } from '../ehr/index.ts';
import type { IdentityReads, IdentityWrites } from '../identity/index.ts';
import { fail, fault, isObject, ok, type Result } from '../kernel/index.ts';
import type { Operate } from '../store/index.ts';
import type { EhrReader } from './ask-ehr.ts';
import { listEncounters, toShownEncounter } from './list-encounters.ts';
import { mrnsOf, type LinkedPatients } from './linked-patients.ts';
import { isId } from './read-request.ts';
import type { Served } from './served-types.ts';
import { isResource, whose, type Resource } from './whose.ts';

const PAGE = 20;
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

/** Whom a token may be about. By MRN, because that is what a link says; a patient without one is not offered. */
export function makePatientDirectory(deps: {
  readonly mode: 'linked' | 'all';
  readonly tenant: string;
  readonly mrnSystem: string;
  readonly ehrBase: string;
  readonly served: Served;
  readonly identity: Operate<IdentityWrites, IdentityReads>;
  readonly links: LinkedPatients;
  readonly reader: EhrReader;
}): PatientDirectory {
  const { mode, tenant, mrnSystem, ehrBase, served, identity, links, reader } = deps;

  async function byMrn(mrns: readonly string[], requestId: string): Promise<Result<ShownPatient[]>> {
    if (mrns.length === 0) return ok([]);
    const value = mrns.map((mrn) => identifierToken(mrnSystem, mrn)).join(',');
    const page = await reader.search(
      'Patient',
      [
        ['identifier', value],
        ['_count', String(Math.min(200, mrns.length * 2))],
      ],
      { requestId },
    );
    if (!page.ok) return page;
    const { entry } = page.value.bundle;
    const found = (Array.isArray(entry) ? (entry as unknown[]) : [])
      .map((one) => (isObject(one) ? one['resource'] : null))
      .filter(isResource)
      .filter(({ resourceType }) => resourceType === 'Patient');
    // In the order of the links, whatever order the EHR has; and whom the EHR was not asked for is not shown.
    return ok(
      mrns.flatMap((mrn) =>
        found
          .filter((patient) => patient['active'] !== false && mrnsOf(patient, mrnSystem).includes(mrn))
          .map((one) => toShown(one, mrn)),
      ),
    );
  }

  return {
    async list({ cursor, mrn, requestId }) {
      if (mrn !== null) {
        const isLinked =
          mode === 'all'
            ? ok(true)
            : await identity.read('identity.is-linked', { tenant, patients: [{ mrnSystem, mrn }] });
        if (!isLinked.ok) return isLinked;
        const patients = isLinked.value ? await byMrn([mrn], requestId) : ok([]);
        return patients.ok ? ok({ patients: patients.value, next: null }) : patients;
      }
      if (cursor !== null && !/^\d{1,15}$/.test(cursor)) return fail(fault('read.cursor'));
      const rows = await identity.read('identity.list', {
        tenant,
        status: 'confirmed',
        user: null,
        patient: null,
        before: cursor === null ? null : Number(cursor),
        limit: PAGE + 1,
      });
      if (!rows.ok) return rows;
      const page = rows.value.slice(0, PAGE);
      const patients = await byMrn([...new Set(page.map((link) => link.mrn))], requestId);
      if (!patients.ok) return patients;
      const last = page.at(-1);
      return ok({
        patients: patients.value,
        next: rows.value.length > PAGE && last !== undefined ? String(last.seq) : null,
      });
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
