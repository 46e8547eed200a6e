import { useId } from 'react';

/** One of several, or any. */
export function Choice({
  label,
  value,
  of,
  onChange,
}: {
  readonly label: string;
  readonly value: string | undefined;
  readonly of: readonly string[];
  readonly onChange: (value: string | undefined) => void;
}) {
  const id = useId();
  return (
    <div>
      <label htmlFor={id}>{label}</label>
      <select
        id={id}
        value={value ?? ''}
        onChange={({ target }) => onChange(target.value === '' ? undefined : target.value)}
      >
        <option value="">any</option>
        {of.map((one) => (
          <option key={one}>{one}</option>
        ))}
      </select>
    </div>
  );
}
