import type { TestPostgres } from './start-postgres.ts';

export default async function stopPostgres(): Promise<void> {
  await (globalThis as { testPostgres?: TestPostgres }).testPostgres?.stop();
}
