import { setTimeout as pause } from 'node:timers/promises';
import { fail, fault, ok, type Budget, type Chance, type Clock, type Result, type Secret } from '../kernel/index.ts';
import { exchange, type Exchange, type SourceRequest } from './exchange.ts';
import { multipart, type LabUpload } from './multipart.ts';
import { openLine, SOURCE_LIMITS, type Line, type SourceLimits } from './open-line.ts';
import {
  readAllowed,
  readAuthorizer,
  readBinding,
  readLabReceipt,
  readProfileReceipt,
  readRule,
  type Authorizer,
  type Binding,
  type LabReceipt,
  type MonitoringRule,
  type ProfileReceipt,
} from './read-answers.ts';
import { decideRetry, type Repeat } from './retry.ts';
import { makeSpoolRoom } from './spool.ts';
import { toFault } from './to-fault.ts';

export interface SourceSettings {
  readonly url: string | null;
  readonly labUrl: string | null;
  readonly clientUuid: string | null;
  readonly secretKey: Secret | null;
  readonly password: Secret | null;
  readonly lab:
    | { readonly kind: 'none' }
    | { readonly kind: 'bearer'; readonly token: Secret }
    | { readonly kind: 'basic'; readonly username: string; readonly password: Secret };
}

export interface BindingRequest {
  readonly user: string;
  readonly clientName: string;
  readonly tycUrl: string | null;
  readonly supportUrl: string | null;
  readonly completeLogOut: boolean | null;
  /** 4 to 6 characters; goes to the service, and stays nowhere. */
  readonly salt: string;
}

/**
 * The health data service's API. A fault says what to do; `source.not-configured` that an address or a credential is
 * missing.
 */
export interface Source {
  /** Whether addresses and credentials are there to ask for a patient's access, or to send a laboratory document. */
  ready(part: 'access' | 'lab'): Result<null>;
  /** Whether the user has authorized a data source, and where to do so. */
  authorizer(user: string, dataSource: string, redirectUrl: string | null): Promise<Result<Authorizer>>;
  /** Disconnects the user from all data sources of this client. */
  revoke(user: string): Promise<Result<null>>;
  /**
   * Sent again where the service said that it failed. Not where its answer was lost: it may have the document, and
   * would take the second one for a duplicate, whose id no result ever names.
   */
  submitLab(user: string, upload: LabUpload): Promise<Result<LabReceipt>>;
  /** Not sent while the service has asked to wait. */
  requestProfile(user: string): Promise<Result<ProfileReceipt>>;
  /** Null user: the general rule. Null answer: none is stored. */
  readRule(user: string | null): Promise<Result<MonitoringRule | null>>;
  replaceRule(user: string | null, rule: unknown): Promise<Result<MonitoringRule>>;
  bind(request: BindingRequest): Promise<Result<Binding>>;
  close(): Promise<void>;
}

const WAITING_MAX = 10_000;
const basic = (name: string, word: string): string => `Basic ${Buffer.from(`${name}:${word}`).toString('base64')}`;
const part = (text: string): string => encodeURIComponent(text);
/** A segment of dots would change the path. Section 8 gives the length. */
const isUsable = (text: string): boolean =>
  text !== '.' && text !== '..' && text.isWellFormed() && /^.{1,50}$/su.test(text);

