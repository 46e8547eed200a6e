import { Link } from 'wouter';
import type { ValueOf } from '../../api/ask.ts';
import { useAsk } from '../../api/use-ask.ts';
import { CopyAs } from '../../ui/copy-as.tsx';
import { Shown } from '../../ui/screen.tsx';
import { Sides } from '../../ui/sides.tsx';
import { Time } from '../../ui/time.tsx';
import { countOf } from '../../words/parts.ts';

type Found = ValueOf<'deliveries.changes'>;
type Change = Found['changes'][number];
const KINDS = [
  ['changed', 'Changed', '~'],
  ['added', 'Added', '+'],
  ['withdrawn', 'Withdrawn', '−'],
] as const;

const captionOf = ({ resourceType, what, chartDay }: Change): string =>
  [what ?? resourceType, chartDay].filter((one) => one !== null).join(', ');

function Kind({ of, title, sign }: { readonly of: readonly Change[]; readonly title: string; readonly sign: string }) {
  if (of.length === 0) return null;
  return (
    <>
      <h3>
        <span aria-hidden>{sign} </span>
        {title}: {of.length.toLocaleString()}
      </h3>
      {of.map((change, i) => (
        <Sides
          key={i}
          caption={captionOf(change)}
          left={change.before}
          right={change.after}
          names={['Version before', 'This version']}
        />
      ))}
    </>
  );
}

function Difference({ of: { before, changes, unchanged } }: { readonly of: Found }) {
  if (before === null) return <p>There is no version before: this is the first of its document.</p>;
  return (
    <>
      <p>
        Since <Link to={`/deliveries/${before.id}`}>version {before.documentVersion.toLocaleString()}</Link>, received{' '}
        <Time at={before.receivedAt} />: {countOf(changes.length, 'difference', 'differences')},{' '}
        {countOf(unchanged, 'resource says', 'resources say')} the same.
      </p>
      {KINDS.map(([kind, title, sign]) => (
        <Kind key={kind} of={changes.filter((one) => one.kind === kind)} title={title} sign={sign} />
      ))}
    </>
  );
}

/** What this version of the document says otherwise than the one before. */
export function Changes({ id }: { readonly id: string }) {
  const found = useAsk('deliveries.changes', { params: { id } });
  return (
    <section className="card" aria-labelledby="changes">
      <div className="between">
        <h2 id="changes">Since the version before</h2>
        <CopyAs id="deliveries.changes" call={{ params: { id } }} command={`deliveries changes ${id}`} />
      </div>
      <Shown of={found}>{(value) => <Difference of={value} />}</Shown>
    </section>
  );
}
