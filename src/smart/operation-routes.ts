import type { Capability } from '../ehr/index.ts';
import type { Route } from '../kernel/index.ts';
import { makeAnswerDocref } from './answer-docref.ts';
import { makeAnswerLastn } from './answer-lastn.ts';
import type { SearchRules } from './parse-search.ts';
import type { ReadKit } from './read-kit.ts';
import type { RecordRead } from './record-read.ts';
import type { RewriteAddresses } from './rewrite-addresses.ts';
import type { RunSearch } from './run-search.ts';

export interface OperationDeps {
  readonly rules: SearchRules;
  readonly capability: () => Capability | null;
  readonly runSearch: RunSearch;
  readonly record: RecordRead;
  readonly rewrite: RewriteAddresses;
}

/** The operations that find records of a patient: each is decided, checked and recorded as a search of its type. */
export function makeOperationRoutes(deps: OperationDeps): (route: ReadKit['route']) => readonly Route[] {
  const lastn = makeAnswerLastn(deps);
  const docref = makeAnswerDocref(deps);
  return (route) => [
    route('get', '/fhir/Observation/$lastn', 'operation', lastn),
    route('post', '/fhir/Observation/$lastn', 'operation', lastn),
    route('get', '/fhir/DocumentReference/$docref', 'operation', docref),
    route('post', '/fhir/DocumentReference/$docref', 'operation', docref),
  ];
}
