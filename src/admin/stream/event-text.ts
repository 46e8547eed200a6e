/** A server-sent event, as https://html.spec.whatwg.org/multipage/server-sent-events.html has it. */
export const eventText = (kind: string, id: string, data: unknown): string =>
  `id: ${id}\nevent: ${kind}\ndata: ${JSON.stringify(data)}\n\n`;

/** Says nothing, so that nobody between takes the connection for dead. */
export const HEARTBEAT = ':\n\n';
