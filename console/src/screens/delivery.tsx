import { useState, type FormEvent } from 'react';
import { Link } from 'wouter';
import { ask, type ValueOf } from '../api/ask.ts';
import { useMay } from '../api/session.tsx';
import { useAsk } from '../api/use-ask.ts';
import { CopyAs } from '../ui/copy-as.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Screen, Shown } from '../ui/screen.tsx';
import { State } from '../ui/state.tsx';
import { Time } from '../ui/time.tsx';

type Shown1 = ValueOf<'deliveries.get'>;

function Discard({ id, onDone }: { readonly id: string; readonly onDone: () => void }) {
  const [isOpen, setOpen] = useState(false);
  const [wrong, setWrong] = useState('');
  const onSubmit = async (event: FormEvent<HTMLFormElement>): Promise<void> => {
    event.preventDefault();
    const reason = String(new FormData(event.currentTarget).get('reason'));
    const reply = await ask('deliveries.discard', { params: { id }, body: { reason } });
    if (reply.kind === 'refused') return setWrong(reply.refusal.message);
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
            {wrong === '' ? null : (
              <p className="bad" role="alert">
                {wrong}
              </p>
            )}
            <label htmlFor="reason">Reason</label>
            <textarea id="reason" name="reason" required maxLength={500} rows={3} autoFocus />
            <div className="row">
              <button type="submit" className="danger">
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

function Acts({ of, onDone }: { readonly of: Shown1; readonly onDone: () => void }) {
  const [said, setSaid] = useState('');
  const mayAct = useMay('deliveries.act');
  if (!mayAct || (of.state !== 'parked' && of.state !== 'quarantined')) return null;
  const replay = async (): Promise<void> => {
    const reply = await ask('deliveries.replay', { params: { id: of.id }, body: {} });
    setSaid(reply.kind === 'done' ? 'It is judged again.' : reply.refusal.message);
    onDone();
  };
  return (
    <div className="row">
      <button type="button" onClick={() => void replay()}>
        Judge again
      </button>
      <Discard id={of.id} onDone={onDone} />
      <span role="status">{said}</span>
    </div>
  );
}

const partsOf = (...sides: readonly (Readonly<Record<string, string>> | null)[]): string[] => [
  ...new Set(sides.flatMap((side) => Object.keys(side ?? {}))),
];

function Conflicts({ of }: { readonly of: NonNullable<Shown1['conflicts']> }) {
  return (
    <section className="card" aria-labelledby="conflicts">
      <h2 id="conflicts">Both sides</h2>
      {of.map(({ resourceType, name, ours, theirs }) => (
        <div className="scroll" key={name}>
          <table>
            <caption>
              {resourceType} {name}
            </caption>
            <thead>
              <tr>
                <th scope="col">Part</th>
                <th scope="col">The document says</th>
                <th scope="col">The chart said</th>
              </tr>
            </thead>
            <tbody>
              {partsOf(ours, theirs).map((part) => (
                <tr key={part}>
                  <th scope="row">{part}</th>
                  <td>{ours === null ? 'nothing any more' : (ours[part] ?? '')}</td>
                  <td>{theirs === null ? 'it was removed' : (theirs[part] ?? '')}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
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
                  {delivery.documentVersion == null ? '' : `, version ${delivery.documentVersion}`}
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
                {delivery.duplicateOf == null ? null : (
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
