/** An event as it was read; its data are what the contract says of its kind. */
interface ReadEvent {
  readonly kind: string;
  readonly id: string;
  readonly data: unknown;
}

/** One event without the empty line at its end; null for a comment. */
function parseEvent(text: string, parse: (text: string) => unknown): ReadEvent | null {
  const fields = new Map<string, string>();
  for (const line of text.split('\n')) {
    const [, name, value = ''] = /^([a-z]+): ?(.*)$/.exec(line) ?? [];
    if (name !== undefined) fields.set(name, value);
  }
  const [kind, id, data] = [fields.get('event'), fields.get('id'), fields.get('data')];
  return kind === undefined || id === undefined || data === undefined ? null : { kind, id, data: parse(data) };
}

/** Server-sent events as `eventText` writes them. A browser can use it too. */
export async function* readEvents(
  body: ReadableStream<Uint8Array>,
  parse: (text: string) => unknown,
  onHeard: () => void = () => undefined,
): AsyncGenerator<ReadEvent> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = '';
  try {
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      onHeard();
      const texts = (rest + decoder.decode(part.value, { stream: true })).split('\n\n');
      rest = texts.pop() ?? '';
      for (const text of texts) {
        const event = parseEvent(text, parse);
        if (event !== null) yield event;
      }
    }
  } finally {
    // Whoever stops reading ends the stream.
    await reader.cancel().catch(() => undefined);
  }
}
