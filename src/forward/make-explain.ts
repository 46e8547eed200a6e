import { fail, fault, ok, type Result } from '../kernel/index.ts';
import type { IdentityReads, IdentityWrites } from '../identity/index.ts';
import type { InboxReads, InboxWrites } from '../inbox/index.ts';
import type { Envelope } from '../payloads/index.ts';
import type { Operate } from '../store/index.ts';
import type { LinkedPatient } from '../translate/index.ts';
import { explain, type Explanation } from './explain.ts';
import { detailOf, type ChosenDialect, type LoadedTranslationContext } from '../judge/index.ts';
import type { LaneReads, LaneWrites } from '../lanes/index.ts';

/** Explains a stored delivery. Reads only. */
export function makeExplain(deps: {
  readonly tenant: string;
  readonly mrnSystem: string;
  readonly inbox: Operate<InboxWrites, InboxReads>;
  readonly identity: Operate<IdentityWrites, IdentityReads>;
  readonly lanes: Operate<LaneWrites, LaneReads>;
  readonly current: () => LoadedTranslationContext;
  readonly dialect: () => ChosenDialect;
}): (id: string) => Promise<Result<Explanation>> {
  const { tenant, mrnSystem } = deps;

  async function link({ clientUuid, userId }: Envelope): Promise<Result<LinkedPatient | null>> {
    const links = await deps.identity.read('identity.list', {
      tenant,
      status: 'confirmed',
      user: { client: clientUuid, user: userId },
      patient: null,
      before: null,
      limit: 1,
    });
    if (!links.ok) return links;
    const [confirmed] = links.value;
    return ok(confirmed === undefined ? null : { mrnSystem, mrn: confirmed.mrn });
  }

  return async (id) => {
    const stored = await deps.inbox.read('inbox.body', { tenant, id });
    if (!stored.ok) return stored;
    if (stored.value === null) return fail(fault('delivery.not-found'));
    const found = await deps.inbox.read('inbox.get', { tenant, id });
    if (!found.ok) return found;
    if (found.value === null) return fail(fault('delivery.not-found'));
    const { state, reason, faultCode } = found.value;
    const { body, hook, receivedAt } = stored.value;
    if (body === 'unopenable' || hook === 'notification') return fail(fault('delivery.state'));
    return explain(
      body,
      { id, receivedAt: new Date(receivedAt) },
      {
        translationContext: deps.current().translationContext,
        dialectBecause: deps.dialect().because,
        standing: { state, reason, faultCode, detail: detailOf({ reason, faultCode }) },
        link,
        written: (patient, asked) => deps.lanes.read('lane.ledger', { tenant, deliveryId: id, patient, ...asked }),
        seen: () =>
          state === 'parked' ? deps.lanes.read('lane.foreign', { tenant, deliveryId: id }) : Promise.resolve(ok([])),
      },
    );
  };
}
