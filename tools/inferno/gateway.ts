import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { askJson } from './ask-json.ts';

export type AppKind = 'public' | 'symmetric' | 'asymmetric' | 'backend';
export type NewApp = {
  readonly kind: AppKind;
  readonly scope: string;
  readonly redirectUris?: readonly string[];
  readonly launchUrl?: string;
  readonly jwksUri?: string;
  readonly jwks?: { readonly keys: readonly object[] };
};
export type App = { readonly id: string; readonly secret: string | null };
export type Account = { readonly username: string; readonly password: string };

/** The gateway as who operates it sees it: what the run needs is made here, and taken away at the end. */
export interface TestedGateway {
  readonly url: string;
  readonly fhir: string;
  readonly account: Account;
  addApp(app: NewApp): Promise<App>;
  /** The address at the app that an EHR opens for this patient. */
  launch(app: string, mrn: string): Promise<string>;
  /** Links a user to the patient, who is then a patient of the gateway. */
  link(user: string, mrn: string): Promise<void>;
  /** Takes away the account and the apps that were made. */
  leave(): Promise<void>;
}

const MadeApp = z.object({ id: z.string(), secret: z.string().nullish() });

/** Adds an account to the gateway, by which the pages are signed in to. */
export async function openGateway(url: string, adminToken: string): Promise<TestedGateway> {
  const admin = (method: string, path: string, body?: unknown): Promise<unknown> =>
    askJson(method, `${url}/admin/api/${path}`, {
      headers: { authorization: `Bearer ${adminToken}` },
      ...(body === undefined ? {} : { body }),
    });
  const mark = randomBytes(4).toString('hex');
  const account = { username: `inferno-${mark}`, password: randomBytes(18).toString('base64url') };
  const person = { ...account, name: 'Dr Inferno', fhirUser: 'Practitioner/demo-clinician' };
  const { id: accountId } = z.object({ id: z.string() }).parse(await admin('POST', 'accounts', person));
  const apps: string[] = [];
  return {
    url,
    fhir: `${url}/fhir`,
    account,
    async addApp({ kind, ...app }) {
      const id = `inferno-${mark}-${apps.length + 1}`;
      const made = MadeApp.parse(await admin('POST', 'clients', { id, name: `Inferno, ${kind}`, kind, ...app }));
      apps.push(made.id);
      return { id: made.id, secret: made.secret ?? null };
    },
    async launch(clientId, mrn) {
      return z.object({ url: z.string() }).parse(await admin('POST', 'launches', { clientId, mrn })).url;
    },
    async link(user, mrn) {
      await admin('PUT', `links/${encodeURIComponent(user)}`, { mrn });
    },
    async leave() {
      for (const id of apps.splice(0)) await admin('DELETE', `clients/${id}`);
      await admin('DELETE', `accounts/${accountId}`);
    },
  };
}
