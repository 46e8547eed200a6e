import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { makePostgresServer, type PostgresServer } from './postgres-server.ts';

/** What ends with the tests. */
export interface TestPostgres {
  readonly stop: () => Promise<void>;
}

/**
 * One PostgreSQL for all test files, each of which makes a database of its own (`new-store.ts`). It starts when the
 * first of them asks for its address (`test-postgres.ts`): tests that need none do not wait for it.
 */
export default async function startPostgres(): Promise<void> {
  let server: Promise<PostgresServer> | null = null;
  const door = createServer((asker) => {
    asker.on('error', () => undefined);
    server ??= makePostgresServer();
    server.then(
      ({ url }) => asker.end(url('postgres')),
      () => asker.destroy(),
    );
  });
  door.listen(0, '127.0.0.1');
  await once(door, 'listening');
  process.env['TEST_POSTGRES_DOOR'] = String((door.address() as AddressInfo).port);
  const running: TestPostgres = {
    async stop() {
      door.close();
      await (await server)?.remove();
    },
  };
  (globalThis as { testPostgres?: TestPostgres }).testPostgres = running;
}
