import { randomBytes } from 'node:crypto';
import type { AuditDraft } from '../audit/index.ts';
import { groupsOf, type AskProvider, type ProviderClaims, type ProviderFlow } from '../factors/index.ts';
import { fail, ok, safeError, type Clock, type Log, type Result } from '../kernel/index.ts';
import { DISPLAY_NAME } from './account.ts';
import { must, type AuthStore } from './adapter.ts';
import type { ProviderSignIn } from './commands.ts';
import { mapPractitioner, type MappingRefusal, type PractitionerMapping } from './map-practitioner.ts';
import type { PractitionerDirectory } from './practitioners.ts';
import type { Asker, RecordDenial } from './record-denial.ts';

/** The hospital's own sign-in, to which ours is handed over. */
export interface Federation {
  readonly issuer: string;
  readonly ask: AskProvider;
  readonly mapping: PractitionerMapping;
  readonly groupsClaim: string;
  /** Of which a person must be in one; empty: anybody for whom the provider vouches. */
  readonly groups: readonly string[];
}

export type FederationRefusal =
  MappingRefusal | 'answer' | 'group' | Extract<ProviderSignIn, { state: 'refused' }>['why'];

const FLOW_KIND = 'ProviderFlow';
const FLOW_MS = 10 * 60_000;

/** What is kept while the person is at the provider, under the state that comes back. */
interface KeptFlow extends ProviderFlow {
  /** Of the request of an app that the person signs in for. */
  readonly uid: string;
}

/** Who came back, and when the provider saw them prove it, in seconds, where it says so. */
export interface Vouched {
  readonly accountId: string;
  readonly authTime?: number;
}

const shownAs = (...names: readonly unknown[]): string =>
  names.find((name): name is string => typeof name === 'string' && DISPLAY_NAME.test(name)) ?? 'unnamed';

/** Sign-in at the hospital's provider: there and back, and who that is here. */
export function makeFederate(deps: {
  readonly federation: Federation;
  readonly tenant: string;
  readonly ehrBase: string;
  readonly fhirBase: string;
  readonly store: AuthStore;
  readonly practitioners: PractitionerDirectory;
  readonly deny: RecordDenial;
  readonly clock: Clock;
  readonly log: Log;
}) {
  const { tenant, store, clock } = deps;
  const { issuer, ask, mapping, groups, groupsClaim } = deps.federation;

  async function readClaims(query: URLSearchParams, flow: KeptFlow, requestId: string): Promise<ProviderClaims | null> {
    const names = [...(mapping.by === 'account' ? [] : [mapping.claim]), ...(groups.length === 0 ? [] : [groupsClaim])];
    return ask.finish(query.toString(), flow, names).catch((thrown: unknown) => {
      deps.log.warn('auth.provider-failed', { requestId, error: safeError(thrown) });
      return null;
    });
  }

  /** Which practitioner that is; null where an operator has said it, or must. */
  async function practitionerOf(
    claims: ProviderClaims,
    requestId: string,
  ): Promise<Result<string | null, MappingRefusal>> {
    const known = must(await store.read('auth.account-by-subject', { tenant, issuer, subject: claims.sub }));
    if (known?.origin.kind === 'provider' && known.origin.mappedBy === 'operator') return ok(null);
    const bases = [deps.ehrBase, deps.fhirBase];
    return mapPractitioner(claims, mapping, { bases, practitioners: deps.practitioners, requestId });
  }

  return {
    /** Where the browser goes. Throws where the provider does not answer. */
    async begin(uid: string, purpose: ProviderFlow['purpose']): Promise<string> {
      const { flow, to } = await ask.begin(purpose);
      const payload: KeptFlow = { ...flow, uid };
      const at = clock.now();
      const expiresAt = new Date(at.getTime() + FLOW_MS);
      const key = { tenant, kind: FLOW_KIND, id: flow.state };
      must(await store.write('auth.put', { ...key, payload, grantId: null, uid: null, expiresAt, at, as: 'first' }));
      return to;
    },

    /** The request of an app that an answer of the provider belongs to; null: to none. */
    async requestOf(query: URLSearchParams): Promise<string | null> {
      const id = query.get('state') ?? '';
      const found = must(await store.read('auth.find', { tenant, kind: FLOW_KIND, id, at: clock.now() }));
      return found === null ? null : (found.payload as KeptFlow).uid;
    },

    /** Who came back. The flow is used up, whatever comes of it. */
    async finish(
      query: URLSearchParams,
      uid: string,
      by: Asker & { readonly client: string },
    ): Promise<Result<Vouched, FederationRefusal>> {
      const id = query.get('state') ?? '';
      const taken = must(await store.write('auth.take', { tenant, kind: FLOW_KIND, id, at: clock.now() }));
      const flow = taken === null ? null : (taken.payload as KeptFlow);
      const claims = flow?.uid === uid ? await readClaims(query, flow, by.requestId) : null;
      if (claims === null) {
        deps.deny('sign-in:provider-answer', by);
        return fail('answer');
      }
      const { requestId, client } = by;
      const audit: AuditDraft = {
        at: clock.now(),
        type: 'auth.sign-in',
        tenant,
        requestId,
        action: 'E',
        outcome: '0',
        why: 'provider',
        client,
        issuer,
      };
      const refuse = async (why: FederationRefusal): Promise<Result<Vouched, FederationRefusal>> => {
        // What the EHR could not tell says nothing of the person; any other refusal is the hospital's word.
        const given = why === 'ehr-away' ? 'stays' : 'ends';
        const draft: AuditDraft = { ...audit, outcome: '8', why: `provider:${why}` };
        must(await store.write('auth.provider-refuse', { issuer, subject: claims.sub, given, audit: draft }));
        return fail(why);
      };
      if (groups.length > 0 && !groupsOf(claims[groupsClaim]).some((one) => groups.includes(one)))
        return refuse('group');
      const user = await practitionerOf(claims, requestId);
      if (!user.ok) return refuse(user.fault);
      const username = shownAs(claims['preferred_username'], claims['email'], claims.sub);
      const person = {
        id: `usr_${randomBytes(12).toString('hex')}`,
        username,
        name: shownAs(claims['name'], username),
        issuer,
        subject: claims.sub,
        fhirUser: user.value,
      };
      const done = must(await store.write('auth.provider-sign-in', { person, audit }));
      if (done.state === 'refused') return fail(done.why);
      const { auth_time: authTime } = claims;
      return ok({ accountId: done.accountId, ...(Number.isInteger(authTime) ? { authTime: Number(authTime) } : {}) });
    },
  };
}
export type Federate = ReturnType<typeof makeFederate>;
