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

/** A filter that is set, and the way out of it. */
export function Chip({
  label,
  is,
  clear,
  onClear,
}: {
  readonly label: string;
  readonly is: string;
  readonly clear: string;
  readonly onClear: () => void;
}) {
  return (
    <div>
      <div className="small quiet">{label}</div>
      <div className="chip">
        <span>{is}</span>
        <button type="button" className="plain" onClick={onClear} aria-label={clear}>
          <XIcon size={12} aria-hidden />
        </button>
      </div>
    </div>
  );
}

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
  const is = value ?? (of === 'mrn' ? 'one patient' : 'one user');
  return <Chip label={WORDS[of]} is={is} clear={`Any ${WORDS[of].toLowerCase()}`} onClear={onClear} />;
}
