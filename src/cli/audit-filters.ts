import type { CallOf, ContractOf } from '../admin/index.ts';

const FILTERS = [
  'patient',
  'actor',
  'client',
  'delivery',
  'request',
  'type',
  'outcome',
  'from',
  'to',
  'limit',
] as const;

/** The options of a command, by name. */
export type Given = Readonly<Record<string, string | boolean | undefined>>;

type Query = NonNullable<CallOf<ContractOf<'audit.search'>>['query']>;
/** What is not taken, the gateway refuses with what would be. */
export const queryOf = (given: Given): Query =>
  Object.fromEntries(FILTERS.flatMap((name) => (typeof given[name] === 'string' ? [[name, given[name]]] : [])));
export const urlOf = ({ url }: Given): string | undefined => (typeof url === 'string' ? url : undefined);
