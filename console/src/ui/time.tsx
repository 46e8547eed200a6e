const shown = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });
const UNITS = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1_000],
] as const;

/** In the viewer's zone, with UTC on hover. */
export function Time({ at }: { readonly at: string | null | undefined }) {
  if (at === null || at === undefined) return <span className="quiet">never</span>;
  return (
    <time dateTime={at} title={new Date(at).toISOString()}>
      {shown.format(new Date(at))}
    </time>
  );
}

/** `3 minutes`, in the largest unit that fits. */
export function durationOf(ms: number): string {
  const [unit, size] = UNITS.find(([, one]) => ms >= one) ?? ['millisecond', 1];
  const count = Math.floor(ms / size);
  return `${count} ${unit}${count === 1 ? '' : 's'}`;
}
