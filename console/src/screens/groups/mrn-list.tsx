import { useId } from 'react';

/** MRNs of a text, one a line, each once. */
export const mrnsOf = (form: HTMLFormElement, name: string): string[] => {
  const text = new FormData(form).get(name);
  if (typeof text !== 'string') return [];
  return [
    ...new Set(
      text
        .split(/\r\n|\n|\r/)
        .map((line) => line.trim())
        .filter((line) => line !== ''),
    ),
  ];
};

/** Typed or pasted, one a line. Nothing of it goes anywhere but into the request. */
export function MrnList({
  label,
  name,
  hint = 'One a line, as the EHR has them.',
}: {
  readonly label: string;
  readonly name: string;
  readonly hint?: string;
}) {
  const id = useId();
  return (
    <div>
      <label htmlFor={id}>{label}</label>
      <textarea id={id} name={name} rows={5} autoComplete="off" spellCheck={false} aria-describedby={`${id}-hint`} />
      <div id={`${id}-hint`} className="small quiet">
        {hint}
      </div>
    </div>
  );
}
