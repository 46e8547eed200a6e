import { fail, fault, ok, type Clock, type NewId, type Result } from '../../kernel/index.ts';
import { isFaultCode } from '../../judge/index.ts';
import type { IdentityReads, IdentityWrites } from '../../identity/index.ts';
import {
  DELIVERIES_MAX,
  type BulkJob,
  type Choice,
  type JobReads,
  type JobWrites,
  type Whose,
} from '../../jobs/index.ts';
import type { Operate } from '../../store/index.ts';
import type { ContractOf } from '../contract/index.ts';
import type { InputOf } from '../contract/define-contract.ts';
import { beforeOf, iso, pageOf } from '../cursor.ts';
import { defineRoute, type AdminContext, type AdminRoute } from '../define-route.ts';
import type { Patient } from '../record-act.ts';
import { deliveryIdOf, maySeePatients } from './show-delivery.ts';

type Proposal = InputOf<ContractOf<'jobs.preview'>>['body'];
type Filter = Proposal['filter'];

const msOf = (instant: string | undefined): number | null => (instant === undefined ? null : Date.parse(instant));

const choiceOf = (filter: Filter): Choice => ({
  state: filter.state,
  reason: filter.reason ?? null,
  faultCode: filter.fault ?? null,
  dataStructure: filter.data_structure ?? null,
  word: filter.word ?? null,
  ofOne: filter.mrn !== undefined ? 'patient' : filter.user_id !== undefined ? 'user' : null,
  receivedFrom: msOf(filter.received_from),
  receivedTo: msOf(filter.received_to),
});

const filterOf = (choice: Choice) => ({
  state: choice.state,
  ...(choice.reason === null ? {} : { reason: choice.reason }),
  ...(choice.faultCode === null ? {} : { fault: choice.faultCode }),
  ...(choice.dataStructure === null ? {} : { data_structure: choice.dataStructure }),
  ...(choice.word === null ? {} : { word: choice.word }),
  ...(choice.ofOne === null ? {} : { of_one: choice.ofOne }),
  ...(choice.receivedFrom === null ? {} : { received_from: iso(choice.receivedFrom) }),
  ...(choice.receivedTo === null ? {} : { received_to: iso(choice.receivedTo) }),
});

const shown = ({ id, act, choice, why, state, total, moved, skipped, patients, ...job }: BulkJob) => ({
  id,
  act,
  filter: filterOf(choice),
  reason: why,
  state,
  total,
  done: moved + skipped,
  skipped,
  patients,
  startedBy: job.actor,
  requestId: job.requestId,
  startedAt: iso(job.startedAt),
  endedAt: job.endedAt === null ? null : iso(job.endedAt),
});

/** Whose deliveries a choice is about, and who is looked at by it. */
interface About {
  readonly whose: Whose;
  readonly patients: readonly Patient[];
}

