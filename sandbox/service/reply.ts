import type { IncomingMessage } from 'node:http';

export interface Reply {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array;
}

/** A request of the API, with the parts of its path taken out. */
export interface Asked {
  readonly request: IncomingMessage;
  readonly method: string;
  readonly url: URL;
  readonly params: Readonly<Record<string, string>>;
}

export type Handle = (asked: Asked) => Reply | Promise<Reply>;

export const json = (status: number, value: unknown, headers: Readonly<Record<string, string>> = {}): Reply => ({
  status,
  headers: { 'Content-Type': 'application/json', ...headers },
  body: JSON.stringify(value),
});

const STATUS_TEXT: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  409: 'Conflict',
  413: 'Payload Too Large',
  415: 'Unsupported Media Type',
  422: 'Unprocessable Entity',
  429: 'Too Many Requests',
  500: 'Internal Server Error',
};

/** Section 7's form, which is published for the profile endpoint alone and serves them all here. */
export const refuse = (
  { url, method }: Pick<Asked, 'url' | 'method'>,
  status: number,
  exception: string,
  headers: Readonly<Record<string, string>> = {},
): Reply => json(status, { error: STATUS_TEXT[status] ?? 'Error', exception, path: url.pathname, method }, headers);

export const isReply = (value: unknown): value is Reply =>
  typeof value === 'object' && value !== null && 'status' in value && 'body' in value;

/** The name of a query parameter that is not known or stands twice: nothing else is accepted. */
export function oddParameter(url: URL, known: readonly string[]): string | null {
  const names = [...url.searchParams.keys()];
  return names.find((name, i) => !known.includes(name) || names.indexOf(name) !== i) ?? null;
}
