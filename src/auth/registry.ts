import { randomBytes } from 'node:crypto';
import { actorOf, type Actor, type AuditDraft } from '../audit/index.ts';
import { fail, fault, ok, type Clock, type Result } from '../kernel/index.ts';
import {
  DISPLAY_NAME,
  FHIR_USER,
  hashPassword,
  PASSWORD_LENGTH,
  showAccount,
  USERNAME,
  type Account,
  type AccountOrigin,
  type ShownAccount,
} from './account.ts';
import type { AuthStore } from './adapter.ts';
import {
  hashSecret,
  newSecret,
  parseChange,
  parseRegistration,
  type Client,
  type RegisteredClient,
  type ShownClient,
} from './client.ts';
import type { AccountChange } from './commands.ts';
import { makeGrants, type AppGrant, type GrantPage, type GrantQuery } from './grants.ts';
import { readKeyAges, rotateSigningKey, type RotatedKey, type SigningKeyAge } from './keys.ts';
import { isIntent, LAUNCH_KIND, LAUNCH_MS, newLaunchId, parseFhirContext, type Launch } from './launch.ts';
import { narrowScope } from './narrow-scope.ts';
import { ANYBODY, type PatientDirectory } from './patients.ts';
import { splitScopes } from './scope.ts';

/** Who registers, for the audit. */
export interface Act extends Actor {
  readonly requestId: string;
}

export interface MadeLaunch {
  readonly launch: string;
  readonly iss: string;
  readonly expiresAt: Date;
  /** The whole address to open, where the launch is for an app that has one. */
  readonly url: string | null;
}

/** What an operator does: apps, people, launches. Nobody registers by himself. */
export interface Registry {
  /** `secret` is told here and never again. */
  addClient(act: Act, registration: unknown): Promise<Result<{ client: ShownClient; secret: string | null }>>;
  clients(): Promise<Result<readonly ShownClient[]>>;
  /** What is not named stays as it is. An app that may have less than before loses what was given out. */
  changeClient(act: Act, id: string, change: Readonly<Record<string, unknown>>): Promise<Result<ShownClient>>;
  /** Who is disabled gets nothing any more, and loses what was given out. */
  setClientState(act: Act, id: string, state: 'active' | 'disabled'): Promise<Result<null>>;
  removeClient(act: Act, id: string): Promise<Result<null>>;
  addAccount(act: Act, given: unknown): Promise<Result<ShownAccount>>;
  accounts(): Promise<Result<readonly ShownAccount[]>>;
  setAccountState(act: Act, id: string, state: 'active' | 'disabled'): Promise<Result<null>>;
  /** Another password; every session and grant of the person ends. */
  resetPassword(act: Act, id: string, password: string): Promise<Result<null>>;
  /** Takes the second factor away, so that another is added at the next sign-in; every session and grant ends. */
  resetFactor(act: Act, id: string): Promise<Result<null>>;
  /** Forgets wrong tries, and the waiting that they led to. */
  unlockAccount(act: Act, id: string): Promise<Result<null>>;
  removeAccount(act: Act, id: string): Promise<Result<null>>;
  grants(query: GrantQuery): Promise<Result<Pick<GrantPage, 'next'> & { readonly grants: readonly AppGrant[] }>>;
  endGrant(act: Act, id: string): Promise<Result<null>>;
  addLaunch(act: Act, given: unknown): Promise<Result<MadeLaunch>>;
  /** A new key signs id tokens from now on, at every replica. */
  rotateKey(act: Act): Promise<Result<RotatedKey>>;
  /** Those that sign id tokens or did lately; none where an external issuer has them. */
  signingKeys(): Promise<Result<readonly SigningKeyAge[]>>;
}

const newId = (prefix: string): string => `${prefix}_${randomBytes(12).toString('hex')}`;
const shown = ({ secretHash: _secretHash, ...rest }: RegisteredClient): ShownClient => rest;
const wrong = (at: string) => fail(fault('admin.parameter', { at }));
const FHIR_ID = /^(?!\.+$)[A-Za-z0-9\-.]{1,64}$/;
/** Text that cannot be an id matches no row. */
const isRegisteredId = (text: string): boolean => /^[\w.-]{1,64}$/.test(text);

const isPassword = (value: unknown): value is string =>
  typeof value === 'string' && value.length >= PASSWORD_LENGTH.least && value.length <= PASSWORD_LENGTH.most;

/** The fields of a JSON object that may hold these and no other. */
const fieldsOf = (value: unknown, known: readonly string[]): Readonly<Record<string, unknown>> | null =>
  typeof value === 'object' &&
  value !== null &&
  !Array.isArray(value) &&
  Object.keys(value).every((key) => known.includes(key))
    ? (value as Record<string, unknown>)
    : null;

const SUBJECT = /^[^\p{Cc}\p{Cs}]{1,255}$/u;
/** Whose word is taken for the person, where it is the provider's; null: a password of ours. */
function boundTo(
  { subject, password }: Readonly<Record<string, unknown>>,
  issuer: string | null,
): Result<Extract<AccountOrigin, { kind: 'provider' }> | null> {
  if (subject === undefined) return ok(null);
  if (typeof subject !== 'string' || !SUBJECT.test(subject)) return wrong('subject');
  if (password !== undefined) return wrong('password');
  return issuer === null
    ? fail(fault('account.no-provider'))
    : ok({ kind: 'provider', issuer, subject, mappedBy: 'operator' });
}

