import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { gunzipSync } from 'node:zlib';

export interface SinkSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly flags: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly { readonly key: string; readonly value: Readonly<Record<string, unknown>> }[];
  readonly status?: { readonly code: number };
}

export interface SinkMetric {
  readonly name: string;
  readonly unit?: string;
  readonly sum?: { readonly dataPoints: readonly { readonly asDouble: number }[] };
  readonly gauge?: { readonly dataPoints: readonly { readonly asDouble: number }[] };
  readonly histogram?: { readonly dataPoints: readonly { readonly count: string }[] };
}

export interface Taken {
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  /** Unpacked. */
  readonly text: string;
}

type Answer = (response: ServerResponse, taken: Taken) => void;
export const TAKES: Answer = (response) =>
  void response.setHeader('content-type', 'application/json').end('{"partialSuccess":{}}');

/** A collector that the test plays: it takes what it is sent, or answers as it is told. */
export async function startOtlpSink(tls: { readonly cert: string; readonly key: string } | null = null) {
  const taken: Taken[] = [];
  let answer: Answer = TAKES;
  let connections = 0;
  const listener = (request: IncomingMessage, response: ServerResponse): void => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const one = {
        path: request.url ?? '',
        headers: request.headers,
        text: gunzipSync(Buffer.concat(parts)).toString(),
      };
      taken.push(one);
      answer(response, one);
    });
  };
  const server: Server = tls === null ? createServer(listener) : createTlsServer(tls, listener);
  server.on('connection', () => (connections += 1));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const of = (path: string): Taken[] => taken.filter((one) => one.path.endsWith(path));
  interface Traces {
    readonly resourceSpans: readonly { readonly scopeSpans: readonly { readonly spans: readonly SinkSpan[] }[] }[];
  }
  interface Metrics {
    readonly resourceMetrics: readonly {
      readonly scopeMetrics: readonly { readonly metrics: readonly SinkMetric[] }[];
    }[];
  }
  return {
    url: `${tls === null ? 'http' : 'https'}://127.0.0.1:${port}`,
    taken,
    connections: () => connections,
    answerBy: (by: Answer) => void (answer = by),
    spans: (): SinkSpan[] =>
      of('/v1/traces').flatMap(({ text }) =>
        (JSON.parse(text) as Traces).resourceSpans.flatMap(({ scopeSpans }) =>
          scopeSpans.flatMap(({ spans }) => spans),
        ),
      ),
    /** As last told. */
    metrics: (): SinkMetric[] => {
      const last = of('/v1/metrics').at(-1);
      return last === undefined
        ? []
        : (JSON.parse(last.text) as Metrics).resourceMetrics.flatMap(({ scopeMetrics }) =>
            scopeMetrics.flatMap(({ metrics }) => metrics),
          );
    },
    stop: () =>
      new Promise<void>((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}
export type OtlpSink = Awaited<ReturnType<typeof startOtlpSink>>;

/** The attributes of a span as plain values. */
export const fieldsOf = ({ attributes }: Pick<SinkSpan, 'attributes'>): Record<string, unknown> =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));
