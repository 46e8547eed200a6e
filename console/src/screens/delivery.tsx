import { useState, type SyntheticEvent } from 'react';
import { Link } from 'wouter';
import { ask, type ValueOf } from '../api/ask.ts';
import { useMay } from '../api/session.tsx';
import { useAsk } from '../api/use-ask.ts';
import { Outcome, useAct } from '../ui/act.tsx';
import { CopyAs } from '../ui/copy-as.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Field, textsOf } from '../ui/field.tsx';
import { Screen, Shown } from '../ui/screen.tsx';
import { State } from '../ui/state.tsx';
import { Table } from '../ui/table.tsx';
import { Time } from '../ui/time.tsx';
import { Explain } from './explained.tsx';

type OneDelivery = ValueOf<'deliveries.get'>;

function Discard({ id, onDone }: { readonly id: string; readonly onDone: () => void }) {
  const [isOpen, setOpen] = useState(false);
  const act = useAct();
  const onSubmit = async (event: SyntheticEvent<HTMLFormElement>): Promise<void> => {
    event.preventDefault();
    const { reason } = textsOf(event.currentTarget, 'reason');
    if (!(await act.run(ask('deliveries.discard', { params: { id }, body: { reason } }), () => 'Discarded.'))) return;
    setOpen(false);
    onDone();
  };
  return (
    <>
      <button type="button" className="danger" onClick={() => setOpen(true)}>
        Discard …
      </button>
      {isOpen ? (
        <Dialog title="Give this delivery up" onClose={() => setOpen(false)}>
          <form onSubmit={(event) => void onSubmit(event)}>
            <p>It is never judged or sent again. The audit keeps your name and the reason.</p>
            <Field label="Reason" name="reason" required maxLength={500} autoFocus />
            <Outcome of={act} />
            <div className="row">
              <button type="submit" className="danger" disabled={act.isBusy}>
                Discard
              </button>
              <button type="button" className="plain" onClick={() => setOpen(false)}>
                Leave it
              </button>
            </div>
          </form>
        </Dialog>
      ) : null}
    </>
  );
}

function Acts({ of, onDone }: { readonly of: OneDelivery; readonly onDone: () => void }) {
  const act = useAct();
  const mayAct = useMay('deliveries.act');
  if (!mayAct || (of.state !== 'parked' && of.state !== 'quarantined')) return null;
  const replay = async (): Promise<void> => {
    const asked = ask('deliveries.replay', { params: { id: of.id } });
    if (
      await act.run(asked, ({ undecided }) =>
        undecided ? 'It is judged again, and still waits for a decision.' : 'It is judged again.',
      )
    )
      onDone();
  };
  return (
    <>
      <div className="row">
        <button type="button" disabled={act.isBusy} onClick={() => void replay()}>
          Judge again
        </button>
        <Discard id={of.id} onDone={onDone} />
      </div>
      <Outcome of={act} />
    </>
  );
}

const partsOf = (...sides: readonly (Readonly<Record<string, string>> | null)[]): string[] => [
  ...new Set(sides.flatMap((side) => Object.keys(side ?? {}))),
];

function Conflicts({ of }: { readonly of: NonNullable<OneDelivery['conflicts']> }) {
  return (
    <section className="card" aria-labelledby="conflicts">
      <h2 id="conflicts">Both sides</h2>
      {of.map(({ resourceType, name, ours, theirs }) => (
        <Table
          key={name}
          caption={`${resourceType} ${name}`}
          rows={partsOf(ours, theirs)}
          keyOf={(part) => part}
          columns={[
            { name: 'Part', show: (part) => part },
            { name: 'The document says', show: (part) => (ours === null ? 'nothing any more' : ours[part]) },
            { name: 'The chart said', show: (part) => (theirs === null ? 'it was removed' : theirs[part]) },
          ]}
        />
      ))}
    </section>
  );
}

export function Delivery({ id }: { readonly id: string }) {
  const found = useAsk('deliveries.get', { params: { id } }, { everyMs: 10_000 });
  return (
    <Screen
      title="One delivery"
      actions={<CopyAs id="deliveries.get" call={{ params: { id } }} command={`explain --delivery ${id}`} />}
    >
      <Shown of={found}>
        {(delivery) => (
          <>
            <section className="card" aria-labelledby="what">
              <h2 id="what">
                <State is={delivery.state} reason={delivery.reason} />
              </h2>
              {delivery.detail === null ? null : <p>{delivery.detail}</p>}
              <dl className="facts">
                <dt>Delivery</dt>
                <dd>
                  <code>{delivery.id}</code>
                </dd>
                <dt>Received</dt>
                <dd>
                  <Time at={delivery.receivedAt} />
                </dd>
                <dt>Structure</dt>
                <dd>
                  {delivery.dataStructure ?? 'unknown'}
                  {(delivery.documentVersion ?? null) === null ? '' : `, version ${delivery.documentVersion}`}
                </dd>
                <dt>Bytes</dt>
                <dd>
                  {delivery.bodyBytes.toLocaleString()}
                  {delivery.hasBody ? '' : ' (no longer kept)'}
                </dd>
                <dt>Request</dt>
                <dd>
                  <code>{delivery.requestId}</code>
                </dd>
                {delivery.faultCode === null ? null : (
                  <>
                    <dt>Fault</dt>
                    <dd>
                      <code>{delivery.faultCode}</code>
                    </dd>
                  </>
                )}
                {delivery.findings.length === 0 ? null : (
                  <>
                    <dt>Findings</dt>
                    <dd>{delivery.findings.join(', ')}</dd>
                  </>
                )}
                {(delivery.duplicateOf ?? null) === null ? null : (
                  <>
                    <dt>Same as</dt>
                    <dd>
                      <Link to={`/deliveries/${delivery.duplicateOf}`}>{delivery.duplicateOf}</Link>
                    </dd>
                  </>
                )}
              </dl>
              <Acts of={delivery} onDone={found.again} />
            </section>
            {delivery.conflicts === undefined ? null : <Conflicts of={delivery.conflicts} />}
            {delivery.hasBody ? <Explain id={id} /> : null}
            <section className="card" aria-labelledby="steps">
              <h2 id="steps">From the first byte on</h2>
              <ol className="timeline">
                {delivery.steps.map(({ at, to, reason, faultCode, actor }, i) => (
                  <li key={i}>
                    <State is={to} reason={reason} /> <Time at={at} />
                    <div className="small quiet">
                      by {actor}
                      {faultCode === null ? '' : `, ${faultCode}`}
                    </div>
                  </li>
                ))}
              </ol>
            </section>
          </>
        )}
      </Shown>
    </Screen>
  );
}
