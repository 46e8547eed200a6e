import { errors, type default as Provider } from 'oidc-provider';
import type { AuditDraft } from '../audit/index.ts';
import { ok } from '../kernel/index.ts';
import { must } from './adapter.ts';
import { chooseEncounter } from './choose-encounter.ts';
import { consentPage } from './consent-page.ts';
import { endSession } from './end-session.ts';
import { makeGrantAccess } from './grant-access.ts';
import { LAUNCH_KIND, type Launch } from './launch.ts';
import type { PageFrame } from './page.ts';
import { encounterPage, errorPage } from './pages.ts';
import { patientPage } from './patient-page.ts';
import type { ListedPatients, PatientDirectory, ShownPatient } from './patients.ts';
import { PAGE_CLIENT_ID } from './page-client.ts';
import { GRANTS_PATH, PATHS } from './paths.ts';
import { ownClient } from './provider.ts';
import { makeRecordShown, type Showing } from './record-shown.ts';
import { splitScopes } from './scope.ts';
import { sendPage } from './send-page.ts';
import { FOR_GRANTS, forApp } from './sign-in-pages.ts';
import { makeSignIn, type SignInDeps } from './sign-in.ts';
import { textOf, type Details, type Visit } from './visit.ts';

interface Deps extends SignInDeps {
  readonly fhirBase: string;
  readonly styleUrl: string;
  /** Address of the pages' own style sheet. */
  readonly pageStyle: string;
  readonly mountPath: string;
  readonly patients: PatientDirectory;
  /** Origins of EHRs in whose frames the pages may be shown. */
  readonly frameAncestors: readonly string[];
  readonly audit: (...drafts: readonly AuditDraft[]) => Promise<boolean>;
}

const NO_PATIENTS = 'The patients cannot be listed at the moment. Try again.';
const NO_DAY = 'Write the birth date as year, month and day: 1970-12-31.';
const NO_CHOICE = 'Choose a patient from the list.';
const NOTHING_ALLOWED = 'Nothing is ticked. Tick what the app may read, or do not allow it.';

/** Where an answer goes, for a person to recognise. */
const placeOf = (redirectUri: string): string => {
  const url = URL.parse(redirectUri);
  return url === null ? redirectUri : url.host || `the app of this device (${url.protocol})`;
};

