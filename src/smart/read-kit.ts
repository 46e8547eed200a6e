import type { Route } from '../kernel/index.ts';
import type { Handle } from './front.ts';
import type { Judge } from './judge.ts';
import type { LinkedPatients } from './linked-patients.ts';
import type { RecordRead } from './record-read.ts';
import type { RewriteAddresses } from './rewrite-addresses.ts';
import type { RunRead } from './run-read.ts';
import type { RunSearch } from './run-search.ts';
import type { Served } from './served-types.ts';

/** What parts that serve apps beside the reads have of the read API: its guards, its decisions, its checks. */
export interface ReadKit {
  /** A route below `/fhir`, with everything that holds for a request with a token. */
  route(method: 'get' | 'post' | 'put' | 'delete', path: string, interaction: string, handle: Handle): Route;
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
  readonly patients: 'linked' | 'all';
  readonly mrnSystem: string;
  readonly ehrBase: string;
  readonly ownBase: string;
}