/** What an operator does to many deliveries at once. */
export function makeJobRoutes(deps: {
  readonly tenant: string;
  readonly clientUuid: string | null;
  readonly mrnSystem: string;
  readonly jobs: Operate<JobWrites, JobReads>;
  readonly identity: Operate<IdentityWrites, IdentityReads>;
  readonly newId: NewId;
  readonly clock: Clock;
  /** Told that there is a job to carry out. */
  readonly onStart: () => void;
}): AdminRoute[] {
  const { tenant, jobs, identity, mrnSystem } = deps;
  const who = ({ actor }: AdminContext) => ({ tenant, at: deps.clock.now(), ...actor });

  async function ofPatient(mrn: string): Promise<Result<About>> {
    const users = await identity.read('identity.users-of', { tenant, patient: { mrnSystem, mrn } });
    return users.ok ? ok({ whose: users.value, patients: [{ system: mrnSystem, mrn }] }) : users;
  }

  async function ofUser(user: string, client: string): Promise<Result<About>> {
    const whose = { client, user };
    const links = await identity.read('identity.list', {
      tenant,
      status: 'confirmed',
      user: whose,
      patient: null,
      before: null,
      limit: 1,
    });
    return links.ok ? ok({ whose, patients: links.value.map(({ mrn }) => ({ system: mrnSystem, mrn })) }) : links;
  }

  /** Of whom the deliveries are to be: of one user, of one patient, or of anybody. */
  function aboutOf({ mrn, user_id: user, client_uuid: given }: Filter): Result<About> | Promise<Result<About>> {
    const client = given ?? deps.clientUuid;
    const isClear = user === undefined ? given === undefined : mrn === undefined && client !== null;
    if (!isClear) return fail(fault('admin.parameter', { at: 'filter' }));
    if (user !== undefined) return ofUser(user, client ?? '');
    return mrn === undefined ? ok({ whose: null, patients: [] }) : ofPatient(mrn);
  }

  async function propose(
    context: AdminContext,
    { act, filter, reason }: Proposal,
  ): Promise<Result<{ id: string | null; count: number; isExact: boolean; patients: number; ofNobody: number }>> {
    const choice = choiceOf(filter);
    const about = await aboutOf(filter);
    if (!about.ok) return about;
    const chosen = await jobs.read('jobs.choose', { tenant, choice, whose: about.value.whose });
    if (!chosen.ok) return chosen;
    const { deliveries, patients, ofNobody } = chosen.value;
    const count = deliveries.length;
    const recorded = await context.record({ action: 'R', outcome: '0', count, patients: about.value.patients });
    if (!recorded.ok) return recorded;
    const isExact = count <= DELIVERIES_MAX;
    const counted = { count: Math.min(count, DELIVERIES_MAX), isExact, patients, ofNobody };
    if (!isExact || count === 0) return ok({ id: null, ...counted });
    const id = deps.newId('job');
    const stored = await jobs.write('jobs.propose', {
      ...who(context),
      id,
      act,
      choice,
      why: reason ?? null,
      deliveries,
      patients,
    });
    return stored.ok ? ok({ id, ...counted }) : stored;
  }

  return [
    defineRoute('jobs.preview', async ({ body }, context) => {
      const { fault: code, mrn } = body.filter;
      if (mrn !== undefined && !maySeePatients(context.caller))
        return fail(fault('admin.forbidden', { at: 'patients.read' }));
      if (code !== undefined && !isFaultCode(code)) return fail(fault('admin.parameter', { at: 'filter' }));
      const proposed = await propose(context, body);
      if (!proposed.ok) return proposed;
      const { id, count, isExact, patients, ofNobody } = proposed.value;
      return ok({ id, act: body.act, deliveries: { count, isExact }, patients, ofNobody });
    }),

    defineRoute('jobs.start', async ({ body: { preview, confirm } }, context) => {
      const started = await jobs.write('jobs.start', { ...who(context), id: preview, confirm });
      if (!started.ok) return started;
      switch (started.value.kind) {
        case 'started':
          deps.onStart();
          return ok(shown(started.value.job));
        case 'unconfirmed':
          return fail(fault('job.unconfirmed', { count: started.value.count }));
        case 'not-found':
          return fail(fault('job.not-found'));
        case 'too-many':
          return fail(fault('job.too-many'));
      }
    }),

    defineRoute('jobs.list', async ({ query }) => {
      const before = beforeOf('j', query.cursor);
      if (!before.ok) return before;
      const found = await jobs.read('jobs.list', { tenant, before: before.value, limit: query.limit + 1 });
      if (!found.ok) return found;
      const { rows, next } = pageOf('j', found.value, query.limit);
      return ok({ jobs: rows.map(shown), next });
    }),

    defineRoute('jobs.get', async ({ params }) => {
      const found = await jobs.read('jobs.get', { tenant, id: deliveryIdOf(params.id) });
      if (!found.ok) return found;
      return found.value === null ? fail(fault('job.not-found')) : ok(shown(found.value));
    }),

    defineRoute('jobs.stop', async ({ params }, context) => {
      const stopped = await jobs.write('jobs.stop', { ...who(context), id: deliveryIdOf(params.id) });
      if (!stopped.ok) return stopped;
      if (typeof stopped.value !== 'string') return ok(shown(stopped.value));
      return fail(fault(stopped.value === 'not-found' ? 'job.not-found' : 'job.state'));
    }),
  ];
}
