import { readFile } from 'node:fs/promises';
import { readLinkRows, writeCsv, type LinkRow } from '../identity/index.ts';
import { errorCode } from '../kernel/index.ts';
import type { AdminReply } from '../admin/index.ts';
import { explainRefusal, makeAdminApi } from './admin-api.ts';
import { EXIT, makeUsage, type Command, type Terminal } from './command.ts';
import { lookAtLinks } from './links-look.ts';
import { parseOptions } from './parse-options.ts';
import { makeBar } from './progress.ts';

const help = `Usage: chartgate links list [--status WORD] [--user USER_ID] [--client UUID] [--mrn MRN] [--reason TEXT]
                            [--limit N] [--cursor CURSOR] [--url URL] [--json]
       chartgate links history USER_ID [--client UUID] [--reason TEXT] [--url URL] [--json]
       chartgate links preview MRN [--reason TEXT] [--url URL] [--json]
       chartgate links import FILE.csv [--dry-run] [--url URL] [--json]

Which patients source users are, at a running gateway. list shows links, newest first; history who linked a user to
whom, and when; preview whom the EHR has under an MRN, before a link is made.

import tells the gateway of many links. FILE may be - for standard input; its first line names the columns: user_id and
mrn, and any of client_uuid, status (proposed or confirmed), evidence. Good rows are applied, every bad one is told by
its line. The same file may be imported again.

The operator's token is taken from CHARTGATE_ADMIN_TOKEN.

  --status WORD    proposed, confirmed or revoked
  --user USER_ID   links of this source user
  --client UUID    the user's client at the source (default: the gateway's CHARTGATE_CLIENT_UUID)
  --mrn MRN        links to this patient
  --reason TEXT    what a restricted patient is looked at for, with nothing of the patient; it is kept in the audit
  --limit N        how many of a list are shown (default: 50)
  --cursor CURSOR  where the next page of a list begins
  --dry-run        only tell what would change
  --url URL        where the gateway is (default: CHARTGATE_PUBLIC_URL or http://localhost:8080)
  --json           the report as one line of JSON

Exit code: 0 done, all rows good · 1 some were bad, or refused · 2 wrong arguments, or unreadable · 69 no gateway there
`;

const ROWS_PER_PAGE = 500;
const COUNTS = [
  'confirmed',
  'changed',
  'proposed',
  'unchanged',
  'released',
  'requeued',
  'retracting',
  'unrepeatable',
  'unsettled',
] as const;
type Imported = AdminReply<'links.import'>;
type Counts = Record<(typeof COUNTS)[number], number>;
interface Bad {
  readonly line: number;
  readonly code: string;
}

async function readAll(file: string, stdin: NodeJS.ReadableStream): Promise<string> {
  if (file !== '-') return readFile(file, 'utf8');
  const parts: Buffer[] = [];
  for await (const part of stdin) parts.push(Buffer.from(part));
  return Buffer.concat(parts).toString('utf8');
}

/** A line each, since no field that is taken may hold a line break: line n of the chunk is its row n - 2. */
const toCsv = (rows: readonly LinkRow[]): string =>
  writeCsv([
    ['user_id', 'mrn', 'client_uuid', 'status', 'evidence'],
    ...rows.map(({ user, mrn, client, status, evidence }) => [user, mrn, client ?? '', status, evidence ?? '']),
  ]);

/** Row by row in chunks, so that the bar tells how far it really is. */
async function importRows(
  rows: readonly LinkRow[],
  send: (csv: string) => Promise<Imported>,
  onDone: (done: number) => void,
): Promise<{ counts: Counts; bad: Bad[]; refused: Extract<Imported, { kind: 'refused' }> | null }> {
  const counts = Object.fromEntries(COUNTS.map((name) => [name, 0])) as Counts;
  const bad: Bad[] = [];
  for (let from = 0; from < rows.length; from += ROWS_PER_PAGE) {
    const chunk = rows.slice(from, from + ROWS_PER_PAGE);
    const answer = await send(toCsv(chunk));
    if (answer.kind === 'refused') return { counts, bad, refused: answer };
    for (const name of COUNTS) counts[name] += answer.value[name];
    for (const { line, code } of answer.value.bad) bad.push({ line: chunk[line - 2]?.line ?? 0, code });
    onDone(from + chunk.length);
  }
  return { counts, bad, refused: null };
}

