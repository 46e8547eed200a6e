import { useId } from 'react';

/** One of several, each with its words; without `any` one is always chosen. */
export function Pick<V extends string>({
  label,
  value,
  of,
  any,
  onChange,
}: {
  readonly label: string;
  readonly value: V | undefined;
  readonly of: readonly (readonly [value: V, words: string])[];
  readonly any?: string;
  readonly onChange: (value: V | undefined) => void;
}) {
  const id = useId();
  return (
    <div>
      <label htmlFor={id}>{label}</label>
      <select
        id={id}
        value={value ?? ''}
        onChange={({ target }) => onChange(of.find(([one]) => one === target.value)?.[0])}
      >
        {any === undefined ? null : <option value="">{any}</option>}
        {of.map(([one, words]) => (
          <option key={one} value={one}>
            {words}
          </option>
        ))}
      </select>
    </div>
  );
}

/** Views of one screen; the address holds which is open. */
export function Views<V extends string>({
  label,
  value,
  of,
  onChange,
}: {
  readonly label: string;
  readonly value: V;
  readonly of: readonly (readonly [value: V, words: string])[];
  readonly onChange: (value: V) => void;
}) {
  return (
    <div className="tabs views" role="group" aria-label={label}>
      {of.map(([one, words]) => (
        <button key={one} type="button" aria-pressed={one === value} onClick={() => onChange(one)}>
          {words}
        </button>
      ))}
    </div>
  );
}

/** The chosen view of an address, or the first. */
export const viewOf = <V extends string>(
  given: string | undefined,
  of: readonly [readonly [V, string], ...(readonly [V, string])[]],
): V => of.find(([one]) => one === given)?.[0] ?? of[0][0];
