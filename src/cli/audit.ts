import { EXIT, makeUsage, type Command, type Terminal } from './command.ts';
import { explainAnswer, makeAdminApi } from './admin-api.ts';
import { appendTo } from './append-to.ts';
import { auditLine, verifiedText } from './audit-report.ts';
import { keysFrom, verifyOffline } from './verify-audit.ts';
import { parseOptions } from './parse-options.ts';
import type { Verified } from '../audit/index.ts';

const help = `Usage: chartgate audit search [FILTERS] [--limit N] [--url URL] [--json]
       chartgate audit export [FILTERS] [--open] [--out FILE] [--url URL]
       chartgate audit export --form records [--out FILE] [--url URL]
       chartgate audit verify [--url URL] [--json]
       chartgate audit verify --database URL | --file EXPORT [--key KEY] [--checkpoint PATH] [--json]
       chartgate audit key [--url URL]

Who saw or wrote what, and the proof that nothing of it was changed. search, export and key ask a running gateway, with the operator's
token from CHARTGATE_ADMIN_TOKEN; each question is itself recorded. verify asks it too, or works alone on a database or an export.

  FILTERS           --patient MRN or --patient Patient/ID, --client ID, --delivery ID, --request ID, --type TYPE,
                    --outcome 0|4|8|12|refused, --from TIME, --to TIME (2026-01-31T00:00:00Z)
  --form FORM       events: IHE BALP AuditEvents, one a line (default) · records: everything with its proofs, for verify --file
  --open            with what was sealed: the query as it came, ids of patients
  --out FILE        where to write (default: standard output); a file that is there is not replaced
  --database URL    sqlite:FILE or postgres://…, read and not touched; no keys of it are needed
  --file EXPORT     an export of form records, or a segment; - reads standard input
  --key KEY[,KEY]   the public key that "audit key" told (default: from CHARTGATE_AUDIT_KEY). After a change of the key the newest is
                    enough; a segment may need those that signed it and what names it
  --checkpoint PATH a checkpoint that was kept elsewhere: the anchor's file or folder. Without one, an older copy looks sound
  --json            the answer as JSON

Exit code: 0 done, sound · 1 refused, or not sound · 2 wrong arguments or unreadable · 69 no gateway or database there
`;

const text = { type: 'string' } as const;
const flag = { type: 'boolean' } as const;
const FILTERS = ['patient', 'client', 'delivery', 'request', 'type', 'outcome', 'from', 'to', 'limit'] as const;
const OPTIONS = {
  patient: text,
  client: text,
  delivery: text,
  request: text,
  type: text,
  outcome: text,
  from: text,
  to: text,
  limit: text,
  form: text,
  out: text,
  url: text,
  database: text,
  file: text,
  key: text,
  checkpoint: text,
  open: flag,
  json: flag,
} as const;

type Given = Readonly<Record<string, string | boolean | undefined>>;

function queryOf(given: Given, more: Readonly<Record<string, string>> = {}): string {
  const query = new URLSearchParams(more);
  for (const name of FILTERS) if (typeof given[name] === 'string') query.set(name, given[name]);
  return query.size === 0 ? '' : `?${query.toString()}`;
}
const urlOf = ({ url }: Given): string | undefined => (typeof url === 'string' ? url : undefined);

async function search(given: Given, terminal: Terminal): Promise<number> {
  const answer = await makeAdminApi(urlOf(given), terminal.env).ask('GET', `audit${queryOf(given)}`);
  const isDone = answer.status === 200;
  if (given['json'] === true) terminal.stdout.write(`${JSON.stringify(answer.body)}\n`);
  else if (isDone)
    for (const one of answer.body['records'] as Record<string, unknown>[]) terminal.stdout.write(auditLine(one));
  else terminal.stderr.write(`${explainAnswer(answer)}\n`);
  if (isDone && given['json'] !== true && answer.body['next'] !== null)
    terminal.stderr.write('There are more; narrow the times or raise --limit (at most 500).\n');
  return isDone ? EXIT.ok : EXIT.failed;
}

