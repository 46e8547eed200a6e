import { useEffect, useState } from 'react';
import { Link } from 'wouter';
import { useMay } from '../../api/session.tsx';
import { AuditLink } from '../../ui/audit-link.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import type { OneDelivery } from './delivery.tsx';
import { TakeBytes } from './take-bytes.tsx';

/** More would make the page slow; the file has it all. */
const SHOWN_MAX = 200_000;

function Bytes({ id, bytes }: { readonly id: string; readonly bytes: Uint8Array<ArrayBuffer> }) {
  const [address, setAddress] = useState<string | null>(null);
  useEffect(() => {
    const made = URL.createObjectURL(new Blob([bytes], { type: 'application/octet-stream' }));
    setAddress(made);
    return () => URL.revokeObjectURL(made);
  }, [bytes]);
  const text = new TextDecoder().decode(bytes);
  return (
    <>
      <div className="row">
        <CopyButton text={text} />
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
  const mayTry = useMay('mappings.read');
  const [bytes, setBytes] = useState<Uint8Array<ArrayBuffer> | null>(null);
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
        <>
          <p>{of.bodyBytes.toLocaleString()} bytes.</p>
          <TakeBytes id={of.id} does="Show the bytes" onTaken={setBytes} />
        </>
      )}
      {mayRead && mayTry && of.hasBody && of.hook === 'data' ? (
        <p>
          <Link to={`/mappings?part=try&delivery=${of.id}`}>Try it against the mapping data in force</Link>
        </p>
      ) : null}
    </section>
  );
}
