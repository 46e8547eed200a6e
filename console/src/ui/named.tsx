import { XIcon } from '@primer/octicons-react';
import { Link } from 'wouter';
import { useOpened, type FindHandle } from '../api/handles.ts';
import { useMay } from '../api/session.tsx';
import type { Handled } from '../../../src/admin/contract/handle-shape.ts';
import { Field } from './field.tsx';

/** An MRN that leads to its patient; the address holds its handle. */
export function PatientLink({ mrn, find }: { readonly mrn: string | null; readonly find: FindHandle }) {
  const maySee = useMay('patients.read');
  const handle = find('mrn', mrn);
  if (mrn === null) return <span className="quiet">not shown</span>;
  return handle === undefined || !maySee ? mrn : <Link to={`/patient?of=${handle}`}>{mrn}</Link>;
}

/** A user of the source who leads to their links. */
export function UserLink({
  user,
  client,
  find,
}: {
  readonly user: string | null;
  readonly client?: string;
  readonly find: FindHandle;
}) {
  const maySee = useMay('links.read');
  const handle = find('user', user);
  if (user === null) return <span className="quiet">not shown</span>;
  if (handle === undefined || !maySee) return <code>{user}</code>;
  return (
    <Link to={`/links?user=${handle}${client === undefined ? '' : `&client=${encodeURIComponent(client)}`}`}>
      <code>{user}</code>
    </Link>
  );
}

const WORDS: Readonly<Record<Handled, string>> = { mrn: 'Medical record number', user: 'User of the source' };

/** A filter by somebody: typed once, from then on a handle in the address. */
export function NamedFilter({
  of,
  handle,
  onClear,
}: {
  readonly of: Handled;
  readonly handle: string | undefined;
  readonly onClear: () => void;
}) {
  const value = useOpened(handle);
  if (handle === undefined) return <Field label={WORDS[of]} name={of} maxLength={600} />;
  return (
    <div>
      <div className="small quiet">{WORDS[of]}</div>
      <div className="chip">
        <span>{value ?? (of === 'mrn' ? 'one patient' : 'one user')}</span>
        <button type="button" className="plain" onClick={onClear} aria-label={`Any ${WORDS[of].toLowerCase()}`}>
          <XIcon size={12} aria-hidden />
        </button>
      </div>
    </div>
  );
}
