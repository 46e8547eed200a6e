import { fail, fault, ok, type Chance, type Clock, type NewId, type Result } from '../kernel/index.ts';
import type { IdentityReads, IdentityWrites, LinkAct, WantedLink } from '../identity/index.ts';
import type { Operate } from '../store/index.ts';

/** The source user of a patient, and the link that says so. */
export interface Enrolled {
  readonly client: string;
  readonly user: string;
  readonly linkId: string;
}

/** Links a user that was made here; what waits for it is none of ours. */
export type LinkUser = (act: LinkAct, wanted: WantedLink) => Promise<Result<unknown>>;

const LINKS_MAX = 500;

export function makeFindUser(deps: {
  readonly tenant: string;
  readonly client: string | null;
  readonly mrnSystem: string;
  readonly identity: Operate<IdentityWrites, IdentityReads>;
  readonly link: LinkUser;
  readonly newId: NewId;
  readonly chance: Chance;
  readonly clock: Clock;
}) {
  const { tenant, mrnSystem } = deps;

  /** The one that was linked first, so that whoever asks at the same time gets the same. */
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

  return {
    async known(mrn: string): Promise<Result<Enrolled>> {
      const found = await find(mrn);
      if (!found.ok) return found;
      return found.value === null ? fail(fault('enrol.not-found')) : ok(found.value);
    },
    /** Of a patient who has none, one is made: chance, and no meaning. */
    async made(mrn: string, requestId: string): Promise<Result<Enrolled>> {
      const found = await find(mrn);
      if (!found.ok) return found;
      if (found.value !== null) return ok(found.value);
      if (deps.client === null) return fail(fault('link.client', { at: 'client_uuid' }));
      const user = `u-${Buffer.from(deps.chance(18)).toString('base64url')}`;
      const wanted = {
        id: deps.newId('lnk'),
        client: deps.client,
        user,
        mrnSystem,
        mrn,
        status: 'confirmed',
        evidence: 'enrolled',
      } as const;
      const linked = await deps.link({ tenant, at: deps.clock.now(), requestId, actor: 'operator' }, wanted);
      if (!linked.ok) return linked;
      const again = await find(mrn);
      if (!again.ok) return again;
      return again.value === null ? fail(fault('enrol.not-found')) : ok(again.value);
    },
  };
}
export type FindUser = ReturnType<typeof makeFindUser>;
