import { Link } from 'wouter';
import { useAsk } from '../api/use-ask.ts';
import { Pick } from './pick.tsx';

export interface AppNames {
  /** As it is registered; its id where it is not any more. */
  readonly nameOf: (id: string) => string;
  readonly all: readonly (readonly [id: string, name: string])[];
}

/** Which apps there are, for lists of what belongs to them. */
export function useAppNames(): AppNames {
  const apps = useAsk('apps.list');
  const all = (apps.value?.clients ?? []).map(({ id, name }) => [id, name] as const);
  return { all, nameOf: (id) => all.find(([one]) => one === id)?.[1] ?? id };
}

/** An app that leads to its screen. */
export const AppLink = ({ id, names }: { readonly id: string; readonly names: AppNames }) => (
  <Link to={`/apps/${encodeURIComponent(id)}`}>{names.nameOf(id)}</Link>
);

/** A filter by app; one that is not registered any more is offered where the address names it. */
export function AppPick({
  value,
  names: { all },
  onChange,
}: {
  readonly value: string | undefined;
  readonly names: AppNames;
  readonly onChange: (id: string | undefined) => void;
}) {
  const isKnown = value === undefined || all.some(([id]) => id === value);
  return <Pick label="App" value={value} of={isKnown ? all : [...all, [value, value]]} any="any" onChange={onChange} />;
}