async function exportAll(given: Given, terminal: Terminal): Promise<number> {
  const api = makeAdminApi(urlOf(given), terminal.env);
  const form = given['form'] ?? 'events';
  const base: Record<string, string> =
    form === 'records' ? { form } : given['open'] === true ? { particulars: 'open' } : {};
  const out = appendTo(typeof given['out'] === 'string' ? given['out'] : null, terminal);
  if (out === null) {
    terminal.stderr.write('The file to write is there already, or cannot be made.\n');
    return EXIT.usage;
  }
  try {
    for (let cursor: string | null = null; ;) {
      const part = await api.lines(
        `audit/export${queryOf(form === 'records' ? {} : given, { ...base, ...(cursor === null ? {} : { cursor }) })}`,
      );
      if ('status' in part) {
        terminal.stderr.write(`${explainAnswer(part)}\n`);
        return EXIT.failed;
      }
      await out.write(part.text);
      if (part.next === null || given['limit'] !== undefined) return EXIT.ok;
      cursor = part.next;
    }
  } finally {
    await out.close();
  }
}

function report(verified: Verified, given: Given, terminal: Terminal): number {
  terminal.stdout.write(given['json'] === true ? `${JSON.stringify(verified)}\n` : verifiedText(verified));
  return verified.sound ? EXIT.ok : EXIT.failed;
}

async function verify(given: Given, terminal: Terminal): Promise<number> {
  const { database, file, key, checkpoint } = given;
  if (typeof database === 'string' || typeof file === 'string') {
    const done = await verifyOffline(
      {
        database: typeof database === 'string' ? database : null,
        file: typeof file === 'string' ? file : null,
        key: typeof key === 'string' ? key : null,
        checkpoint: typeof checkpoint === 'string' ? checkpoint : null,
      },
      terminal,
    );
    if ('verified' in done) return report(done.verified, given, terminal);
    terminal.stderr.write(`${done.wrong}\n`);
    return EXIT.usage;
  }
  const answer = await makeAdminApi(urlOf(given), terminal.env).ask('GET', 'audit/verify');
  if (answer.status === 200) return report(answer.body as unknown as Verified, given, terminal);
  terminal.stderr.write(`${explainAnswer(answer)}\n`);
  return EXIT.failed;
}

async function showKey(given: Given, terminal: Terminal): Promise<number> {
  const [own] = urlOf(given) === undefined ? keysFrom(terminal.env) : [];
  if (own !== undefined) {
    terminal.stdout.write(`${own.text}\n`);
    return EXIT.ok;
  }
  const answer = await makeAdminApi(urlOf(given), terminal.env).ask('GET', 'audit/key');
  if (answer.status !== 200) {
    terminal.stderr.write(`${explainAnswer(answer)}\n`);
    return EXIT.failed;
  }
  terminal.stdout.write(`${String(answer.body['key'])}\n`);
  // Apart from the key itself, which is often given on to another command.
  for (const { key, until } of answer.body['earlier'] as { key: string; until: number }[])
    terminal.stderr.write(`Until checkpoint ${until}: ${key}\n`);
  return EXIT.ok;
}

const VERBS: Readonly<Record<string, (given: Given, terminal: Terminal) => Promise<number>>> = {
  search,
  export: exportAll,
  verify,
  key: showKey,
};

export const audit: Command = {
  name: 'audit',
  summary: 'ask who saw or wrote what, export it, and prove that it is whole',
  help,
  async run(args, terminal) {
    const parsed = parseOptions(args, OPTIONS, 'some');
    const usage = makeUsage(terminal, help);
    if (!parsed.ok) return usage(parsed.wrong);
    const [verb = '', ...more] = parsed.value.positionals;
    const given: Given = parsed.value.values;
    const run = Object.hasOwn(VERBS, verb) ? VERBS[verb] : undefined;
    if (run === undefined || more.length > 0) return usage('Say: audit search, export, verify or key.');
    if (given['database'] !== undefined && given['file'] !== undefined) return usage('Give --database or --file.');
    return run(given, terminal);
  },
};
