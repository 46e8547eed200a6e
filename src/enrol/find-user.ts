import { fail, fault, ok, type Chance, type Clock, type NewId, type Result } from '../kernel/index.ts';
import type { IdentityReads, IdentityWrites, LinkAct, SourceUser, WantedLink } from '../identity/index.ts';
import type { Operate } from '../store/index.ts';
import type { EnrolReads, EnrolWrites } from './commands.ts';

/** The source user of a patient, and the link that says so. */
export interface Enrolled {
  readonly client: string;
  readonly user: string;
  readonly linkId: string;
}

/** Links a user that was made here; what waits for it is none of ours. */
export type LinkUser = (act: LinkAct, wanted: WantedLink) => Promise<Result<unknown>>;

/** Whether the EHR has a patient with this MRN. */
export type CheckPatient = (asked: {
  readonly mrnSystem: string;
  readonly mrn: string;
  readonly requestId: string;
}) => Promise<Result<unknown>>;

const LINKS_MAX = 500;
const CLAIMS_MAX = 3;

export function makeFindUser(deps: {
  readonly tenant: string;
  readonly client: string | null;
  readonly mrnSystem: string;
  readonly identity: Operate<IdentityWrites, IdentityReads>;
  readonly enrolment: Operate<EnrolWrites, EnrolReads>;
  readonly checkPatient: CheckPatient;
  readonly link: LinkUser;
  readonly newId: NewId;
  readonly chance: Chance;
  readonly clock: Clock;
}) {
  const { tenant, mrnSystem } = deps;

  /** The one that was linked first. */
  async function find(mrn: string): Promise<Result<Enrolled | null>> {
    const links = await deps.identity.read('identity.list', {
      tenant,
      status: 'confirmed',
      user: null,
      patient: { mrnSystem, mrn },
      before: null,
      limit: LINKS_MAX,
    });
    if (!links.ok) return links;
    const first = links.value.filter(({ clientUuid }) => clientUuid === deps.client).at(-1);
    return ok(first === undefined ? null : { client: first.clientUuid, user: first.userId, linkId: first.id });
  }

  /** A user whose link was revoked, or leads to another patient by now, is nobody's to be given again. */
  async function isSpent(user: SourceUser, mrn: string): Promise<Result<boolean>> {
    const links = await deps.identity.read('identity.list', {
      tenant,
      status: null,
      user,
      patient: null,
      before: null,
      limit: LINKS_MAX,
    });
    if (!links.ok) return links;
    return ok(links.value.length > 0 && !links.value.some((one) => one.status === 'confirmed' && one.mrn === mrn));
  }

  /**
   * The user that this patient is to have. Put down before it is linked, so that two who enrol one patient at once link
   * one user.
   */
  async function claim(client: string, mrn: string): Promise<Result<string>> {
    let instead: SourceUser | null = null;
    for (let tries = 0; tries < CLAIMS_MAX; tries += 1) {
      const user = { client, user: `u-${Buffer.from(deps.chance(18)).toString('base64url')}` };
      const claimed: Result<SourceUser> = await deps.enrolment.write('enrol.claim', {
        tenant,
        mrnSystem,
        mrn,
        user,
        instead,
      });
      if (!claimed.ok) return claimed;
      const spent = await isSpent(claimed.value, mrn);
      if (!spent.ok) return spent;
      if (claimed.value.client === client && !spent.value) return ok(claimed.value.user);
      instead = claimed.value;
    }
    return fail(fault('link.unsettled'));
  }

  return {
    async known(mrn: string): Promise<Result<Enrolled>> {
      const found = await find(mrn);
      if (!found.ok) return found;
      return found.value === null ? fail(fault('enrol.not-found')) : ok(found.value);
    },
    /**
     * Of a patient of the EHR who has none, one is made: chance, and no meaning. While the EHR cannot be asked, nobody
     * is enrolled.
     */
    async made(mrn: string, by: Pick<LinkAct, 'requestId' | 'actor' | 'roles'>): Promise<Result<Enrolled>> {
      const found = await find(mrn);
      if (!found.ok) return found;
      if (found.value !== null) return ok(found.value);
      if (deps.client === null) return fail(fault('link.client', { at: 'client_uuid' }));
      const checked = await deps.checkPatient({ mrnSystem, mrn, requestId: by.requestId });
      if (!checked.ok) return checked.fault.code === 'patient.none' ? fail(fault('enrol.mrn-unknown')) : checked;
      const user = await claim(deps.client, mrn);
      if (!user.ok) return user;
      const wanted = {
        id: deps.newId('lnk'),
        client: deps.client,
        user: user.value,
        mrnSystem,
        mrn,
        status: 'confirmed',
        evidence: 'enrolled',
      } as const;
      const linked = await deps.link({ tenant, at: deps.clock.now(), ...by }, wanted);
      if (!linked.ok) return linked;
      const again = await find(mrn);
      if (!again.ok) return again;
      return again.value === null ? fail(fault('enrol.not-found')) : ok(again.value);
    },
  };
}
export type FindUser = ReturnType<typeof makeFindUser>;