async function importFile(
  file: string,
  options: { isDry: boolean; isJson: boolean; url: string | undefined },
  terminal: Terminal,
) {
  let text: string;
  try {
    text = await readAll(file, terminal.stdin);
  } catch (thrown) {
    terminal.stderr.write(`The file cannot be read (${errorCode(thrown) ?? 'unknown'}).\n`);
    return EXIT.usage;
  }
  // Which client is the gateway's own, it alone knows.
  const read = await readLinkRows(text, '');
  if (!read.ok) {
    terminal.stderr.write(
      read.fault.code === 'links.csv' && read.fault.at !== 'line 1'
        ? `Too many lines have a quote where none may be; the last one read is ${read.fault.at}.\n`
        : read.fault.code === 'links.csv'
          ? 'The first line must name the columns user_id and mrn, and none but client_uuid, status and evidence beside them.\n'
          : 'The file has more than 100,000 rows. Import it in parts.\n',
    );
    return EXIT.usage;
  }
  const { rows, bad: unreadable } = read.value;
  const api = makeAdminApi(options.url, terminal.env);
  const bar = makeBar(terminal.stderr);
  const { counts, bad, refused } = await importRows(
    rows,
    (csv) => api.call('links.import', { query: { dry_run: options.isDry }, bytes: { type: 'text/csv', content: csv } }),
    (done) => bar.draw(done / rows.length, `${done}/${rows.length} rows`),
  );
  bar.clear();
  const all = [...unreadable, ...bad].sort((a, b) => a.line - b.line);
  if (options.isJson)
    terminal.stdout.write(
      `${JSON.stringify({ dryRun: options.isDry, rows: rows.length + unreadable.length, ...counts, bad: all, ...(refused === null ? {} : { refused: refused.problem }) })}\n`,
    );
  else {
    for (const { line, code } of all) terminal.stdout.write(`line ${line}: ${code}\n`);
    const said = COUNTS.filter((name) => counts[name] > 0).map((name) => `${counts[name]} ${name}`);
    terminal.stdout.write(
      `${options.isDry ? 'Would be: ' : ''}${rows.length + unreadable.length} rows: ${[...said, `${all.length} bad`].join(', ')}\n`,
    );
    if (refused !== null) terminal.stderr.write(`${explainRefusal(refused)}\nImport the same file again to go on.\n`);
  }
  return all.length > 0 || refused !== null ? EXIT.failed : EXIT.ok;
}

const OPTIONS = {
  'dry-run': { type: 'boolean' },
  status: { type: 'string' },
  user: { type: 'string' },
  client: { type: 'string' },
  mrn: { type: 'string' },
  reason: { type: 'string' },
  limit: { type: 'string' },
  cursor: { type: 'string' },
  json: { type: 'boolean' },
  url: { type: 'string' },
} as const;

/** Which options go with which verb, and whether it names somebody or a file. */
const TAKES: Readonly<Record<string, { readonly options: readonly string[]; readonly name: string | null }>> = {
  list: { options: ['status', 'user', 'client', 'mrn', 'reason', 'limit', 'cursor'], name: null },
  history: { options: ['client', 'reason'], name: 'USER_ID' },
  preview: { options: ['reason'], name: 'MRN' },
  import: { options: ['dry-run'], name: 'FILE.csv' },
};

export const links: Command = {
  name: 'links',
  summary: 'links of source users to patients: list, history, preview, import from CSV',
  help,
  async run(args, terminal) {
    const parsed = parseOptions(args, OPTIONS, 'some');
    const usage = makeUsage(terminal, help);
    if (!parsed.ok) return usage(parsed.wrong);
    const { json, url, ...values } = parsed.value.values;
    const [verb = '', name, ...more] = parsed.value.positionals;
    const takes = TAKES[verb];
    if (takes === undefined || more.length > 0)
      return usage('Say list, history USER_ID, preview MRN or import FILE.csv.');
    if ((name === undefined) !== (takes.name === null)) return usage(`Say: links ${verb} ${takes.name ?? ''}`.trim());
    const odd = Object.keys(values).find((one) => !takes.options.includes(one));
    if (odd !== undefined) return usage(`--${odd} does not go with ${verb}.`);
    const { 'dry-run': isDry, status, user, client, mrn, reason, limit, cursor } = values;
    if (verb === 'import')
      return importFile(name ?? '', { isDry: isDry === true, isJson: json === true, url }, terminal);
    const asked = verb === 'list' || verb === 'history' ? verb : 'preview';
    return lookAtLinks(makeAdminApi(url, terminal.env), terminal, json === true ? 'json' : 'text', {
      verb: asked,
      whom: name ?? '',
      status,
      user,
      client,
      mrn,
      reason,
      limit,
      cursor,
    });
  },
};
