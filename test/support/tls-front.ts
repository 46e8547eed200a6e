import { readFileSync } from 'node:fs';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';

const FOLDER = new URL('./tls/', import.meta.url);
const pem = (name: string): string => readFileSync(new URL(name, FOLDER), 'utf8');
export const CA_FILE = new URL('ca.pem', FOLDER).pathname;

/** `cut`: the connection ends in the middle of the handshake. */
export type TlsMood = 'good' | 'expired' | 'wrong-name' | 'cut';
const SHOWS = { good: 'server', expired: 'expired', 'wrong-name': 'other', cut: 'server' } as const;

/**
 * TLS in front of a plain server, whose certificate can be changed while it runs. The port may be told later, where the
 * server must know its own address first.
 */
export async function makeTlsFront(target: number | { readonly port: number }) {
  let mood: TlsMood = 'good';
  let refused = 0;
  const open = new Set<Socket>();
  const keep = (socket: Socket): void => {
    open.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => open.delete(socket));
  };
  const secure = createTlsServer({ cert: pem('server.pem'), key: pem('server.key.pem') }, (near) => {
    const far = connect(typeof target === 'number' ? target : target.port, '127.0.0.1');
    keep(far);
    near.on('error', () => undefined);
    near.on('close', () => far.destroy());
    far.on('close', () => near.destroy());
    near.pipe(far).pipe(near);
  });
  secure.on('tlsClientError', () => void (refused += 1));
  const server = createServer((socket) => {
    keep(socket);
    if (mood === 'cut')
      socket.once('data', () => {
        refused += 1;
        socket.destroy();
      });
    else secure.emit('connection', socket);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    origin: `https://localhost:${port}`,
    /** From now on, for whoever is connected as well. */
    become(next: TlsMood): void {
      mood = next;
      secure.setSecureContext({ cert: pem(`${SHOWS[next]}.pem`), key: pem(`${SHOWS[next]}.key.pem`) });
      for (const socket of open) socket.destroy();
    },
    refused: () => refused,
    stop: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        for (const socket of open) socket.destroy();
      }),
  };
}
export type TlsFront = Awaited<ReturnType<typeof makeTlsFront>>;
