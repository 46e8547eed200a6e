import { fail, fault, ok, type Answer, type Result } from '../kernel/index.ts';
import { FHIR_JSON, isId, type Caller, type Handle, type ReadKit } from '../smart/index.ts';
import type { Operate } from '../store/index.ts';
import type { ExportReads, ExportWrites } from './commands.ts';
import { groupOfList, type KnownGroup, type PatientGroups } from './groups.ts';
import { mayReadGroups, systemOnly } from './scope.ts';

/** Members are listed up to so many; of a larger group the number alone is told. */
const MEMBERS_MAX = 500;
const LISTS_MAX = 200;

const fhirAnswer = (body: object): Answer => ({
  status: 200,
  headers: { 'Content-Type': FHIR_JSON },
  body: JSON.stringify(body),
});

const SUBSETTED = { system: 'http://terminology.hl7.org/CodeSystem/v3-ObservationValue', code: 'SUBSETTED' };

/** A Group as R4 has it. `ids` null: who is in it is not listed. */
const toResource = ({ id, name, linked }: KnownGroup, ids: readonly string[] | null): object => ({
  resourceType: 'Group',
  id,
  ...(ids === null ? { meta: { tag: [SUBSETTED] } } : {}),
  active: true,
  type: 'person',
  actual: true,
  name,
  quantity: ids?.length ?? linked,
  ...(ids === null || ids.length === 0
    ? {}
    : { member: ids.map((one) => ({ entity: { reference: `Patient/${one}` } })) }),
});

/** Groups that the gateway keeps. Nobody is in one who has no confirmed link. */
export function makeAnswerGroups(
  deps: {
    readonly tenant: string;
    readonly groups: PatientGroups;
    readonly exports: Operate<ExportWrites, ExportReads>;
  },
  kit: ReadKit,
) {
  const { tenant, groups, exports } = deps;

  async function membersOf(group: KnownGroup, caller: Caller): Promise<Result<readonly string[] | null>> {
    if (group.linked > MEMBERS_MAX) return ok(null);
    const mrns = new Set<string>();
    let from: string | null = null;
    do {
      const page = await groups.members(group, from, MEMBERS_MAX);
      if (!page.ok) return page;
      for (const { mrn } of page.value.patients) mrns.add(mrn);
      from = page.value.next;
    } while (from !== null);
    const ids = await kit.patients.idsOf([...mrns], caller);
    return ids.ok ? ok([...new Set(ids.value.values())].sort()) : ids;
  }

  /** The self link, and every group without its members. */
  const search: Handle = async (_ask, { query }, caller) => {
    if (!mayReadGroups(systemOnly(caller.grant))) return fail(fault('read.scope'));
    const asked = query.filter(([name]) => name === '_id' || name === 'name' || name === 'identifier');
    const standard = await groups.standard();
    if (!standard.ok) return standard;
    const lists = await exports.read('groups.list', { tenant, before: null, limit: LISTS_MAX });
    if (!lists.ok) return lists;
    const isFound = ({ id, name }: KnownGroup): boolean =>
      asked.every(([param, value]) =>
        param === '_id'
          ? value.split(',').includes(id)
          : param === 'name' && name.toLowerCase().startsWith(value.toLowerCase()),
      );
    const found = [...standard.value, ...lists.value.map(groupOfList)].filter(isFound);
    const act = { type: 'fhir.search', interaction: 'search-type', resourceType: 'Group', outcome: '0' } as const;
    const kept = await kit.record({ ...act, count: found.length }, caller);
    if (!kept.ok) return kept;
    const self = new URLSearchParams(asked.map(([name, value]): [string, string] => [name, value])).toString();
    return ok(
      fhirAnswer({
        resourceType: 'Bundle',
        type: 'searchset',
        total: found.length,
        link: [{ relation: 'self', url: `${kit.ownBase}/Group${self === '' ? '' : `?${self}`}` }],
        ...(found.length === 0
          ? {}
          : {
              entry: found.map((group) => ({
                fullUrl: `${kit.ownBase}/Group/${group.id}`,
                resource: toResource(group, null),
                search: { mode: 'match' },
              })),
            }),
      }),
    );
  };

  const read: Handle = async (_ask, { segments: [, id = ''] }, caller) => {
    if (!mayReadGroups(systemOnly(caller.grant))) return fail(fault('read.scope'));
    const group = isId(id) ? await groups.find(id) : ok(null);
    if (!group.ok) return group;
    if (group.value === null) return fail(fault('group.not-found'));
    const ids = await membersOf(group.value, caller);
    if (!ids.ok) return ids;
    const patients = ids.value ?? [];
    const act = { type: 'fhir.read', interaction: 'read', resourceType: 'Group', outcome: '0' } as const;
    const kept = await kit.record({ ...act, id, patients, count: patients.length }, caller);
    return kept.ok ? ok(fhirAnswer(toResource(group.value, ids.value))) : kept;
  };

  return { search, read };
}
