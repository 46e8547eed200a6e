/** What the app is told by its own server. */
export interface Settings {
  readonly fhirUrl: string;
  readonly clientId: string;
  readonly scope: string;
  /** The time of the people in the charts, which days are counted back from. */
  readonly now: string;
}

/** The part of fhirclient that is used; https://docs.smarthealthit.org/client-js/ */
export interface SmartClient {
  readonly patient: { readonly id: string | null };
  getFhirUser(): string | null;
  /** What the sign-in says of the person; null where no identity was asked for. */
  getIdToken(): Readonly<Record<string, unknown>> | null;
  create<T>(resource: Readonly<Record<string, unknown>>): Promise<T>;
  request<T>(
    url: string,
    options?: { readonly pageLimit?: number; readonly flat?: boolean; readonly onPage?: (page: unknown) => void },
  ): Promise<T>;
}
interface Fhir {
  readonly oauth2: {
    authorize(options: Readonly<Record<string, string>>): Promise<unknown>;
    ready(): Promise<SmartClient>;
  };
}
declare const FHIR: Fhir;

export async function readSettings(): Promise<Settings> {
  const answer = await fetch('settings.json');
  if (!answer.ok) throw new Error('no settings');
  return (await answer.json()) as Settings;
}

/** fhirclient lets these of the address win over what the app says. */
const STEERING = ['fhirServiceUrl', 'patientId', 'clientId', 'client_id'];

/**
 * How this page was opened: by an EHR that named itself and a launch, by a person, or by an EHR that we do not know.
 */
export type Opening =
  { readonly kind: 'ehr'; readonly launch: string } | { readonly kind: 'person' } | { readonly kind: 'refused' };

export function openingOf(search: string, { fhirUrl }: Pick<Settings, 'fhirUrl'>): Opening {
  const query = new URLSearchParams(search);
  const [iss, launch] = [query.get('iss'), query.get('launch')];
  if (STEERING.some((name) => query.has(name))) return { kind: 'refused' };
  if (iss === null) return launch === null ? { kind: 'person' } : { kind: 'refused' };
  if (iss.replace(/\/$/, '') !== fhirUrl) return { kind: 'refused' };
  return launch === null || launch === '' ? { kind: 'person' } : { kind: 'ehr', launch };
}

/** Leaves the page. The patient comes from the EHR's launch, or is chosen while signing in. */
export async function signIn(settings: Settings, opening: Exclude<Opening, { kind: 'refused' }>): Promise<void> {
  await FHIR.oauth2.authorize({
    clientId: settings.clientId,
    scope: `${opening.kind === 'ehr' ? 'launch' : 'launch/patient'} ${settings.scope}`,
    redirectUri: new URL('index.html', location.href).href,
    iss: settings.fhirUrl,
    pkceMode: 'required',
    ...(opening.kind === 'ehr' ? { launch: opening.launch } : {}),
  });
}

/** What stopped the app, in words for the person in front of it. */
export type Trouble = 'not-signed-in' | 'refused' | 'expired' | 'forbidden' | 'unreachable';

/** The client of the session that the address or the browser's session holds. */
export async function resume(): Promise<{ client: SmartClient } | { trouble: Trouble }> {
  const query = new URLSearchParams(location.search);
  if (query.has('error')) return { trouble: 'refused' };
  // Without either, fhirclient has nothing to go on with.
  const isReturning = query.has('code') && query.has('state');
  if (!isReturning && sessionStorage.getItem('SMART_KEY') === null) return { trouble: 'not-signed-in' };
  try {
    return { client: await FHIR.oauth2.ready() };
  } catch {
    return { trouble: isReturning ? 'refused' : 'not-signed-in' };
  }
}

export const statusOf = (thrown: unknown): number | null =>
  typeof thrown === 'object' && thrown !== null && 'status' in thrown && typeof thrown.status === 'number'
    ? thrown.status
    : null;

export function troubleOf(thrown: unknown): Trouble {
  const status = statusOf(thrown);
  const words = thrown instanceof Error ? thrown.message : '';
  // A refused refresh is told with the status of the token endpoint.
  if (status === 401 || /expired|refresh|invalid_grant/i.test(words)) return 'expired';
  return status === 403 || status === 404 ? 'forbidden' : 'unreachable';
}

export function forget(): void {
  sessionStorage.clear();
}
