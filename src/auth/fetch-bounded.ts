const TIMEOUT_MS = 3_000;
export const ANSWER_BYTES_MAX = 64 * 1024;

/** Reads no more than it may keep. */
async function readBounded(answer: Response): Promise<string> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of answer.body ?? []) {
    const bytes = part as Uint8Array;
    size += bytes.length;
    if (size > ANSWER_BYTES_MAX) throw new Error('the answer is too large');
    parts.push(bytes);
  }
  return Buffer.concat(parts).toString('utf8');
}

/**
 * Asks an authorization server or an app for JSON. Nothing leads elsewhere, nothing is waited for long, nothing large
 * is read.
 */
export async function fetchBounded(url: string | URL, init: RequestInit = {}): Promise<Response> {
  const answer = await fetch(url, { ...init, redirect: 'error', signal: AbortSignal.timeout(TIMEOUT_MS) });
  const { status, headers } = answer;
  return new Response(await readBounded(answer), {
    status,
    headers: { ...pick(headers, 'content-type'), ...pick(headers, 'cache-control'), ...pick(headers, 'expires') },
  });
}

const pick = (headers: Headers, name: string): Record<string, string> => {
  const value = headers.get(name);
  return value === null ? {} : { [name]: value };
};
