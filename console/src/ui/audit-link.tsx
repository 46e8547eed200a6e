import { Link } from 'wouter';
import { useMay } from '../api/session.tsx';

/** To what the audit holds of an act, for who may read it. */
export function AuditLink({ of }: { readonly of: Readonly<Record<string, string>> }) {
  const mayRead = useMay('audit.read');
  if (!mayRead) return null;
  return <Link to={`/audit?${new URLSearchParams(of)}`}>See it in the audit</Link>;
}
