import { useEffect, useState, type SyntheticEvent } from 'react';
import { ask } from '../../api/ask.ts';
import { useMay } from '../../api/session.tsx';
import { Outcome, useAct } from '../../ui/act.tsx';
import { AuditLink } from '../../ui/audit-link.tsx';
import { textsOf } from '../../ui/field.tsx';
import { ReasonField } from '../../ui/reason-field.tsx';
import type { OneDelivery } from './delivery.tsx';

/** More would make the page slow; the file has it all. */
const SHOWN_MAX = 200_000;

function Bytes({ id, bytes }: { readonly id: string; readonly bytes: Uint8Array<ArrayBuffer> }) {
  const [isCopied, setCopied] = useState(false);
  const [address, setAddress] = useState<string | null>(null);
  useEffect(() => {
    const made = URL.createObjectURL(new Blob([bytes], { type: 'application/octet-stream' }));
    setAddress(made);
    return () => URL.revokeObjectURL(made);
  }, [bytes]);
  const text = new TextDecoder().decode(bytes);
  const copy = async (): Promise<void> => {
    await navigator.clipboard.writeText(text);
    setCopied(true);
  };
  return (
    <>
      <div className="row">
        <button type="button" className="plain" onClick={() => void copy()}>
          {isCopied ? 'Copied' : 'Copy'}
        </button>
        {address === null ? null : (
          <a className="button plain" href={address} download={`${id}.body`}>
            Save as a file
          </a>
        )}
        <AuditLink of={{ delivery: id, type: 'admin' }} />
      </div>
      {text.length > SHOWN_MAX ? (
        <p className="note">The first {SHOWN_MAX.toLocaleString()} characters are shown. The file has all of it.</p>
      ) : null}
      <pre className="raw" tabIndex={0} role="region" aria-label="The bytes as they were received">
        {text.slice(0, SHOWN_MAX)}
      </pre>
    </>
  );
}

/** The bytes as they were received, for who says why and proves once more that it is them. */
export function Raw({ of }: { readonly of: OneDelivery }) {
  const mayRead = useMay('deliveries.raw');
  const act = useAct();
  const [bytes, setBytes] = useState<Uint8Array<ArrayBuffer> | null>(null);
  const onSubmit = async (event: SyntheticEvent<HTMLFormElement>): Promise<void> => {
    event.preventDefault();
    const { reason } = textsOf(event.currentTarget, 'reason');
    const asked = ask('deliveries.raw', { params: { id: of.id }, reason });
    if (!(await act.run(asked, () => ''))) return;
    const reply = await asked;
    if (reply.kind === 'done') setBytes(new Uint8Array(reply.value));
  };
  return (
    <section className="card" aria-labelledby="raw">
      <h2 id="raw">As it was received</h2>
      {!mayRead ? (
        <p className="quiet">An engineer may see the bytes.</p>
      ) : !of.hasBody ? (
        <p>The bytes are gone by retention. Have the source send it again.</p>
      ) : bytes !== null ? (
        <Bytes id={of.id} bytes={bytes} />
      ) : (
        <form onSubmit={(event) => void onSubmit(event)}>
          <p>
            {of.bodyBytes.toLocaleString()} bytes, with what they tell of the patient. You are asked to prove once more
            that it is you, and the audit keeps your name and the reason.
          </p>
          <ReasonField label="What you want them for" isFocused={false} />
          <button type="submit" disabled={act.isBusy}>
            Show the bytes
          </button>
          <Outcome of={act} />
        </form>
      )}
    </section>
  );
}
