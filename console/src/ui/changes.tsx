interface Change {
  readonly what: string;
  readonly from: string | null;
  readonly to: string | null;
}

/** More than these are shown when somebody wants to see them. */
const FEW = 3;

const List = ({ of }: { readonly of: readonly Change[] }) => (
  <ul className="changes">
    {of.map(({ what, from, to }) => (
      <li key={what}>
        <strong>{what}</strong> {from === null ? null : <del>{from}</del>} {to === null ? 'is gone' : <ins>{to}</ins>}
      </li>
    ))}
  </ul>
);

/** What differs from before, name by name. */
export function Changes({ of }: { readonly of: readonly Change[] }) {
  if (of.length === 0) return <span className="quiet">nothing</span>;
  if (of.length <= FEW) return <List of={of} />;
  return (
    <details>
      <summary>{of.length} things</summary>
      <List of={of} />
    </details>
  );
}