export function makeRegistry(deps: {
  /** The hospital's OpenID provider; null: there is none. */
  readonly providerIssuer: string | null;
  readonly tenant: string;
  readonly fhirBase: string;
  readonly store: AuthStore;
  readonly patients: PatientDirectory;
  readonly isType: (name: string) => boolean;
  readonly clock: Clock;
}): Registry {
  const { tenant, store, patients, clock } = deps;
  const grants = makeGrants(deps);
  const auditOf = (
    { requestId, ...who }: Act,
    action: AuditDraft['action'],
    why: string,
    clientId?: string,
  ): AuditDraft => ({
    at: clock.now(),
    type: 'admin',
    tenant,
    requestId,
    ...actorOf(who),
    action,
    outcome: '0',
    why,
    ...(clientId === undefined ? {} : { client: clientId }),
  });

  async function changeAccount(id: string, change: AccountChange, audit: AuditDraft): Promise<Result<null>> {
    if (!isRegisteredId(id)) return fail(fault('account.not-found'));
    const done = await store.write('auth.change-account', { id, change, audit: { ...audit, to: id } });
    if (!done.ok) return done;
    if (done.value === 'of-provider') return fail(fault('account.of-provider'));
    return done.value === 'changed' ? ok(null) : fail(fault('account.not-found'));
  }

  async function patientOf(act: Act, given: Readonly<Record<string, unknown>>): Promise<Result<string>> {
    const { patient, mrn } = given;
    if ((patient === undefined) === (mrn === undefined)) return wrong('patient');
    if (mrn !== undefined) {
      if (typeof mrn !== 'string' || !/^[^\p{Cc}\p{Cs}]{1,64}$/u.test(mrn)) return wrong('mrn');
      const listed = await patients.list({ cursor: null, wanted: { ...ANYBODY, mrn }, requestId: act.requestId });
      if (!listed.ok) return listed;
      const [only, ...more] = listed.value.patients;
      return only === undefined || more.length > 0 ? fail(fault('launch.patient')) : ok(only.id);
    }
    if (typeof patient !== 'string' || !FHIR_ID.test(patient)) return wrong('patient');
    const found = await patients.find(patient, act.requestId);
    if (!found.ok) return found;
    return found.value === null ? fail(fault('launch.patient')) : ok(patient);
  }

  return {
    async addClient(act, registration) {
      const parsed = parseRegistration(registration, deps.isType);
      if (!parsed.ok) return wrong(parsed.fault);
      const secret = parsed.value.kind === 'symmetric' ? newSecret() : null;
      const client: Client = {
        ...parsed.value,
        id: parsed.value.id ?? newId('app'),
        secretHash: secret === null ? null : hashSecret(secret),
      };
      const done = await store.write('auth.add-client', { client, audit: auditOf(act, 'C', 'client', client.id) });
      if (!done.ok) return done;
      return done.value === 'added'
        ? ok({ client: shown({ ...client, state: 'active' }), secret })
        : fail(fault('client.id-taken'));
    },
    async clients() {
      const found = await store.read('auth.clients', { tenant });
      return found.ok ? ok(found.value.map(shown)) : found;
    },
    async changeClient(act, id, change) {
      if (!isRegisteredId(id)) return fail(fault('client.not-found'));
      const found = await store.read('auth.registered-client', { tenant, id });
      if (!found.ok) return found;
      if (found.value === null) return fail(fault('client.not-found'));
      const { state, ...before } = found.value;
      const client = parseChange(before, change, deps.isType);
      if (!client.ok) return wrong(client.fault);
      const audit = auditOf(act, 'U', 'client', id);
      const kept = narrowScope(before.scope, client.value.scope);
      const given = splitScopes(before.scope).every((one) => kept.includes(one)) ? 'stays' : 'ends';
      const done = await store.write('auth.change-client', { client: client.value, given, audit });
      if (!done.ok) return done;
      return done.value === 'changed' ? ok(shown({ ...client.value, state })) : fail(fault('client.not-found'));
    },
    async setClientState(act, id, state) {
      if (!isRegisteredId(id)) return fail(fault('client.not-found'));
      const audit = { ...auditOf(act, 'U', 'client-state', id), to: state };
      const done = await store.write('auth.set-client-state', { id, state, audit });
      if (!done.ok) return done;
      return done.value === 'changed' ? ok(null) : fail(fault('client.not-found'));
    },
    async removeClient(act, id) {
      if (!isRegisteredId(id)) return fail(fault('client.not-found'));
      const done = await store.write('auth.remove-client', { id, audit: auditOf(act, 'D', 'client', id) });
      if (!done.ok) return done;
      return done.value === 'removed' ? ok(null) : fail(fault('client.not-found'));
    },
    async addAccount(act, given) {
      const fields = fieldsOf(given, ['username', 'name', 'fhirUser', 'password', 'subject']);
      if (fields === null) return wrong('');
      const { username, name, fhirUser, password } = fields;
      if (typeof username !== 'string' || !USERNAME.test(username)) return wrong('username');
      if (typeof name !== 'string' || !DISPLAY_NAME.test(name)) return wrong('name');
      if (typeof fhirUser !== 'string' || !FHIR_USER.test(fhirUser)) return wrong('fhirUser');
      const bound = boundTo(fields, deps.providerIssuer);
      if (!bound.ok) return bound;
      const hash = bound.value === null && isPassword(password) ? await hashPassword(password) : null;
      if ((bound.value === null) === (hash === null)) return wrong('password');
      const origin = bound.value ?? ({ kind: 'local' } as const);
      const account: Account = { id: newId('usr'), username, name, fhirUser, password: hash, origin, totp: null };
      const done = await store.write('auth.add-account', { account, audit: auditOf(act, 'C', 'account') });
      if (!done.ok) return done;
      if (done.value === 'name-taken') return fail(fault('account.name-taken'));
      if (done.value === 'user-taken') return fail(fault('account.user-taken'));
      return ok(showAccount({ ...account, wrongTries: 0, state: 'active' }));
    },
    accounts: () => store.read('auth.accounts', { tenant }),
    setAccountState: (act, id, state) =>
      changeAccount(id, { kind: 'state', state }, auditOf(act, 'U', `account-${state}`)),
    async resetPassword(act, id, given) {
      if (!isPassword(given)) return wrong('password');
      const password = await hashPassword(given);
      return changeAccount(id, { kind: 'password', password }, auditOf(act, 'U', 'account-password'));
    },
    resetFactor: (act, id) => changeAccount(id, { kind: 'factor' }, auditOf(act, 'U', 'account-factor')),
    unlockAccount: (act, id) => changeAccount(id, { kind: 'unlock' }, auditOf(act, 'U', 'account-unlock')),
    async removeAccount(act, id) {
      if (!isRegisteredId(id)) return fail(fault('account.not-found'));
      const done = await store.write('auth.remove-account', { id, audit: auditOf(act, 'D', 'account') });
      if (!done.ok) return done;
      if (done.value === 'kept-out') return fail(fault('account.kept-out'));
      return done.value === 'removed' ? ok(null) : fail(fault('account.not-found'));
    },
    async addLaunch(act, given) {
      const fields = fieldsOf(given, [
        'patient',
        'mrn',
        'encounter',
        'clientId',
        'needPatientBanner',
        'intent',
        'fhirContext',
      ]);
      if (fields === null) return wrong('');
      const { encounter = null, clientId = null, needPatientBanner = true, intent = null } = fields;
      if (encounter !== null && (typeof encounter !== 'string' || !FHIR_ID.test(encounter))) return wrong('encounter');
      if (clientId !== null && typeof clientId !== 'string') return wrong('clientId');
      if (typeof needPatientBanner !== 'boolean') return wrong('needPatientBanner');
      if (intent !== null && !isIntent(intent)) return wrong('intent');
      const context = parseFhirContext(fields['fhirContext'] ?? [], deps.isType);
      if (!context.ok) return wrong(context.fault);
      const fhirContext = context.value;
      if (clientId !== null && !isRegisteredId(clientId)) return fail(fault('client.not-found'));
      const client = clientId === null ? null : await store.read('auth.client', { tenant, id: clientId });
      if (client?.ok === false) return client;
      if (client?.value === null) return fail(fault('client.not-found'));
      const patient = await patientOf(act, fields);
      if (!patient.ok) return patient;
      if (encounter !== null) {
        const found = await patients.findEncounter(patient.value, encounter, act.requestId);
        if (!found.ok) return found;
        if (found.value === null) return fail(fault('launch.patient', { at: 'encounter' }));
      }
      const launch = newLaunchId();
      const expiresAt = new Date(clock.now().getTime() + LAUNCH_MS);
      const about = { patient: patient.value, encounter, needPatientBanner, intent, fhirContext };
      const payload: Launch = { clientId, ...about };
      const key = { tenant, kind: LAUNCH_KIND, id: launch };
      const put = { ...key, payload, grantId: null, uid: null, expiresAt, at: clock.now(), as: 'first' } as const;
      const done = await store.write('auth.put', put);
      if (!done.ok) return done;
      const launchUrl = client?.value.launchUrl ?? null;
      const opened = launchUrl === null ? null : new URL(launchUrl);
      opened?.searchParams.set('iss', deps.fhirBase);
      opened?.searchParams.set('launch', launch);
      return ok({ launch, iss: deps.fhirBase, expiresAt, url: opened?.href ?? null });
    },
    async grants(query) {
      const found = await grants.list(query);
      if (!found.ok) return found;
      return ok({ ...found.value, grants: found.value.grants.map(({ patient: _patient, ...rest }) => rest) });
    },
    endGrant: (act, id) => grants.end(id, null, auditOf(act, 'D', 'grant')),
    signingKeys: () => readKeyAges(deps),
    rotateKey: (act) => rotateSigningKey(deps, auditOf(act, 'U', 'id-token-key')),
  };
}
