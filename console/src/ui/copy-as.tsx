import { ROUTE_TABLE } from '../api/routes.ts';
import type { RouteId } from '../../../src/admin/contract/index.ts';
import { CopyButton } from './copy-button.tsx';

interface Call {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>;
}

const quoted = (text: string): string => (/^[\w./:=@%?&-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);

/** The same question for a terminal: with an API key of the reader's own, which never stands in it. */
export function curlOf(origin: string, id: RouteId, { params = {}, query = {} }: Call = {}): string {
  const { method, path } = ROUTE_TABLE[id];
  const filled = path.replace(/:(\w+)/g, (_: string, name: string) => encodeURIComponent(params[name] ?? ''));
  const url = new URL(filled, origin);
  for (const [name, value] of Object.entries(query)) if (value !== undefined) url.searchParams.set(name, String(value));
  const verb = method === 'get' ? '' : `-X ${method.toUpperCase()} `;
  return `curl ${verb}-H "Authorization: Bearer $CHARTGATE_ADMIN_TOKEN" ${quoted(url.href)}`;
}

const Copy = ({ what, text }: { readonly what: string; readonly text: string }) => (
  <CopyButton text={text} title={text} words={`Copy as ${what}`} />
);

export function CopyAs({
  id,
  call,
  command,
}: {
  readonly id: RouteId;
  readonly call?: Call;
  readonly command?: string;
}) {
  return (
    <span className="row copy">
      <Copy what="curl" text={curlOf(location.origin, id, call)} />
      {command === undefined ? null : <Copy what="command" text={`chartgate ${command}`} />}
    </span>
  );
}
