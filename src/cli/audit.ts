import { EXIT, makeUsage, type Command, type Terminal } from './command.ts';
import type { AdminReply } from '../admin/index.ts';
import { explainRefusal, makeAdminApi } from './admin-api.ts';
import { appendTo } from './append-to.ts';
import { queryOf, urlOf, type Given } from './audit-filters.ts';
import { showCounts } from './audit-counts.ts';
import { auditLine, verifiedText } from './audit-report.ts';
import { showRecord } from './audit-show.ts';
import { changeSearches } from './audit-searches.ts';
import { keysFrom, verifyOffline } from './verify-audit.ts';
import { parseOptions } from './parse-options.ts';
import { reportAnswer } from './report-answer.ts';
import type { Verified } from '../audit/index.ts';

const help = `Usage: chartgate audit search [FILTERS] [--limit N] [--reason TEXT] [--url URL] [--json]
       chartgate audit show CHAIN SEQ [--url URL] [--json]
       chartgate audit export [FILTERS] [--open] [--reason TEXT] [--out FILE] [--url URL]
       chartgate audit export [FILTERS] --form csv [--reason TEXT] [--out FILE] [--url URL]
       chartgate audit export --form records [--out FILE] [--url URL]
       chartgate audit verify [--url URL] [--json]
       chartgate audit verify --database URL | --file EXPORT [--key KEY] [--checkpoint PATH] [--json]
       chartgate audit key [--url URL]
       chartgate audit counts --by actor|app|patient [--interval hour|day] [--from TIME] [--to TIME] [--url URL] [--json]
       chartgate audit searches [--url URL] [--json]
       chartgate audit searches save NAME [FILTERS] [--url URL] [--json]
       chartgate audit searches remove ID [--url URL] [--json]

Who saw or wrote what, and the proof that nothing of it was changed. All but verify ask a running gateway, with the
operator's token from CHARTGATE_ADMIN_TOKEN; each question is itself recorded. verify asks it too, or works
alone on a database or an export.

  FILTERS           --patient MRN or --patient Patient/ID, --actor NAME, --client ID, --delivery ID,
                    --request ID, --type TYPE, --outcome 0|4|8|12|refused, --from TIME, --to TIME (2026-01-31T00:00:00Z)
  --reason TEXT     what it is wanted for, where the patient is restricted; the audit keeps it
  --form FORM       events: IHE BALP AuditEvents, one a line (default) · csv: a table of what is told in clear ·
                    records: everything with its proofs, for verify --file
  --open            with what was sealed: the query as it came, ids of patients
  --out FILE        where to write (default: standard output); a file that is there is not replaced
  --database URL    sqlite:FILE or postgres://…, read and not touched; no keys of it are needed
  --file EXPORT     an export of form records, or a segment; - reads standard input
  --key KEY[,KEY]   the public key that "audit key" told (default: from CHARTGATE_AUDIT_KEY). After a change of the
                    key the newest is enough; a segment may need those that signed it and what names it
  --checkpoint PATH a checkpoint that was kept elsewhere: the anchor's file or folder. Without one, an older copy looks sound
  --by WHAT         whom counts are of: who acted, which app asked, whose data were seen (as keyed hashes)
  --interval LENGTH how long a point of counts is: hour (default) or day
  --json            the answer as JSON

Exit code: 0 done, sound · 1 refused, or not sound · 2 wrong arguments or unreadable · 69 no gateway or database there
`;

const text = { type: 'string' } as const;
const flag = { type: 'boolean' } as const;
const OPTIONS = {
  patient: text,
  actor: text,
  client: text,
  delivery: text,
  request: text,
  type: text,
  outcome: text,
  from: text,
  to: text,
  limit: text,
  reason: text,
  form: text,
  out: text,
  url: text,
  database: text,
  file: text,
  key: text,
  checkpoint: text,
  by: text,
  interval: text,
  open: flag,
  json: flag,
} as const;

const reasonOf = ({ reason }: Given): { readonly reason?: string } => (typeof reason === 'string' ? { reason } : {});

async function search(given: Given, terminal: Terminal): Promise<number> {
  const asked = { query: queryOf(given), ...reasonOf(given) };
  const reply = await makeAdminApi(urlOf(given), terminal.env).call('audit.search', asked);
  const isJson = given['json'] === true;
  const code = reportAnswer(reply, terminal, isJson ? 'json' : 'text', ({ records }) =>
    records.map(auditLine).join(''),
  );
  if (reply.kind === 'done' && !isJson && reply.value.next !== null)
    terminal.stderr.write('There are more; narrow the times or raise --limit (at most 500).\n');
  return code;
}

async function exportAll(given: Given, terminal: Terminal): Promise<number> {
  const api = makeAdminApi(urlOf(given), terminal.env);
  const wanted =
    given['form'] === 'records'
      ? ({ form: 'records' } as const)
      : {
          ...queryOf(given),
          ...(given['form'] === 'csv' ? { form: 'csv' as const } : {}),
          ...(given['open'] === true ? { particulars: 'open' as const } : {}),
        };
  const out = appendTo(typeof given['out'] === 'string' ? given['out'] : null, terminal);
  if (out === null) {
    terminal.stderr.write('The file to write is there already, or cannot be made.\n');
    return EXIT.usage;
  }
  try {
    for (let cursor: string | null = null; ;) {
      const from: { cursor?: string } = cursor === null ? {} : { cursor };
      const asked = { query: { ...wanted, ...from }, ...reasonOf(given) };
      const part: AdminReply<'audit.export'> = await api.call('audit.export', asked);
      if (part.kind === 'refused') {
        terminal.stderr.write(`${explainRefusal(part)}\n`);
        return EXIT.failed;
      }
      await out.write(part.value);
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
  const reply = await makeAdminApi(urlOf(given), terminal.env).call('audit.verify');
  if (reply.kind === 'done') return report(reply.value as Verified, given, terminal);
  terminal.stderr.write(`${explainRefusal(reply)}\n`);
  return EXIT.failed;
}

async function showKey(given: Given, terminal: Terminal): Promise<number> {
  const [own] = urlOf(given) === undefined ? keysFrom(terminal.env) : [];
  if (own !== undefined) {
    terminal.stdout.write(`${own.text}\n`);
    return EXIT.ok;
  }
  const reply = await makeAdminApi(urlOf(given), terminal.env).call('audit.key');
  // The earlier ones apart from the key itself, which is often given on to another command.
  if (reply.kind === 'done')
    for (const { key, until } of reply.value.earlier) terminal.stderr.write(`Until checkpoint ${until}: ${key}\n`);
  return reportAnswer(reply, terminal, 'text', ({ key }) => `${key}\n`);
}

const VERBS: Readonly<Record<string, (given: Given, terminal: Terminal) => Promise<number>>> = {
  search,
  export: exportAll,
  verify,
  key: showKey,
  counts: showCounts,
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
    if (verb === 'searches') return changeSearches(given, more, terminal, usage);
    if (verb === 'show') return showRecord(given, more, terminal, usage);
    const run = Object.hasOwn(VERBS, verb) ? VERBS[verb] : undefined;
    if (run === undefined || more.length > 0)
      return usage('Say: audit search, show, export, verify, key, counts or searches.');
    if (given['database'] !== undefined && given['file'] !== undefined) return usage('Give --database or --file.');
    return run(given, terminal);
  },
};
