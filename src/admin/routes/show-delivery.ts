import { ok, type AdminCaller, type Result } from '../../kernel/index.ts';
import type { IdentityReads, IdentityWrites } from '../../identity/index.ts';
import type { InboxReads, InboxWrites, ListedDelivery } from '../../inbox/index.ts';
import { detailOf } from '../../judge/index.ts';
import type { Operate } from '../../store/index.ts';
import { iso } from '../cursor.ts';
import type { Patient } from '../record-act.ts';

/** What cannot be an id is nobody's. */
export const deliveryIdOf = (id: string): string => (/^[\w-]{1,64}$/.test(id) ? id : '-');

/** Who may see whose data they are: user ids, MRNs, and what stands in a chart under which id. */
export const maySeePatients = ({ permissions }: AdminCaller): boolean =>
  permissions.has('patients.read') || permissions.has('links.read');

/** The patients of deliveries, and which delivery is whose. */
export interface Whose {
  readonly patients: readonly Patient[];
  readonly mrnOf: (delivery: Pick<ListedDelivery, 'userIndex'>) => string | null;
}
export const NOBODYS: Whose = { patients: [], mrnOf: () => null };

/** Whose these deliveries are, by the confirmed links of their users. */
export async function findPatients(
  deps: { readonly tenant: string; readonly identity: Operate<IdentityWrites, IdentityReads> },
  deliveries: readonly Pick<ListedDelivery, 'userIndex'>[],
): Promise<Result<Whose>> {
  const users = [...new Set(deliveries.flatMap(({ userIndex }) => (userIndex === null ? [] : [userIndex])))];
  if (users.length === 0) return ok(NOBODYS);
  const found = await deps.identity.read('identity.patients-of', { tenant: deps.tenant, users });
  if (!found.ok) return found;
  const byUser = new Map(found.value.map(({ user, mrn }) => [user, mrn]));
  const byMrn = new Map(found.value.map(({ mrnSystem, mrn }) => [`${mrnSystem}|${mrn}`, { system: mrnSystem, mrn }]));
  return ok({ patients: [...byMrn.values()], mrnOf: ({ userIndex }) => byUser.get(userIndex ?? '') ?? null });
}

/** The patient of one delivery, whoever asks; nobody of a delivery that is not there. */
export async function findPatientsOf(
  deps: {
    readonly tenant: string;
    readonly identity: Operate<IdentityWrites, IdentityReads>;
    readonly inbox: Operate<InboxWrites, InboxReads>;
  },
  id: string,
): Promise<Result<readonly Patient[]>> {
  const found = await deps.inbox.read('inbox.get', { tenant: deps.tenant, id });
  if (!found.ok) return found;
  const whose = await findPatients(deps, found.value === null ? [] : [found.value]);
  return whose.ok ? ok(whose.value.patients) : whose;
}

/** `unnamed`: for who may not see whose it is. */
export const showDelivery = (
  { id, receivedAt, state, reason, faultCode, stateAt, ...rest }: ListedDelivery,
  whose: 'unnamed' | { readonly mrn: string | null },
) => ({
  id,
  hook: rest.hook as 'data' | 'notification',
  receivedAt: iso(receivedAt),
  state,
  reason,
  faultCode,
  detail: detailOf({ reason, faultCode }),
  stateAt: iso(stateAt),
  dataStructure: rest.dataStructure,
  documentVersion: rest.documentVersion,
  bodyBytes: rest.bodyBytes,
  findings: rest.findings,
  userId: whose === 'unnamed' ? null : rest.userId,
  mrn: whose === 'unnamed' ? null : whose.mrn,
});
