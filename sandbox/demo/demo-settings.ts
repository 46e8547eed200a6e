import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { StartError } from '../../src/kernel/index.ts';

const FILE = 'demo-settings.json';

const key = (): string => randomBytes(32).toString('base64');
const word = (): string => randomBytes(32).toString('hex');

/** Keys and secrets of the demonstration: made once, kept beside its database, never used by `serve`. */
export function loadDemoSettings(folder: string): Record<string, string> {
  const file = join(folder, FILE);
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    if (existsSync(file)) return JSON.parse(readFileSync(file, 'utf8')) as Record<string, string>;
    const made = {
      CHARTGATE_DATA_KEY: key(),
      CHARTGATE_AUDIT_KEY: key(),
      CHARTGATE_PSEUDONYM_KEY: key(),
      CHARTGATE_WEBHOOK_SECRET: word(),
      CHARTGATE_NOTIFICATION_SECRET: word(),
      CHARTGATE_ADMIN_TOKEN: word(),
      CHARTGATE_CLIENT_UUID: 'demo-client',
    };
    // Whole or not at all: without these keys the database beside them is lost.
    writeFileSync(`${file}.new`, `${JSON.stringify(made, null, 2)}\n`, { mode: 0o600, flush: true });
    renameSync(`${file}.new`, file);
    return made;
  } catch (thrown) {
    throw new StartError(
      'demo.data',
      `The folder ${folder} cannot be used for the demonstration, or its ${FILE} is damaged. Choose another with --data.`,
      thrown,
    );
  }
}
