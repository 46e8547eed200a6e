/** What a dialog does, and the way out of it. */
export function DialogButtons({
  does,
  isBusy,
  isDanger = false,
  closes = 'Leave it',
  onClose,
}: {
  readonly does: string;
  readonly isBusy: boolean;
  readonly isDanger?: boolean;
  readonly closes?: string;
  readonly onClose: () => void;
}) {
  return (
    <div className="row">
      <button type="submit" className={isDanger ? 'danger' : undefined} disabled={isBusy}>
        {does}
      </button>
      <button type="button" className="plain" onClick={onClose}>
        {closes}
      </button>
    </div>
  );
}
