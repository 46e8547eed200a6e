import { BroadcastIcon, SyncIcon } from '@primer/octicons-react';
import { useStream } from '../api/use-stream.ts';
import { durationOf } from './time.tsx';
import { useNow } from './use-now.ts';

/** Whether what is shown is of now. */
export function Live() {
  const { kind } = useStream();
  return (
    <span className={`state ${kind === 'live' ? 'good' : 'warn'}`}>
      {kind === 'live' ? <BroadcastIcon size={12} aria-hidden /> : <SyncIcon size={12} aria-hidden />}
      {kind === 'live' ? 'live' : kind === 'cut' ? 'cut' : 'connecting'}
    </span>
  );
}

function Age({ since }: { readonly since: number }) {
  const now = useNow();
  return <>What is shown is {durationOf(Math.max(1_000, now - since))} old. </>;
}

/** Says that the stream was cut and how old everything is, until it is back. */
export function CutBanner() {
  const { kind, heardAt, flow } = useStream();
  if (kind === 'opening' && flow === null) return <p role="status">One moment …</p>;
  if (kind !== 'cut') return null;
  return (
    <div className="note bad">
      <p role="alert">The gateway is not heard. This page asks again by itself.</p>
      {heardAt === null ? null : (
        <p>
          <Age since={heardAt} />
        </p>
      )}
    </div>
  );
}
