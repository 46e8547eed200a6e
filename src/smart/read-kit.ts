import type { Pairs } from '../ehr/index.ts';
import type { Result, Route } from '../kernel/index.ts';
import type { FindPatients } from './find-patients.ts';
import type { Handle } from './front.ts';
import type { Judge } from './judge.ts';
import type { LinkedPatients } from './linked-patients.ts';
import type { ReadChart } from './read-chart.ts';
import type { RecordRead } from './record-read.ts';
import type { RewriteAddresses } from './rewrite-addresses.ts';
import type { RunRead } from './run-read.ts';
import type { RunSearch } from './run-search.ts';
import type { Served } from './served-types.ts';

/** What parts that serve apps beside the reads have of the read API: its guards, its decisions, its checks. */
export interface ReadKit {
  /** A route below `/fhir`, with everything that holds for a request with a token. */
  route(
    method: 'get' | 'post' | 'put' | 'patch' | 'delete',
    path: string,
    interaction: string,
    handle: Handle,
    offers?: 'json' | 'ndjson',
  ): Route;
  readonly record: RecordRead;
  readonly served: Served;
  readonly isOffered: (type: string) => boolean;
  readonly isSearchable: (type: string) => boolean;
  readonly links: LinkedPatients;
  readonly judge: Judge;
  readonly runRead: RunRead;
  readonly runSearch: RunSearch;
  readonly rewrite: RewriteAddresses;
  /** Whom a token may see that is not bound to a patient. */
  readonly reach: 'linked' | 'all';
  readonly mrnSystem: string;
  /** Of the rest, for work that nobody waits for: it gives way to reads of apps and to deliveries. */
  readonly background: { readonly chart: ReadChart; readonly patients: FindPatients };
  readonly patients: FindPatients;
  /** The conditions of a search of one type, as `_typeFilter` has them. */
  readonly parseFilter: (type: string, query: string) => Result<Pairs>;
  readonly ehrBase: string;
  readonly ownBase: string;
}
