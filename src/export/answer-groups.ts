import type { Pairs } from '../ehr/index.ts';
import { fail, fault, ok, type Answer, type Result } from '../kernel/index.ts';
import { FHIR_JSON, handlingOf, isId, notesEntry, type Caller, type Handle, type ReadKit } from '../smart/index.ts';
import type { Operate } from '../store/index.ts';
import type { ExportReads, ExportWrites, PatientGroup } from './commands.ts';
import { groupOfList, type KnownGroup, type PatientGroups } from './groups.ts';
import { mayReadGroups, systemOnly } from './scope.ts';

/** Members are listed up to so many; of a larger group the number alone is told. */
const MEMBERS_MAX = 500;
const PAGE = { otherwise: 100, most: 200 } as const;
const LISTS_AT_ONCE = 200;
const KNOWN: ReadonlySet<string> = new Set(['_id', 'name', '_count', '_before', '_format', '_pretty', '_total']);
/** A name that is none is not repeated. */
const sayName = (name: string): string => (/^[A-Za-z_][A-Za-z0-9_:.-]{0,63}$/.test(name) ? name : 'a parameter');

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

  const isFoundBy =
    (conditions: Pairs) =>
    ({ id, name }: KnownGroup): boolean =>
      conditions.every(([param, value]) =>
        param === '_id' ? value.split(',').includes(id) : name.toLowerCase().startsWith(value.toLowerCase()),
      );

  /** Lists that are wanted, newest first, until there is one more than the page has. */
  async function listsBelow(
    before: number | null,
    limit: number,
    isFound: (group: KnownGroup) => boolean,
  ): Promise<Result<readonly PatientGroup[]>> {
    const found: PatientGroup[] = [];
    for (let from = before; ;) {
      const lists = await exports.read('groups.list', { tenant, before: from, limit: LISTS_AT_ONCE });
      if (!lists.ok) return lists;
      found.push(...lists.value.filter((list) => isFound(groupOfList(list))));
      if (found.length >= limit || lists.value.length < LISTS_AT_ONCE) return ok(found.slice(0, limit));
      from = lists.value.at(-1)?.seq ?? from;
    }
  }

  /** Groups without their members. The first page has those besides that are there without anybody having made them. */
  const search: Handle = async (ask, { query }, caller) => {
    if (!mayReadGroups(systemOnly(caller.grant))) return fail(fault('read.scope'));
    const conditions = query.filter(([name]) => name === '_id' || name === 'name');
    const unknown = query.filter(([name]) => !KNOWN.has(name)).map(([name]) => name);
    if (unknown.length > 0 && handlingOf(ask.request.headers) === 'strict')
      return fail(
        fault('read.parameter', { problems: unknown.map((name) => `${sayName(name)}: this parameter is not known`) }),
      );
    const asked = (name: string): number => Math.trunc(Number(query.find(([one]) => one === name)?.[1] ?? NaN)) || 0;
    const size = Math.min(PAGE.most, Math.max(0, asked('_count')) || PAGE.otherwise);
    const before = asked('_before') > 0 ? asked('_before') : null;
    const isFound = isFoundBy(conditions);
    const standard = before === null ? await groups.standard() : ok([]);
    if (!standard.ok) return standard;
    const lists = await listsBelow(before, size + 1, isFound);
    if (!lists.ok) return lists;
    const shown = lists.value.slice(0, size);
    const found = [...standard.value.filter(isFound), ...shown.map(groupOfList)];
    const act = { type: 'fhir.search', interaction: 'search-type', resourceType: 'Group', outcome: '0' } as const;
    const kept = await kit.record({ ...act, count: found.length }, caller);
    if (!kept.ok) return kept;
    const addressOf = (more: Pairs): string => {
      const text = new URLSearchParams(
        [...conditions, ...more].map(([name, value]): [string, string] => [name, value]),
      ).toString();
      return `${kit.ownBase}/Group${text === '' ? '' : `?${text}`}`;
    };
    const last = shown.at(-1);
    const next =
      lists.value.length > size && last !== undefined
        ? addressOf([
            ['_count', String(size)],
            ['_before', String(last.seq)],
          ])
        : null;
    const entry = [
      ...found.map((group) => ({
        fullUrl: `${kit.ownBase}/Group/${group.id}`,
        resource: toResource(group, null),
        search: { mode: 'match' },
      })),
      ...notesEntry(
        unknown.map((name) => ({
          code: 'not-supported',
          text: 'This parameter is not known, and was ignored. Prefer: handling=strict refuses it.',
          at: sayName(name),
        })),
      ),
    ];
    return ok(
      fhirAnswer({
        resourceType: 'Bundle',
        type: 'searchset',
        ...(before === null && next === null ? { total: found.length } : {}),
        link: [{ relation: 'self', url: addressOf([]) }, ...(next === null ? [] : [{ relation: 'next', url: next }])],
        ...(entry.length === 0 ? {} : { entry }),
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
