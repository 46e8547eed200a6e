import type { Contract } from './contract/define-contract.ts';
import { CONTRACTS, type RouteId } from './contract/index.ts';

/** What a client must know of a route to ask it. */
export interface RouteLine {
  readonly method: Contract['method'];
  readonly path: string;
  readonly answers: 'json' | 'lines' | 'bytes' | 'events';
}
export type RouteTable = Readonly<Record<RouteId, RouteLine>>;

const lineOf = ({ method, path, answer }: Contract): RouteLine => ({
  method,
  path,
  answers: 'kind' in answer ? answer.kind : 'json',
});

/** The contracts without their schemas. */
export const ROUTE_TABLE = Object.fromEntries(
  Object.entries(CONTRACTS).map(([id, contract]) => [id, lineOf(contract)]),
) as RouteTable;
