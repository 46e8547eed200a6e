import { createHmac } from 'node:crypto';
import { CLINICIAN_APP_ID, CLINICIAN_APP_SCOPES, DEMO_CLINICIAN, type ClinicianApp } from '../index.ts';
import type { AdminApi } from '../../src/embed.ts';

export const DEMO_USERNAME = 'clinician';

/** Made of the demonstration's own secret, so that the account of an earlier start still opens. */
export const demoPassword = (secret: string): string =>
  createHmac('sha256', secret).update('demo clinician').digest('base64url').slice(0, 16);

/** `refused`: an issuer elsewhere makes the tokens, or the gateway does not take it for another reason. */
export type Registered = 'ready' | 'refused';

/** What an earlier start of the demonstration has left. */
const THERE = new Set<unknown>(['client.id-taken', 'account.name-taken']);

/** Makes the sample app and its clinician known to the gateway, through the admin API. What is there already stays. */
export async function registerDemoApp(
  api: Pick<AdminApi, 'call'>,
  app: Pick<ClinicianApp, 'redirectUri' | 'launchUrl'>,
  password: string,
): Promise<Registered> {
  const scope = ['launch', 'launch/patient', ...CLINICIAN_APP_SCOPES].join(' ');
  const made = await api.call('apps.add', {
    body: {
      id: CLINICIAN_APP_ID,
      name: 'Clinician sample app',
      kind: 'public',
      redirectUris: [app.redirectUri],
      launchUrl: app.launchUrl,
      scope,
    },
  });
  // An earlier version of the app asked for less.
  if (made.kind === 'refused' && THERE.has(made.problem.code))
    await api.call('apps.edit', { params: { id: CLINICIAN_APP_ID }, body: { scope } });
  if (made.kind === 'refused' && !THERE.has(made.problem.code)) return 'refused';
  const added = await api.call('accounts.add', {
    body: {
      username: DEMO_USERNAME,
      name: `Dr ${DEMO_CLINICIAN.name}`,
      password,
      fhirUser: `Practitioner/${DEMO_CLINICIAN.id}`,
    },
  });
  return added.kind === 'refused' && !THERE.has(added.problem.code) ? 'refused' : 'ready';
}
