import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/**
 * A TCP proxy that can cut a connection right after a word has gone to the server, so that its answer is never heard.
 */
export interface CuttingProxy {
  readonly port: number;
  /** The next time that `word` passes towards the server. */
  cutAfter(word: string): void;
  readonly cuts: () => number;
  close(): Promise<void>;
}

export async function makeCuttingProxy(targetPort: number): Promise<CuttingProxy> {
  let word: string | null = null;
  let cuts = 0;
  const sockets = new Set<Socket>();
  const server = createServer((near) => {
    const far = connect(targetPort, '127.0.0.1');
    let isMuted = false;
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        sockets.delete(socket);
        near.destroy();
        if (!isMuted) far.destroy();
      });
    }
    near.on('data', (part) => {
      if (word !== null && part.includes(word)) {
        word = null;
        cuts += 1;
        isMuted = true;
        // Sent whole, so that the server carries it out; then silence.
        far.end(part);
        near.destroy();
        return;
      }
      far.write(part);
    });
    far.on('data', (part) => {
      if (!isMuted) near.write(part);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    cutAfter: (next) => void (word = next),
    cuts: () => cuts,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}
