import { IncomingMessage } from 'node:http';

/**
 * The same request, with a body that can be read once more and with the address by which others reach us. Of what a
 * proxy or a caller said about that address nothing is left: links and cookies follow the configuration alone.
 */
export function replayRequest(
  request: IncomingMessage,
  told: {
    readonly method: string;
    readonly url: string;
    readonly publicUrl: URL;
    readonly mountPath: string;
    readonly body: Buffer | null;
  },
): IncomingMessage {
  const again = new IncomingMessage(request.socket);
  const headers = Object.fromEntries(
    Object.entries(request.headers).filter(([name]) => !/^(x-forwarded-|forwarded$|x-http-method)/.test(name)),
  );
  delete headers['transfer-encoding'];
  // A request whose body was not fully read ends together with its connection.
  again.complete = true;
  again.method = told.method;
  again.url = told.url;
  again.httpVersion = request.httpVersion;
  again.httpVersionMajor = request.httpVersionMajor;
  again.httpVersionMinor = request.httpVersionMinor;
  again.headers = {
    ...headers,
    host: told.publicUrl.host,
    'x-forwarded-host': told.publicUrl.host,
    'x-forwarded-proto': told.publicUrl.protocol.replace(':', ''),
    ...(told.body === null ? {} : { 'content-length': String(told.body.length) }),
  };
  Object.assign(again, { originalUrl: `${told.mountPath}${told.url}`, baseUrl: told.mountPath });
  if (told.body !== null) again.push(told.body);
  again.push(null);
  return again;
}
