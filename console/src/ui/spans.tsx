const SPANS = ['hour', 'day', 'month'] as const;
export type Span = (typeof SPANS)[number];
export const isSpan = (value: string | undefined): value is Span => SPANS.some((one) => one === value);
/** The usual one does not stand in the address. */
export const spanOf = (span: Span, usual: Span): Span | undefined => (span === usual ? undefined : span);

/** How far back a series goes. */
export const Spans = ({ value, onChange }: { readonly value: Span; readonly onChange: (to: Span) => void }) => (
  <div className="tabs" role="group" aria-label="Span">
    {SPANS.map((one) => (
      <button type="button" key={one} aria-pressed={value === one} onClick={() => onChange(one)}>
        {one}
      </button>
    ))}
  </div>
);
