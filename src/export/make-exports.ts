import type { AskStanding } from '../auth/index.ts';
import type { EnrolReads, EnrolWrites } from '../enrol/index.ts';
import type { IdentityReads, IdentityWrites } from '../identity/index.ts';
import type { Clock, Log, NewId, Route } from '../kernel/index.ts';
import type { ReadKit } from '../smart/index.ts';
import type { Operate } from '../store/index.ts';
import { makeAnswerExports } from './answer-exports.ts';
import { makeAnswerGroups } from './answer-groups.ts';
import type { ExportReads, ExportWrites } from './commands.ts';
import { makePatientGroups, type PatientGroups } from './groups.ts';
import { runExports, type RunExports } from './run-exports.ts';

export interface Exports {
  readonly routes: readonly Route[];
  readonly groups: PatientGroups;
  readonly runner: RunExports;
}

/** Bulk exports: their routes below `/fhir`, and what carries them out. */
export function makeExports(
  deps: {
    readonly tenant: string;
    readonly instance: string;
    readonly mrnSystem: string;
    readonly exports: Operate<ExportWrites, ExportReads>;
    readonly identity: Operate<IdentityWrites, IdentityReads>;
    readonly enrolment: Operate<EnrolWrites, EnrolReads>;
    readonly askStanding: AskStanding;
    readonly isPaused: () => Promise<boolean>;
    readonly underWayMax: number;
    readonly keepMs: number;
    readonly ehrRequests: number;
    readonly newId: NewId;
    readonly clock: Clock;
    readonly log: Log;
  },
  kit: ReadKit,
): Exports {
  const groups = makePatientGroups(deps);
  const { chart, patients } = kit.background;
  const runner = runExports({
    ...deps,
    groups,
    chart,
    patients,
    parseFilter: kit.parseFilter,
    // While one patient is stored, the next is read.
    concurrency: deps.ehrRequests * 2,
  });
  const onChange = (): void => {
    runner.wake();
    runner.tidy();
  };
  const answer = makeAnswerExports({ ...deps, groups, onChange }, kit);
  const group = makeAnswerGroups({ ...deps, groups }, kit);
  const { route } = kit;
  return {
    groups,
    runner,
    routes: [
      route('get', '/fhir/$export', 'operation', answer.kickOff('system', 'GET')),
      route('post', '/fhir/$export', 'operation', answer.kickOff('system', 'POST')),
      route('get', '/fhir/Patient/$export', 'operation', answer.kickOff('patient', 'GET')),
      route('post', '/fhir/Patient/$export', 'operation', answer.kickOff('patient', 'POST')),
      route('get', '/fhir/Group/:id/$export', 'operation', answer.kickOff('group', 'GET')),
      route('post', '/fhir/Group/:id/$export', 'operation', answer.kickOff('group', 'POST')),
      route('get', '/fhir/$export/:id', 'operation', answer.status),
      route('delete', '/fhir/$export/:id', 'operation', answer.remove),
      route('get', '/fhir/$export/:id/:file', 'operation', answer.download, 'ndjson'),
      route('get', '/fhir/Group', 'search-type', group.search),
      route('get', '/fhir/Group/:id', 'read', group.read),
    ],
  };
}
