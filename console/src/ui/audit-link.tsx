import { Link } from 'wouter';
import { useMay } from '../api/session.tsx';

/** Leads whoever may read the audit to the records of an act. */
export function AuditLink({
  query,
  children,
}: {
  readonly query: Readonly<Record<string, string>>;
  readonly children: string;
}) {
  const mayRead = useMay('audit.read');
  return mayRead ? <Link to={`/audit?${new URLSearchParams(query).toString()}`}>{children}</Link> : null;
}
