import { CheckCircleIcon, XCircleIcon } from '@primer/octicons-react';
import { useState } from 'react';
import { ask, type Refusal, type ValueOf } from '../../api/ask.ts';
import { useAsk } from '../../api/use-ask.ts';
import { CopyAs } from '../../ui/copy-as.tsx';
import { Shown } from '../../ui/screen.tsx';
import { Time } from '../../ui/time.tsx';
import { flawWords } from '../../words/audit.ts';

type Verdict = ValueOf<'audit.verify'>;

const ANCHOR: Readonly<Record<Verdict['anchor'], string>> = {
  none: 'No copy of the checkpoints is kept elsewhere: an older copy of the whole database would look sound.',
  read: 'The checkpoints that are kept elsewhere are all here.',
  unreadable: 'The checkpoints that are kept elsewhere could not be read. Look at the anchor.',
};

function VerdictCard({ of: v }: { readonly of: Verdict }) {
  const Shape = v.sound ? CheckCircleIcon : XCircleIcon;
  const where = [
    ['chain', v.flaw?.chain ?? null] as const,
    ['record', v.flaw?.seq ?? null] as const,
    ['checkpoint', v.flaw?.checkpoint ?? null] as const,
  ]
    .filter(([, at]) => at !== null)
    .map(([name, at]) => `${name} ${at}`)
    .join(', ');
  return (
    <div className={v.sound ? 'note good' : 'note bad'} role={v.sound ? 'status' : 'alert'}>
      <h3>
        <Shape size={20} aria-hidden />{' '}
        {v.sound ? 'Nothing was changed, removed or put between' : 'The log is not as it was written'}
      </h3>
      {v.sound ? null : (
        <p>
          What is wrong: {flawWords(v.flaw?.what ?? 'unknown')}
          {where === '' ? '' : ` (${where})`}. Keep the database as it is, and read docs/audit.md.
        </p>
      )}
      <p>
        {v.records.toLocaleString()} records in {v.chains} {v.chains === 1 ? 'chain' : 'chains'};{' '}
        {v.proven.toLocaleString()} of them under {v.checkpoints.toLocaleString()} signed checkpoints, the last of{' '}
        <Time at={v.lastCheckpointAt} />. {ANCHOR[v.anchor]}
      </p>
    </div>
  );
}

/** How far it is, as the gateway tells it; without a number where another process carries it out. */
function Progress() {
  const { value } = useAsk('audit.verifying', undefined, { everyMs: 500 });
  const running = value?.running ?? null;
  const share = running === null || running.total <= 0 ? null : running.records / running.total;
  return (
    <p role="status">
      {share === null ? <progress aria-label="Verification" /> : <progress aria-label="Verification" value={share} />}{' '}
      {running === null
        ? 'Every record is computed again …'
        : `${running.records.toLocaleString()} of about ${running.total.toLocaleString()} records`}
    </p>
  );
}

/** Is the log as it was written, and by which key that is known. */
export function Verify() {
  const [isRunning, setRunning] = useState(false);
  const [verdict, setVerdict] = useState<Verdict | null>(null);
  const [refusal, setRefusal] = useState<Refusal | null>(null);
  const key = useAsk('audit.key');
  const run = async (): Promise<void> => {
    setRunning(true);
    setVerdict(null);
    setRefusal(null);
    const reply = await ask('audit.verify');
    setRunning(false);
    if (reply.kind === 'done') setVerdict(reply.value);
    else setRefusal(reply.refusal);
  };
  return (
    <>
      <section className="card" aria-labelledby="verify">
        <div className="between">
          <h2 id="verify">Is the log as it was written?</h2>
          <CopyAs id="audit.verify" command="audit verify" />
        </div>
        <p>
          Every record holds the hash of the one before it, and every minute a checkpoint over all of them is signed.
          Verifying computes all of it again.
        </p>
        {isRunning ? <Progress /> : null}
        {verdict === null ? null : <VerdictCard of={verdict} />}
        {refusal === null ? null : (
          <p className="bad" role="alert">
            {refusal.message}
          </p>
        )}
        <button type="button" disabled={isRunning} onClick={() => void run()}>
          {verdict === null ? 'Verify' : 'Verify again'}
        </button>
      </section>
      <section className="card" aria-labelledby="key">
        <h2 id="key">The key of the checkpoints</h2>
        <Shown of={key}>
          {({ key: text, earlier, checkpoint }) => (
            <>
              <p>Keep it elsewhere: with it anybody can verify an export without this gateway.</p>
              <dl className="facts">
                <dt>Signs now</dt>
                <dd>
                  <code>{text}</code>
                </dd>
                {earlier.map(({ key: old, until }) => (
                  <div className="contents" key={old}>
                    <dt>Until checkpoint {until}</dt>
                    <dd>
                      <code>{old}</code>
                    </dd>
                  </div>
                ))}
              </dl>
              {checkpoint === null ? (
                <p>No checkpoint is signed yet; the first comes within a minute.</p>
              ) : (
                <details>
                  <summary>The last checkpoint, as it was signed</summary>
                  <pre>{checkpoint}</pre>
                </details>
              )}
            </>
          )}
        </Shown>
      </section>
    </>
  );
}