/** The pages between an app's request and its answer: sign in, choose a patient and an encounter, allow. */
export function makeInteractions(deps: Deps): (visit: Visit) => Promise<void> {
  const { provider, store, tenant, clock, patients } = deps;
  const record = makeRecordShown(deps);
  const grantAccess = makeGrantAccess(deps);
  const signIn = makeSignIn(deps);
  const ancestors = deps.frameAncestors;
  const grantsUrl = `${deps.mountPath}${GRANTS_PATH}`;

  const frameOf = ({ uid }: Details): PageFrame => ({
    styleUrl: deps.pageStyle,
    action: `${deps.mountPath}/interaction/${uid}`,
  });
  const show = ({ response }: Visit, { params }: Details, page: string, status = 200): Promise<void> => {
    sendPage(response, status, page, { redirectUri: textOf(params['redirect_uri']), ancestors });
    return Promise.resolve();
  };
  const finish = async (
    { request, response }: Visit,
    result: Parameters<Provider['interactionFinished']>[2],
  ): Promise<void> => provider.interactionFinished(request, response, result);
  const cancel = (visit: Visit): Promise<void> =>
    finish(visit, { error: 'access_denied', error_description: 'the user did not allow it' });

  /**
   * Begins again with the same request and nobody signed in. A launch that was not used up is still good. The hospital's
   * provider is asked to ask anew: it may know who was here before.
   */
  async function changeUser(visit: Visit, details: Details): Promise<void> {
    await endSession(provider, visit);
    const params = Object.entries(details.params).filter(
      (pair): pair is [string, string] => typeof pair[1] === 'string' && pair[0] !== 'prompt',
    );
    await details.destroy();
    visit.response.statusCode = 303;
    visit.response.setHeader(
      'Location',
      `${deps.issuer}${PATHS.authorization}?${new URLSearchParams([...params, ['prompt', 'login']]).toString()}`,
    );
    visit.response.end();
  }

  /** Whoever signed in for our own page goes there; nothing is granted. */
  async function toGrants({ response }: Visit, details: Details): Promise<void> {
    await details.destroy();
    response.statusCode = 303;
    response.setHeader('Location', grantsUrl);
    response.end();
  }

  async function launchOf(details: Details): Promise<Launch | null> {
    const id = textOf(details.params['launch']);
    if (id === '' || !splitScopes(textOf(details.params['scope'])).includes('launch')) return null;
    const found = must(await store.read('auth.find', { tenant, kind: LAUNCH_KIND, id, at: clock.now() }));
    if (found === null) throw new errors.InvalidRequest('the launch is no longer valid');
    return found.payload as Launch;
  }

  async function userOf(details: Details): Promise<string> {
    const account = must(await store.read('auth.account', { tenant, id: details.session?.accountId ?? '' }));
    if (account === null) throw new errors.AccessDenied();
    return account.name;
  }

  async function recordShown(
    visit: Visit,
    details: Details,
    page: Showing['page'],
    shown: readonly ShownPatient[],
  ): Promise<void> {
    const isRecorded = await record({
      page,
      patients: shown.map(({ id }) => id),
      account: details.session?.accountId ?? '',
      client: textOf(details.params['client_id']),
      requestId: visit.requestId,
    });
    if (!isRecorded) throw new errors.TemporarilyUnavailable('try again later');
  }

  async function showPatients(visit: Visit, details: Details, app: string, wrong: string | null): Promise<void> {
    const user = await userOf(details);
    // Never of the address: those are kept in histories and in the logs of proxies.
    const asked = (field: string): string => textOf(visit.form?.get(field)).trim().slice(0, 100);
    const wanted = { name: asked('name'), birthDate: asked('birthdate'), mrn: asked('mrn') };
    const isDay = wanted.birthDate === '' || /^\d{4}-\d\d-\d\d$/.test(wanted.birthDate);
    const cursor = visit.form?.get('cursor') ?? null;
    const listed = isDay
      ? await patients.list({ cursor, wanted, requestId: visit.requestId })
      : ok<ListedPatients>({ patients: [], next: null, isAll: true });
    const found = listed.ok ? listed.value : { patients: [], next: null, isAll: true };
    if (listed.ok) await recordShown(visit, details, 'picker', found.patients);
    const trouble = listed.ok ? (isDay ? wrong : NO_DAY) : NO_PATIENTS;
    const shown = { app, user, ...found, wanted: isDay ? wanted : { ...wanted, birthDate: '' }, wrong: trouble };
    await show(visit, details, patientPage(frameOf(details), shown), listed.ok ? 200 : 503);
  }

  /** The patient that the token will be about, as the EHR has it now; null where the person must choose one. */
  async function patientOf(visit: Visit, launch: Launch | null): Promise<ShownPatient | null> {
    const id = launch?.patient ?? textOf(visit.form?.get('patient'));
    if (id === '') return null;
    const found = await patients.find(id, visit.requestId);
    return found.ok ? found.value : null;
  }

  async function consent(visit: Visit, details: Details, app: string): Promise<void> {
    const asked = splitScopes(textOf(details.params['scope']));
    const launch = await launchOf(details);
    const isEncounterAsked = asked.includes('launch/encounter');
    const needsPatient =
      launch !== null ||
      isEncounterAsked ||
      asked.includes('launch/patient') ||
      asked.some((one) => one.startsWith('patient/'));
    const patient = needsPatient ? await patientOf(visit, launch) : null;
    if (needsPatient && patient === null) {
      if (launch !== null) throw new errors.InvalidRequest('the patient of the launch cannot be read');
      return showPatients(visit, details, app, visit.form?.get('step') === 'patient' ? NO_CHOICE : null);
    }
    const choice =
      patient === null
        ? ({ kind: 'settled', encounter: null, because: null } as const)
        : await chooseEncounter(patients, {
            patient: patient.id,
            launch,
            isAsked: isEncounterAsked,
            chosen: visit.form?.get('encounter') ?? null,
            requestId: visit.requestId,
          });
    if (choice.kind === 'lost') throw new errors.InvalidRequest('the encounter of the launch cannot be read');
    if (choice.kind === 'open') {
      if (patient === null) throw new Error('an encounter is chosen of a patient');
      await recordShown(visit, details, 'encounters', [patient]);
      const open = { app, user: await userOf(details), patient, ...choice };
      return show(visit, details, encounterPage(frameOf(details), open), choice.isListed ? 200 : 503);
    }
    const { encounter } = choice;
    const scopes = asked.filter((one) => one.includes('.'));
    const isAllowed = visit.form?.get('step') === 'allow';
    const isEmpty = isAllowed && scopes.length > 0 && !visit.form.getAll('scope').some((one) => one.includes('.'));
    if (isAllowed && !isEmpty) {
      const about = { launch, patient, encounter: encounter?.id ?? null };
      return finish(visit, { consent: { grantId: await grantAccess(visit, details, about) } });
    }
    if (patient !== null) await recordShown(visit, details, 'consent', [patient]);
    const shown = {
      app,
      place: placeOf(textOf(details.params['redirect_uri'])),
      user: await userOf(details),
      patient,
      encounter,
      noEncounter: choice.because,
      scopes,
      words: asked.filter((one) => !one.includes('.')),
      grantsUrl,
      wrong: isEmpty ? NOTHING_ALLOWED : null,
    };
    await show(visit, details, consentPage(frameOf(details), shown));
  }

  return async (visit) => {
    try {
      const details = await provider.interactionDetails(visit.request, visit.response);
      const client = await provider.Client.find(textOf(details.params['client_id']));
      if (client === undefined) throw new errors.InvalidRequest('the app is no longer registered');
      const { id, name: app } = ownClient(client);
      const isPage = id === PAGE_CLIENT_ID;
      const step = visit.form?.get('step');
      if (step === 'cancel') await cancel(visit);
      else if (step === 'other-user') await changeUser(visit, details);
      else if (details.prompt.name !== 'login' && isPage) await toGrants(visit, details);
      else if (details.prompt.name !== 'login') await consent(visit, details, app);
      else
        await signIn(visit, details, {
          frame: frameOf(details),
          why: isPage ? FOR_GRANTS : forApp(app),
          show: (page, status) => show(visit, details, page, status),
        });
    } catch (thrown) {
      if (!(thrown instanceof errors.OIDCProviderError)) throw thrown;
      const isBusy = thrown.error === 'temporarily_unavailable';
      const told = {
        title: isBusy ? 'Not possible at the moment' : 'This cannot go on',
        text: isBusy ? 'Try again in a minute.' : 'The page is no longer valid. Start again from the app.',
        code: thrown.error,
      };
      sendPage(visit.response, isBusy ? 503 : 400, errorPage(deps.pageStyle, told), { ancestors });
    }
  };
}
