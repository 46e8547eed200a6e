import { existsSync, rmSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { toDatabase, type DatabaseConfig } from '../config/index.ts';
import { errorCode, StartError, systemClock } from '../kernel/index.ts';
import { copySqlite, renameForGood } from '../store/index.ts';
import { checkCopy, copyText, type CheckWith } from './check-copy.ts';
import { EXIT, makeUsage, type Command, type Terminal } from './command.ts';
import { parseOptions } from './parse-options.ts';
import { makeBar } from './progress.ts';
import { readCheckSettings } from './read-check-settings.ts';

const help = `Usage: chartgate backup TO [--database URL] [--key KEY] [--json]

Copies the database as it is at one moment, while the gateway may go on, and checks the copy as "chartgate restore
--check" does. TO is made when the copy was found sound, and never replaced; until then it is TO.part. Settings and
keys are those of serve.

For PostgreSQL it copies nothing and says which commands do.

  TO              a file that is not there yet; or a folder, and the file is named by the time
  --database URL  which database (default: CHARTGATE_DATABASE_URL)
  --key KEY       the public key that "audit key" told (default: from CHARTGATE_AUDIT_KEY)
  --json          the report as one line of JSON

Exit code: 0 copied and sound · 1 not sound, stopped, or PostgreSQL, of which nothing was copied · 2 wrong arguments ·
69 the database cannot be opened · 74 the copy cannot be written · 78 a setting is wrong
`;

const OPTIONS = { database: { type: 'string' }, key: { type: 'string' }, json: { type: 'boolean' } } as const;

const isFolder = (path: string): boolean => path.endsWith('/') || (existsSync(path) && statSync(path).isDirectory());

/** The file to make: in a folder, one named by the time. */
const fileFor = (to: string, now: Date): string =>
  isFolder(to) ? join(to, `chartgate-${now.toISOString().replaceAll(/[-:]|\.\d+/g, '')}.db`) : to;

/** An error of the disk that the copy is written to, in a word; null for any other. */
function diskTrouble(thrown: unknown): string | null {
  const code = thrown instanceof StartError ? null : errorCode(thrown);
  if (code === null) return null;
  return code === 'ERR_SQLITE_ERROR' && thrown instanceof Error ? thrown.message : code;
}

const shellQuoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

/** No address of the server is written out: it may hold a password. */
function tellPostgres(to: string, isJson: boolean, { stdout }: Terminal): number {
  const run = [
    `pg_dump --format=custom --no-owner --no-privileges --file=${shellQuoted(to)} "$CHARTGATE_DATABASE_URL"`,
    'createdb --maintenance-db="$CHARTGATE_DATABASE_URL" chartgate_check',
    `pg_restore --exit-on-error --no-owner --dbname="$CHECK_URL" ${shellQuoted(to)}`,
    'chartgate restore --check "$CHECK_URL"',
    'dropdb --maintenance-db="$CHARTGATE_DATABASE_URL" chartgate_check',
  ];
  stdout.write(
    isJson
      ? `${JSON.stringify({ copied: false, engine: 'postgres', run })}\n`
      : `Nothing was copied. PostgreSQL has its own tools; a dump is of one moment, and the gateway may go on.\n
CHECK_URL is CHARTGATE_DATABASE_URL with chartgate_check as the name of the database. The first command makes the dump, the
others restore it beside the original and prove it; docs/backup.md tells more.\n
${run.map((line) => `  ${line}\n`).join('')}`,
  );
  return EXIT.failed;
}

async function backupSqlite(
  database: Extract<DatabaseConfig, { engine: 'sqlite' }>,
  file: string,
  by: CheckWith,
  isJson: boolean,
  { stdout, stderr }: Terminal,
): Promise<number> {
  const part = `${file}.part`;
  const bar = makeBar(stderr);
  let bytes: number;
  try {
    bytes = await copySqlite(database.file, part, (done, total) => bar.draw(done / total, `${done}/${total} pages`));
  } catch (thrown) {
    rmSync(part, { force: true });
    const trouble = diskTrouble(thrown);
    if (trouble === null) throw thrown;
    stderr.write(
      `The copy cannot be made (${trouble}). Check the path, the rights on its folder and the room on the disk.\n`,
    );
    return EXIT.io;
  } finally {
    bar.clear();
  }
  const report = await checkCopy({ ...database, file: part }, by);
  if (report.sound) renameForGood(part, file);
  const at = report.sound ? file : part;
  const head = report.sound ? `Copied to ${at}, ${bytes} bytes.` : `THE COPY IS NOT SOUND. It stays as ${at}.`;
  stdout.write(
    isJson ? `${JSON.stringify({ copied: true, file: at, bytes, ...report })}\n` : `${head}\n${copyText(report)}`,
  );
  return report.sound ? EXIT.ok : EXIT.failed;
}

export const backup: Command = {
  name: 'backup',
  summary: 'copy the database of a running gateway, and prove the copy',
  help,
  async run(args, terminal) {
    const parsed = parseOptions(args, OPTIONS, 'some');
    const usage = makeUsage(terminal, help);
    if (!parsed.ok) return usage(parsed.wrong);
    const { key, json, ...given } = parsed.value.values;
    const [to, ...more] = parsed.value.positionals;
    if (to === undefined || to === '' || more.length > 0) return usage('Name one file or folder to copy to.');
    const { databaseUrl, by, wrong } = readCheckSettings(terminal.env, key);
    const url = given.database ?? databaseUrl;
    if (url === null) return usage('Which database? Give --database or CHARTGATE_DATABASE_URL.');
    const database = toDatabase(url);
    const file = fileFor(to, systemClock.now());
    if (database.engine === 'postgres') return tellPostgres(file, json === true, terminal);
    if (by === null) return usage(wrong ?? '');
    if (existsSync(file)) return usage(`${basename(file)} is there already; a backup replaces nothing.`);
    const stopped = terminal.stopped.then(() => null);
    const code = await Promise.race([backupSqlite(database, file, by, json === true, terminal), stopped]);
    if (code !== null) return code;
    rmSync(`${file}.part`, { force: true });
    terminal.stderr.write('Stopped; there is no copy.\n');
    return EXIT.failed;
  },
};
