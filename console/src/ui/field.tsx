import { useId, type InputHTMLAttributes } from 'react';

/** A line to type into, under its label. */
export function Field({
  label,
  hint,
  ...input
}: { readonly label: string; readonly hint?: string } & InputHTMLAttributes<HTMLInputElement>) {
  const id = useId();
  return (
    <div>
      <label htmlFor={id}>{label}</label>
      <input id={id} autoComplete="off" aria-describedby={hint === undefined ? undefined : `${id}-hint`} {...input} />
      {hint === undefined ? null : (
        <div id={`${id}-hint`} className="small quiet">
          {hint}
        </div>
      )}
    </div>
  );
}

/** What a form holds under these names, without spaces around. */
export const textsOf = <N extends string>(form: HTMLFormElement, ...names: readonly N[]): Record<N, string> => {
  const given = new FormData(form);
  const textOf = (name: N): string => {
    const value = given.get(name);
    return typeof value === 'string' ? value.trim() : '';
  };
  return Object.fromEntries(names.map((name) => [name, textOf(name)])) as Record<N, string>;
};
