import { useId } from 'react';

/** How far something is, by length and in words; without `of`, that it goes on. */
export function Progress({
  label,
  done,
  of,
}: {
  readonly label: string;
  readonly done: number;
  readonly of?: number | undefined;
}) {
  const id = useId();
  return (
    <div className="progress">
      <label htmlFor={id}>{label}</label>
      <progress id={id} {...(of === undefined ? {} : { value: done, max: Math.max(of, 1) })} />
    </div>
  );
}
