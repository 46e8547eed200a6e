import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { useMay } from '../api/session.tsx';

/** To what the audit holds of an act, for who may read it. */
export function AuditLink({
  of,
  children = 'See it in the audit',
}: {
  readonly of: Readonly<Record<string, string>>;
  readonly children?: ReactNode;
}) {
  const mayRead = useMay('audit.read');
  return mayRead ? <Link to={`/audit?${new URLSearchParams(of)}`}>{children}</Link> : null;
}
