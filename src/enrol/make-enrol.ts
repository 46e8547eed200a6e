import { fail, ok, type Chance, type Clock, type Result } from '../kernel/index.ts';
import type { Authorizer, Binding, BindingRequest, MonitoringRule, Source } from '../source/index.ts';
import type { Operate } from '../store/index.ts';
import type { Enrolment, EnrolReads, EnrolWrites, RequestKind } from './commands.ts';
import type { Enrolled } from './find-user.ts';
import { OVERDUE_MS } from './overdue.ts';
import type { LabFile } from './read-document.ts';

const REQUESTS_MAX = 200;

/** Digits only: a person reads them from one screen and types them on another. */
export function makeSalt(chance: Chance): string {
  return Array.from({ length: 6 }, () => {
    // 250 is the largest multiple of 10 in a byte: the rest would favour the low digits.
    for (;;) {
      const byte = chance(1)[0] ?? 0;
      if (byte < 250) return String(byte % 10);
    }
  }).join('');
}

/** The operations of the source for one patient, and what is remembered of them. */
export function makeEnrol(deps: {
  readonly tenant: string;
  readonly enrolment: Operate<EnrolWrites, EnrolReads>;
  readonly source: Source;
  readonly clock: Clock;
  readonly chance: Chance;
  /** Called when access is revoked, and when it is given again. */
  readonly onRevoked: () => Promise<void>;
}) {
  const { tenant, enrolment, source, clock } = deps;

  /** What the service itself said of a connection just now. */
  async function note(of: Enrolled, dataSource: string, state: 'asked' | 'connected' | 'ended'): Promise<Result<null>> {
    const news = { dataSource, state, failure: null };
    const at = clock.now();
    const done = await enrolment.write('enrol.news', { tenant, user: of, at, heardAt: at, news });
    if (state === 'connected') await deps.onRevoked();
    return done;
  }

  const show = (of: Enrolled): Promise<Result<Enrolment>> =>
    enrolment.read('enrol.show', { tenant, user: of, limit: REQUESTS_MAX });

  async function request(of: Enrolled, mrn: string, id: string, kind: RequestKind): Promise<Result<string>> {
    const kept = await enrolment.write('enrol.request', { tenant, user: of, at: clock.now(), id, kind, mrn });
    return kept.ok ? ok(id) : kept;
  }

  return {
    /** Asked before a patient gets a source user for it. */
    ready: source.ready,
    async connect(of: Enrolled, dataSource: string, redirectUrl: string | null): Promise<Result<Authorizer>> {
      const said = await source.authorizer(of.user, dataSource, redirectUrl);
      if (!said.ok) return said;
      const noted = await note(of, dataSource, said.value.authorized ? 'connected' : 'asked');
      return noted.ok ? said : noted;
    },
    async look(of: Enrolled, dataSource: string): Promise<Result<Authorizer>> {
      const said = await source.authorizer(of.user, dataSource, null);
      if (!said.ok) return said;
      const shown = await show(of);
      if (!shown.ok) return shown;
      const known = shown.value.connections.find((one) => one.dataSource === dataSource)?.state;
      // A notification may have been lost, or be none of what the client has activated.
      const state = said.value.authorized ? 'connected' : known === 'connected' ? 'ended' : null;
      if (state === null || state === known) return said;
      const noted = await note(of, dataSource, state);
      return noted.ok ? said : noted;
    },
    /** Remembered only once the service has said yes: until then the patient is not disconnected. */
    async revoke(of: Enrolled): Promise<Result<null>> {
      const done = await source.revoke(of.user);
      if (!done.ok) return done;
      const kept = await enrolment.write('enrol.revoke', { tenant, user: of, at: clock.now() });
      await deps.onRevoked();
      return kept;
    },
    bind: (of: Enrolled, given: Omit<BindingRequest, 'user'>): Promise<Result<Binding>> =>
      source.bind({ ...given, user: of.user }),
    newSalt: (): string => makeSalt(deps.chance),
    async submitLab(of: Enrolled, mrn: string, file: LabFile, timezone: string): Promise<Result<string>> {
      const sent = await source.submitLab(of.user, { file: file.content, kind: file.kind, timezone });
      // A fault of the file, which ended the upload, says more than that the upload ended.
      if (!sent.ok) return fail(file.fault() ?? sent.fault);
      return request(of, mrn, sent.value.documentId, 'lab');
    },
    async requestProfile(of: Enrolled, mrn: string): Promise<Result<string>> {
      const sent = await source.requestProfile(of.user);
      return sent.ok ? request(of, mrn, sent.value.requestId, 'profile') : sent;
    },
    readRule: (of: Enrolled | null): Promise<Result<MonitoringRule | null>> => source.readRule(of?.user ?? null),
    replaceRule: (of: Enrolled | null, rule: unknown): Promise<Result<MonitoringRule>> =>
      source.replaceRule(of?.user ?? null, rule),
    show,
    overdue: () =>
      enrolment.read('enrol.overdue', { tenant, before: clock.now().getTime() - OVERDUE_MS, limit: REQUESTS_MAX }),
  };
}
export type Enrol = ReturnType<typeof makeEnrol>;
