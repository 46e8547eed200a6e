/** Some of a list, each with what it means. */
export function Boxes({
  legend,
  name,
  of,
  chosen = [],
}: {
  readonly legend: string;
  readonly name: string;
  readonly of: readonly (readonly [value: string, words: string, meaning: string])[];
  readonly chosen?: readonly string[];
}) {
  return (
    <fieldset className="boxes">
      <legend>{legend}</legend>
      {of.map(([value, words, meaning]) => (
        <label key={value}>
          <input type="checkbox" name={name} value={value} defaultChecked={chosen.includes(value)} />
          <span>
            <strong>{words}</strong>
            <span className="small quiet"> {meaning}</span>
          </span>
        </label>
      ))}
    </fieldset>
  );
}

/** Those of a form that are ticked under this name and stand in the list. */
export const tickedOf = <V extends string>(
  form: HTMLFormElement,
  name: string,
  of: readonly (readonly [V, ...unknown[]])[],
): V[] => {
  const given = new FormData(form).getAll(name);
  return of.map(([value]) => value).filter((value) => given.includes(value));
};
