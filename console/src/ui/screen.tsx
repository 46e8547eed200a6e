import { useEffect, type ReactNode } from 'react';
import { askReasonAnew } from '../api/ask.ts';
import type { Asked } from '../api/use-ask.ts';
import { durationOf } from './time.tsx';

/** A screen with its title; the title never names a patient. */
export function Screen({
  title,
  actions,
  children,
}: {
  readonly title: string;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}) {
  useEffect(() => {
    document.title = `${title} · Chartgate`;
    document.getElementById('title')?.focus({ preventScroll: true });
  }, [title]);
  return (
    <>
      <div className="between">
        <h1 id="title" tabIndex={-1}>
          {title}
        </h1>
        {actions}
      </div>
      {children}
    </>
  );
}

/** What was asked for: loading, refused with what to do, old, or there. */
export function Shown<T>({ of, children }: { readonly of: Asked<T>; readonly children: (value: T) => ReactNode }) {
  const { value, refusal, at, again } = of;
  return (
    <>
      {refusal === null ? null : (
        <div className="note bad" role="alert">
          <p>
            {refusal.message}
            {refusal.code === null ? '' : ` (${refusal.code})`}
          </p>
          {value !== null && at !== null ? <p>What is shown is {durationOf(Date.now() - at)} old.</p> : null}
          <button
            type="button"
            className="plain"
            onClick={() => {
              if (refusal.code === 'admin.reason-needed') askReasonAnew();
              again();
            }}
          >
            {refusal.code === 'admin.reason-needed' ? 'Say why' : 'Ask again'}
          </button>
        </div>
      )}
      {value === null ? refusal === null ? <p role="status">One moment …</p> : null : children(value)}
    </>
  );
}
