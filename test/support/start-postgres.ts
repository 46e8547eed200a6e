import { makePostgresServer } from './postgres-server.ts';

/** One server for all test files; each makes a database of its own (`new-store.ts`). */
export default async function startPostgres(): Promise<void> {
  const server = await makePostgresServer();
  process.env['TEST_POSTGRES_URL'] = server.url('postgres');
  (globalThis as { testPostgres?: typeof server }).testPostgres = server;
}