export function openSource(deps: {
  readonly settings: SourceSettings;
  readonly agent: string;
  /** Laboratory documents are held in it until the service has them. */
  readonly budget: Budget;
  readonly clock: Clock;
  readonly chance: Chance;
  readonly limits?: Partial<SourceLimits>;
}): Source {
  const { settings, clock, chance } = deps;
  const limits = { ...SOURCE_LIMITS, ...deps.limits };
  const line = settings.url === null ? null : openLine(settings.url, limits);
  const labLine = settings.labUrl === null ? null : openLine(settings.labUrl, limits);
  const room = makeSpoolRoom(limits.heldBytesMax, deps.budget);
  /** Until when the service wants no more profile requests of a user. */
  const waiting = new Map<string, number>();
  const missing = () => fail(fault('source.not-configured'));

  async function send(on: Line, request: SourceRequest, repeat: Repeat): Promise<Exchange> {
    for (let tries = 1; ; tries += 1) {
      const done = await exchange(on, request, deps.agent, clock);
      const waitMs = decideRetry(done, repeat, tries, (chance(1)[0] ?? 0) / 256);
      if (waitMs === null || request.upload?.mayRepeat() === false) return done;
      await pause(waitMs, undefined, { ref: false });
    }
  }

  function answered<T>(done: Exchange, wanted: number, read: (value: unknown) => T | null): Result<T> {
    if (done.kind !== 'answered' || done.status !== wanted) return fail(toFault(done));
    const value = read(done.value);
    return value === null ? fail(fault('source.unreadable')) : ok(value);
  }

  /** Sends, and reads an answer of the wanted status. */
  async function ask<T>(
    on: Line,
    request: SourceRequest,
    repeat: Repeat,
    wanted: number,
    read: (value: unknown) => T | null,
  ): Promise<Result<T>> {
    return answered(await send(on, request, repeat), wanted, read);
  }

  function credential(word: Secret | null): string | null {
    return settings.clientUuid === null || word === null ? null : basic(settings.clientUuid, word.reveal());
  }
  function labCredential(): string | null {
    const { lab } = settings;
    if (lab.kind === 'none') return null;
    return lab.kind === 'bearer' ? `Bearer ${lab.token.reveal()}` : basic(lab.username, lab.password.reveal());
  }

  function rulesPath(user: string | null): string {
    return `/api/v2/health_monitoring/rules${user === null ? '' : `?user_id=${part(user)}`}`;
  }

  return {
    ready(part) {
      const isReady =
        part === 'access'
          ? line !== null && credential(settings.secretKey) !== null
          : labLine !== null && labCredential() !== null && settings.clientUuid !== null;
      return isReady ? ok(null) : missing();
    },

    async authorizer(user, dataSource, redirectUrl) {
      const authorization = credential(settings.secretKey);
      if (line === null || authorization === null) return missing();
      if (!isUsable(user) || !isUsable(dataSource)) return fail(fault('source.rejected'));
      const query = redirectUrl === null ? '' : `?redirect_url=${part(redirectUrl)}`;
      const path = `/api/v1/user_id/${part(user)}/data_source/${part(dataSource)}/authorizer${query}`;
      const done = await send(line, { method: 'GET', path, authorization }, 'any');
      const isRefused = done.kind === 'answered' && done.status === 400;
      const allowed = isRefused ? readAllowed(done.value, user) : null;
      // Case is significant (section 4.1), and the names are known to the service alone.
      if (allowed !== null) return fail(fault('source.data-source', { at: 'data_source', problems: allowed }));
      return answered(done, 200, (value) => readAuthorizer(value, dataSource));
    },

    async revoke(user) {
      const authorization = credential(settings.secretKey);
      if (line === null || authorization === null) return missing();
      if (!isUsable(user)) return fail(fault('source.rejected'));
      const done = await send(
        line,
        { method: 'POST', path: `/api/v1/user_id/${part(user)}/data_sources/revoke_auth`, authorization },
        'any',
      );
      // The body of its answer is not published.
      return done.kind === 'answered' && done.status >= 200 && done.status < 300 ? ok(null) : fail(toFault(done));
    },

    submitLab(user, upload) {
      const authorization = labCredential();
      if (labLine === null || authorization === null || settings.clientUuid === null) return Promise.resolve(missing());
      if (!isUsable(user)) return Promise.resolve(fail(fault('source.rejected')));
      const form = multipart(upload, `chartgate-${Buffer.from(chance(24)).toString('hex')}`, room);
      const path = `/client_uuid/${part(settings.clientUuid)}/user_id/${part(user)}`;
      const request = { method: 'POST', path, authorization, upload: form } as const;
      return ask(labLine, request, 'refused', 200, readLabReceipt).finally(form.release);
    },

    async requestProfile(user) {
      const authorization = credential(settings.password);
      if (line === null || authorization === null) return missing();
      const nowMs = clock.now().getTime();
      const until = waiting.get(user) ?? 0;
      if (until > nowMs) return fail(fault('source.too-many', { retryAfterMs: until - nowMs }));
      waiting.delete(user);
      const body = JSON.stringify({ user_id: user });
      const done = await ask(
        line,
        { method: 'POST', path: '/api/v2/user_profile', authorization, body },
        'refused',
        202,
        readProfileReceipt,
      );
      if (!done.ok && done.fault.code === 'source.too-many' && done.fault.retryAfterMs !== undefined) {
        if (waiting.size >= WAITING_MAX) waiting.delete(waiting.keys().next().value ?? '');
        waiting.set(user, nowMs + done.fault.retryAfterMs);
      }
      return done;
    },

    async readRule(user) {
      const authorization = credential(settings.password);
      if (line === null || authorization === null) return missing();
      if (user !== null && !isUsable(user)) return fail(fault('source.rejected'));
      const done = await send(line, { method: 'GET', path: rulesPath(user), authorization }, 'any');
      if (done.kind === 'answered' && done.status === 404) return ok(null);
      if (done.kind !== 'answered' || done.status !== 200) return fail(toFault(done));
      const rule = readRule(done.value);
      return rule === null ? fail(fault('source.unreadable')) : ok(rule);
    },

    async replaceRule(user, rule) {
      const authorization = credential(settings.password);
      if (line === null || authorization === null) return missing();
      if (user !== null && !isUsable(user)) return fail(fault('source.rejected'));
      const request = { method: 'PUT', path: rulesPath(user), authorization, body: JSON.stringify(rule) } as const;
      const done = await send(line, request, 'any');
      // What a rule may say is known to the service alone.
      const isRefused = done.kind === 'answered' && (done.status === 400 || done.status === 422);
      return isRefused ? fail(fault('source.rule')) : answered(done, 200, readRule);
    },

    bind({ user, clientName, tycUrl, supportUrl, completeLogOut, salt }) {
      const authorization = credential(settings.secretKey);
      if (line === null || authorization === null) return Promise.resolve(missing());
      const metadata = {
        client_name: clientName,
        ...(tycUrl === null ? {} : { tyc_url: tycUrl }),
        ...(supportUrl === null ? {} : { support_url: supportUrl }),
        ...(completeLogOut === null ? {} : { complete_log_out: completeLogOut }),
      };
      const body = JSON.stringify({ user_id: user, metadata, salt });
      return ask(
        line,
        { method: 'POST', path: '/api/v1/extraction_app/binding/', authorization, body },
        'refused',
        200,
        readBinding,
      );
    },

    async close() {
      await Promise.all([line?.pool.destroy(), labLine?.pool.destroy()]);
    },
  };
}
