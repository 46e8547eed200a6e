import type { Capability } from '../ehr/index.ts';
import type { IdentityReads, IdentityWrites } from '../identity/index.ts';
import type { Clock } from '../kernel/index.ts';
import type { Persons } from '../persons/index.ts';
import type { Operate } from '../store/index.ts';
import type { EhrReader } from './ask-ehr.ts';
import { makeFindProvenances, type FindProvenances } from './find-provenances.ts';
import { makeFindNamed, type FindNamed } from './find-shared.ts';
import { makeJudge, type Judge } from './judge.ts';
import { makeListLinked } from './list-linked.ts';
import { keepLinkedPatients, type LinkedPatients } from './linked-patients.ts';
import type { makePassPages } from './pass-page.ts';
import type { RecordLeftOut } from './record-left-out.ts';
import { makeRunSearch, type RunSearch, type RunSearchToPrint } from './run-search.ts';
import type { Served } from './served-types.ts';

/** Everything that is looked up through one reader, and checked. */
export interface CheckedReader {
  readonly reader: EhrReader;
  readonly links: LinkedPatients;
  readonly judge: Judge;
  readonly runSearch: RunSearch;
  readonly runToPrint: RunSearchToPrint;
  readonly provenances: FindProvenances;
  readonly findNamed: FindNamed;
}

export function makeCheckedReader(deps: {
  readonly reader: EhrReader;
  readonly patients: 'linked' | 'all';
  readonly persons: Persons;
  readonly tenant: string;
  readonly mrnSystem: string;
  readonly served: Served;
  readonly ehrBase: string;
  readonly identity: Operate<IdentityWrites, IdentityReads>;
  readonly isSearchable: (type: string) => boolean;
  readonly capability: () => Capability | null;
  readonly noteUnmet: (type: string, param: string, times: number) => void;
  readonly recordLeftOut: RecordLeftOut;
  readonly passPages: ReturnType<typeof makePassPages>;
  readonly clock: Clock;
}): CheckedReader {
  const { reader } = deps;
  const links = keepLinkedPatients({ ...deps, mode: deps.patients });
  const judge = makeJudge({ ...deps, links });
  const { run: runSearch, runToPrint } = makeRunSearch({
    ...deps,
    links,
    judge,
    listLinked: makeListLinked({ ...deps, mode: deps.patients }),
  });
  const provenances = makeFindProvenances({ ...deps, runSearch });
  return { reader, links, judge, runSearch, runToPrint, provenances, findNamed: makeFindNamed(deps) };
}
