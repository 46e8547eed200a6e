import { hash } from 'node:crypto';
import type { EnrolReads, EnrolWrites } from '../enrol/index.ts';
import type { IdentityReads, IdentityWrites } from '../identity/index.ts';
import { ok, type Result } from '../kernel/index.ts';
import type { Operate } from '../store/index.ts';
import type { ExportReads, ExportWrites, Mrn, PatientGroup } from './commands.ts';

/** A Group of `/fhir`. Nobody is in it who has no confirmed link. */
export interface KnownGroup {
  readonly id: string;
  readonly name: string;
  readonly kind: 'all' | 'connection' | 'list';
  readonly linked: number;
  /** Of a connection. */
  readonly dataSource: string | null;
  /** Of a list. */
  readonly list: PatientGroup | null;
}

/** Linked patients of a group; `next` null: these were the last. One who is several users may come several times. */
export interface MemberPage {
  readonly patients: readonly Mrn[];
  readonly next: string | null;
}

export interface PatientGroups {
  /** Those that are there without anybody having made them. */
  standard(): Promise<Result<readonly KnownGroup[]>>;
  find(id: string): Promise<Result<KnownGroup | null>>;
  members(group: KnownGroup, from: string | null, limit: number): Promise<Result<MemberPage>>;
}

export const ALL_PATIENTS = 'all';
const CONNECTION = 'connection-';
const FITS = /^[A-Za-z0-9.-]{1,50}$/;

/** A FHIR id; a name that cannot be one is hashed. */
const idOf = (dataSource: string): string =>
  `${CONNECTION}${FITS.test(dataSource) ? dataSource : hash('sha256', dataSource).slice(0, 32)}`;

export const groupOfList = (list: PatientGroup): KnownGroup => ({
  id: list.id,
  name: list.name,
  kind: 'list',
  linked: list.linked,
  dataSource: null,
  list,
});

const pageOf = (rows: readonly (Mrn & { readonly seq: number })[], limit: number): MemberPage => {
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  return {
    patients: page.map(({ mrnSystem, mrn }) => ({ mrnSystem, mrn })),
    next: rows.length > limit && last !== undefined ? String(last.seq) : null,
  };
};

export function makePatientGroups(deps: {
  readonly tenant: string;
  readonly mrnSystem: string;
  readonly exports: Operate<ExportWrites, ExportReads>;
  readonly identity: Operate<IdentityWrites, IdentityReads>;
  readonly enrolment: Operate<EnrolWrites, EnrolReads>;
}): PatientGroups {
  const { tenant, mrnSystem, exports, identity, enrolment } = deps;

  async function all(): Promise<Result<KnownGroup>> {
    const linked = await exports.read('groups.count-linked', { tenant });
    if (!linked.ok) return linked;
    const name = 'All linked patients';
    return ok({ id: ALL_PATIENTS, name, kind: 'all', linked: linked.value, dataSource: null, list: null });
  }

  async function connections(): Promise<Result<readonly KnownGroup[]>> {
    const sources = await enrolment.read('enrol.data-sources', { tenant });
    if (!sources.ok) return sources;
    return ok(
      sources.value.map(({ dataSource, patients }) => ({
        id: idOf(dataSource),
        name: `Patients connected to ${dataSource}`,
        kind: 'connection',
        linked: patients,
        dataSource,
        list: null,
      })),
    );
  }

  return {
    async standard() {
      const first = await all();
      if (!first.ok) return first;
      const more = await connections();
      return more.ok ? ok([first.value, ...more.value]) : more;
    },
    async find(id) {
      if (id === ALL_PATIENTS) return all();
      if (id.startsWith(CONNECTION)) {
        const found = await connections();
        return found.ok ? ok(found.value.find((one) => one.id === id) ?? null) : found;
      }
      const list = await exports.read('groups.get', { tenant, id });
      return list.ok ? ok(list.value === null ? null : groupOfList(list.value)) : list;
    },
    async members({ dataSource, list }, from, limit) {
      if (list !== null) {
        const of = { tenant, group: list.seq, which: 'linked', after: Number(from ?? 0), limit: limit + 1 } as const;
        const rows = await exports.read('groups.members', of);
        return rows.ok ? ok(pageOf(rows.value, limit)) : rows;
      }
      const before = from === null ? null : Number(from);
      if (dataSource !== null) {
        const rows = await enrolment.read('enrol.connected-to', { tenant, dataSource, before, limit: limit + 1 });
        return rows.ok ? ok(pageOf(rows.value, limit)) : rows;
      }
      const rows = await identity.read('identity.list', {
        tenant,
        status: 'confirmed',
        user: null,
        patient: null,
        before,
        limit: limit + 1,
      });
      if (!rows.ok) return rows;
      return ok(
        pageOf(
          rows.value.map(({ seq, mrn }) => ({ seq, mrnSystem, mrn })),
          limit,
        ),
      );
    },
  };
}
