import { connect } from 'node:net';
import { text } from 'node:stream/consumers';

let asked: Promise<string> | null = null;

async function ask(): Promise<string> {
  const url = await text(connect(Number(process.env['TEST_POSTGRES_DOOR']), '127.0.0.1'));
  if (url === '') throw new Error('PostgreSQL did not start');
  return url;
}

/** Where the PostgreSQL of the tests is; it starts with the first who asks. */
export const testPostgresUrl = (): Promise<string> => (asked ??= ask());
