import { createHmac } from 'node:crypto';
import { CLINICIAN_APP_ID, CLINICIAN_APP_SCOPES, DEMO_CLINICIAN, type ClinicianApp } from '../sandbox/index.ts';
import type { AdminApi } from './admin-api.ts';

export const DEMO_USERNAME = 'clinician';

/** Made of the demonstration's own secret, so that the account of an earlier start still opens. */
export const demoPassword = (secret: string): string =>
  createHmac('sha256', secret).update('demo clinician').digest('base64url').slice(0, 16);

/** `not-offered`: this gateway has no such registration. */
export type Registered = 'ready' | 'not-offered' | 'refused';

const CONFLICT = 409;

/** Makes the sample app and its clinician known to the gateway, through the admin API. What is there already stays. */
export async function registerDemoApp(
  api: AdminApi,
  app: Pick<ClinicianApp, 'redirectUri' | 'launchUrl'>,
  password: string,
): Promise<Registered> {
  const wanted: readonly (readonly [path: string, body: object])[] = [
    [
      'clients',
      {
        id: CLINICIAN_APP_ID,
        name: 'Clinician sample app',
        kind: 'public',
        redirectUris: [app.redirectUri],
        launchUrl: app.launchUrl,
        scope: ['launch', 'launch/patient', ...CLINICIAN_APP_SCOPES].join(' '),
      },
    ],
    [
      'accounts',
      {
        username: DEMO_USERNAME,
        name: `Dr ${DEMO_CLINICIAN.name}`,
        password,
        fhirUser: `Practitioner/${DEMO_CLINICIAN.id}`,
      },
    ],
  ];
  for (const [path, body] of wanted) {
    const { status } = await api.ask('POST', path, { type: 'application/json', text: JSON.stringify(body) });
    if (status === 404 || status === 405) return 'not-offered';
    if (status >= 300 && status !== CONFLICT) return 'refused';
  }
  return 'ready';
}
