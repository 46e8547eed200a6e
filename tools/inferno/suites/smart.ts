import type { AppKind, TestedGateway } from '../gateway.ts';
import { authInfo } from '../auth-info.ts';
import type { Inferno, Waiting } from '../inferno.ts';
import { pressPages } from '../press-pages.ts';
import type { Stand } from '../stand.ts';
import type { Kit, SuiteRun } from '../suite-run.ts';

const MINUTES = 4;

const VERSIONS = [
  { suite: 'smart', version: '1.0', letters: 'read', kinds: ['public', 'symmetric'] },
  { suite: 'smart_stu2', version: '2.0', letters: 'rs', kinds: ['public', 'symmetric', 'asymmetric'] },
  { suite: 'smart_stu2_2', version: '2.2', letters: 'rs', kinds: ['public', 'symmetric', 'asymmetric'] },
] as const;
type Version = (typeof VERSIONS)[number];

const IDENTITY = 'openid fhirUser offline_access';
const scopeOf = (launch: 'standalone' | 'EHR', { letters }: Version): string =>
  launch === 'standalone' ? `launch/patient ${IDENTITY} patient/*.${letters}` : `launch ${IDENTITY} user/*.${letters}`;

const addApp = (gateway: TestedGateway, inferno: Inferno, kind: AppKind, suite: string, scope: string) =>
  gateway.addApp({
    kind,
    scope,
    redirectUris: [inferno.address(suite, 'redirect')],
    launchUrl: inferno.address(suite, 'launch'),
    ...(kind === 'asymmetric' ? { jwksUri: inferno.address(suite, '.well-known/jwks.json') } : {}),
  });

/** Opens the app from the EHR, or signs in, whichever the test waits for. */
export const launchOrSignIn =
  ({ gateway, inferno, browser }: Stand, appId: string, mrn: string) =>
  async ({ testId, links }: Waiting): Promise<void> => {
    const visit = { account: gateway.account, mrn, app: inferno.url };
    const signIn = links.find((link) => link.startsWith(`${gateway.url}/`));
    if (signIn !== undefined) await pressPages(browser, signIn, visit);
    else if (testId.endsWith('smart_app_launch'))
      await pressPages(browser, await gateway.launch(appId, mrn), { ...visit, app: inferno.url });
    else throw new Error(`${testId} waits for something that is no launch and no sign-in`);
  };

const firstMrn = ({ patients }: Stand): string => patients[0]?.mrn ?? '';

const launchRun = (of: Version, kind: AppKind, launch: 'standalone' | 'EHR'): SuiteRun => ({
  name: `SMART ${of.version}, ${launch} launch, ${kind}`,
  set: 'smart',
  suite: of.suite,
  sides: 'gateway',
  async go(kit) {
    const scope = scopeOf(launch, of);
    const app = await addApp(kit.gateway, kit.inferno, kind, of.suite, scope);
    const word = launch === 'standalone' ? 'standalone' : 'ehr';
    return kit.run({
      suite: of.suite,
      group: `smart_full_${word}_launch`,
      inputs: { url: kit.gateway.fhir, [`${word}_smart_auth_info`]: authInfo(kind, app, scope) },
      minutesMax: MINUTES,
      onWait: launchOrSignIn(kit, app.id, firstMrn(kit)),
    });
  },
});

const backendRun = ({ suite, version }: Version, algorithm: 'ES384' | 'RS384'): SuiteRun => ({
  name: `SMART ${version}, backend services, ${algorithm}`,
  set: 'smart',
  suite,
  sides: 'gateway',
  async go({ gateway, inferno, run }) {
    const scope = 'system/*.rs';
    const jwksUri = inferno.address(suite, '.well-known/jwks.json');
    const app = await gateway.addApp({ kind: 'backend', scope, jwksUri });
    const info = authInfo('backend', app, scope, { encryption_algorithm: algorithm });
    return run({
      suite,
      group: 'smart_backend_services',
      inputs: { url: gateway.fhir, backend_services_smart_auth_info: info },
      minutesMax: MINUTES,
    });
  },
});

const introspectionRun = (of: Version): SuiteRun => ({
  name: `SMART ${of.version}, token introspection`,
  set: 'smart',
  suite: of.suite,
  sides: 'gateway',
  async go(kit: Kit) {
    const scope = scopeOf('standalone', of);
    const app = await addApp(kit.gateway, kit.inferno, 'symmetric', of.suite, scope);
    const basic = Buffer.from(`${app.id}:${app.secret ?? ''}`).toString('base64');
    return kit.run({
      suite: of.suite,
      group: of.suite === 'smart_stu2_2' ? 'smart_token_introspection_stu2_2' : 'smart_token_introspection',
      inputs: {
        url: kit.gateway.fhir,
        standalone_smart_auth_info: authInfo('symmetric', app, scope),
        well_known_introspection_url: `${kit.gateway.url}/auth/introspect`,
        custom_authorization_header: `Authorization: Basic ${basic}`,
      },
      minutesMax: MINUTES,
      onWait: launchOrSignIn(kit, app.id, firstMrn(kit)),
    });
  },
});

/** Every kind of app by every kind of launch; backend services and introspection are of version 2. */
export const smartRuns: readonly SuiteRun[] = VERSIONS.flatMap((version) => [
  ...version.kinds.flatMap((kind) => [launchRun(version, kind, 'standalone'), launchRun(version, kind, 'EHR')]),
  ...(version.suite === 'smart'
    ? []
    : [backendRun(version, 'ES384'), backendRun(version, 'RS384'), introspectionRun(version)]),
]);
