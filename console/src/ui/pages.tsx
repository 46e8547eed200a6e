/** Further pages of a list that has a cursor. */
export function Pages({
  cursor,
  next,
  onGo,
}: {
  readonly cursor: string | undefined;
  readonly next: string | null;
  readonly onGo: (cursor: string | undefined) => void;
}) {
  return (
    <p className="row">
      {cursor === undefined ? null : (
        <button type="button" className="plain" onClick={() => onGo(undefined)}>
          First page
        </button>
      )}
      {next === null ? (
        <span className="quiet small">That is all.</span>
      ) : (
        <button type="button" className="plain" onClick={() => onGo(next)}>
          Next page
        </button>
      )}
    </p>
  );
}
