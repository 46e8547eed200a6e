import { errors, type default as Provider } from 'oidc-provider';
import type { AuditDraft } from '../audit/index.ts';
import type { Clock } from '../kernel/index.ts';
import { must, type AuthStore } from './adapter.ts';
import { decideConsent } from './decide-consent.ts';
import { LAUNCH_KIND, toContextDetail, type Launch, type LaunchContext } from './launch.ts';
import type { ShownPatient } from './patients.ts';
import { splitScopes } from './scope.ts';
import { saveDetails, textOf, type Details, type Visit } from './visit.ts';

interface Deps {
  readonly tenant: string;
  readonly fhirBase: string;
  readonly styleUrl: string;
  readonly provider: Provider;
  readonly store: AuthStore;
  /** Resolves once the act is in the audit; false where it could not be put there. */
  readonly audit: (...drafts: readonly AuditDraft[]) => Promise<boolean>;
  readonly clock: Clock;
}

/** What the access is about. */
interface About {
  readonly launch: Launch | null;
  readonly patient: ShownPatient | null;
  readonly encounter: string | null;
}

/** Writes down what a person allowed, uses up the launch, and answers the id of the grant. */
export function makeGrantAccess(deps: Deps): (visit: Visit, details: Details, about: About) => Promise<string> {
  const { provider, store, tenant, clock } = deps;
  return async (visit, details, { launch, patient, encounter }) => {
    const { client_id: clientId, scope, launch: launchId } = details.params;
    const asked = splitScopes(textOf(scope));
    const ticked = visit.form?.getAll('scope') ?? [];
    const granted = decideConsent(asked, ticked).filter((word) => word !== 'launch/encounter' || encounter !== null);
    if (launch !== null) {
      // Given out once: who finds the address of a launch later gets nothing by it.
      const taken = must(
        await store.write('auth.take', { tenant, kind: LAUNCH_KIND, id: textOf(launchId), at: clock.now() }),
      );
      if (taken === null) throw new errors.InvalidRequest('the launch is no longer valid');
    }
    const { intent = null } = launch ?? {};
    const context: LaunchContext =
      patient === null
        ? {}
        : {
            patient: patient.id,
            ...(encounter === null ? {} : { encounter }),
            need_patient_banner: launch?.needPatientBanner ?? true,
            smart_style_url: deps.styleUrl,
            ...(intent === null ? {} : { intent }),
            ...(launch?.fhirContext === undefined ? {} : { fhirContext: launch.fhirContext }),
          };
    const accountId = details.session?.accountId ?? '';
    const grant = new provider.Grant({ accountId, clientId: textOf(clientId) });
    grant.addOIDCScope(granted.filter((one) => !one.includes('.')).join(' '));
    grant.addResourceScope(deps.fhirBase, granted.join(' '));
    grant.addRar(toContextDetail(context));
    const isRecorded = await deps.audit({
      at: clock.now(),
      type: 'auth.grant',
      tenant,
      requestId: visit.requestId,
      action: 'C',
      outcome: '0',
      actor: accountId,
      client: textOf(clientId),
      count: granted.length,
    });
    if (!isRecorded) throw new errors.TemporarilyUnavailable('try again later');
    const grantId = await grant.save();
    // What was allowed takes the place of what was asked for: the code and all that follows know no other.
    details.params['scope'] = granted.join(' ');
    await saveDetails(details, clock);
    return grantId;
  };
}
