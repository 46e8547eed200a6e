import type { PostgresServer } from './postgres-server.ts';

export default async function stopPostgres(): Promise<void> {
  await (globalThis as { testPostgres?: PostgresServer }).testPostgres?.remove();
}
