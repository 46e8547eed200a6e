const TIMEOUT_MS = 60_000;

/** Asks, and takes no other answer than a good one; an empty body is null. */
export async function askJson(
  method: string,
  url: string,
  with_: { readonly body?: unknown; readonly headers?: Readonly<Record<string, string>> } = {},
): Promise<unknown> {
  const { body, headers = {} } = with_;
  const isForm = body instanceof URLSearchParams;
  const place = `${method} ${url.split('?')[0] ?? url}`;
  const answer = await fetch(url, {
    method,
    headers: { ...(body === undefined || isForm ? {} : { 'content-type': 'application/json' }), ...headers },
    ...(body === undefined ? {} : { body: isForm ? body : JSON.stringify(body) }),
    signal: AbortSignal.timeout(TIMEOUT_MS),
  }).catch((thrown: unknown) => {
    throw new Error(`${place}: no answer`, { cause: thrown });
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${place}: ${answer.status} ${text.slice(0, 500)}`);
  return text === '' ? null : (JSON.parse(text) as unknown);
}
