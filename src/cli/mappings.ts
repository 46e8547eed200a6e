import { readFile } from 'node:fs/promises';
import type { AnswerOf, ContractOf } from '../admin/index.ts';
import type { Explanation } from '../forward/index.ts';
import { errorCode } from '../kernel/index.ts';
import { makeAdminApi, type AdminApi } from './admin-api.ts';
import { EXIT, makeUsage, type Command, type Terminal } from './command.ts';
import { explanationText } from './explain-report.ts';
import { parseOptions } from './parse-options.ts';
import { reportAnswer } from './report-answer.ts';
import { moreLine } from './targets-report.ts';

const help = `Usage: chartgate mappings rows [--text TEXT] [--file FILE] [--limit N] [--cursor CURSOR] [--url URL] [--json]
       chartgate mappings check [--url URL] [--json]
       chartgate mappings reload [--url URL] [--json]
       chartgate mappings loads [--limit N] [--cursor CURSOR] [--url URL] [--json]
       chartgate mappings try PAYLOAD [--mrn MRN] [--url URL] [--json]

The mapping data and templates of a running gateway. The token or API key is taken from CHARTGATE_ADMIN_TOKEN.

  rows             what is in force: each row, where it comes from and who reviewed it
  check            look at the files as they are now and tell every problem; nothing is loaded
  reload           load them; unsound ones are refused and the old stay in force
  loads            when they were loaded or refused, by whom, and what had changed
  try              what would be written for a payload of the Data Webhook in a file (- for standard input), and why;
                   nothing is stored or sent

  --text TEXT      rows that hold this text
  --file FILE      rows of this file, such as conceptmap-metrics.json
  --mrn MRN        as if the user of the payload were linked to this patient
  --limit N        how many of a list are shown (default: 50)
  --cursor CURSOR  where the next page of a list begins
  --url URL        where the gateway is (default: CHARTGATE_PUBLIC_URL or http://localhost:8080)
  --json           the gateway's answer as one line of JSON

Exit code: 0 done · 1 refused, not sound, or it would not go out · 2 wrong arguments, or unreadable · 69 no gateway
there
`;

const OPTIONS = {
  text: { type: 'string' },
  file: { type: 'string' },
  mrn: { type: 'string' },
  limit: { type: 'string' },
  cursor: { type: 'string' },
  url: { type: 'string' },
  json: { type: 'boolean' },
} as const;

/** Which options go with which verb. */
const TAKES: Readonly<Record<string, readonly string[]>> = {
  rows: ['text', 'file', 'limit', 'cursor'],
  check: [],
  reload: [],
  loads: ['limit', 'cursor'],
  try: ['mrn'],
};

const tellRows = ({ total, rows, next }: AnswerOf<ContractOf<'mappings.rows'>>): string =>
  [
    ...rows.map(
      ({ row, system, target, display, says }) =>
        `${row}  ${system}|${target}${display === null ? '' : ` ${display}`}  ${says}\n`,
    ),
    `${total} rows\n`,
    moreLine(next),
  ].join('');

const tellCheck = ({ isSound, problems }: AnswerOf<ContractOf<'mappings.check'>>): string =>
  isSound
    ? 'sound\n'
    : problems
        .map(({ file, line, row, text }) => `${file}:${line ?? 1}: ${row === null ? '' : `${row}: `}${text}\n`)
        .join('');

const tellLoads = ({ loads, next }: AnswerOf<ContractOf<'mappings.loads'>>): string =>
  loads
    .map(({ firstAt, lastAt, count, by, outcome, digest, rows, changes, problems }) =>
      [
        `${count === 1 ? firstAt : `${firstAt} to ${lastAt}, ${count} times`}  ${outcome}  by ${by}`,
        digest === null ? '\n' : `  ${rows} rows  ${digest.slice(0, 12)}\n`,
        ...changes.map(({ what, from, to }) => `  ${what}: ${from ?? 'nothing'} -> ${to ?? 'nothing'}\n`),
        ...problems.map((text) => `  ${text}\n`),
      ].join(''),
    )
    .join('') + moreLine(next);

async function readPayload(file: string, { stdin }: Terminal): Promise<Uint8Array<ArrayBuffer>> {
  if (file !== '-') return new Uint8Array(await readFile(file));
  const parts: Buffer[] = [];
  for await (const part of stdin) parts.push(Buffer.from(part));
  return new Uint8Array(Buffer.concat(parts));
}

async function tryPayload(
  api: AdminApi,
  file: string,
  mrn: string | undefined,
  terminal: Terminal,
  form: 'json' | 'text',
): Promise<number> {
  let content: Uint8Array<ArrayBuffer>;
  try {
    content = await readPayload(file, terminal);
  } catch (thrown) {
    if (errorCode(thrown) === null) throw thrown;
    terminal.stderr.write(`The payload cannot be read (${errorCode(thrown) ?? ''}).\n`);
    return EXIT.usage;
  }
  const reply = await api.call('mappings.try', { query: { mrn }, bytes: { type: 'application/json', content } });
  const code = reportAnswer(reply, terminal, form, (tried) =>
    explanationText({ ...tried, delivery: null } as unknown as Explanation),
  );
  return reply.kind === 'done' && !reply.value.wouldGo ? EXIT.failed : code;
}

export const mappings: Command = {
  name: 'mappings',
  summary: 'mapping data: rows, check, reload, history; try a payload',
  help,
  async run(args, terminal) {
    const usage = makeUsage(terminal, help);
    const parsed = parseOptions(args, OPTIONS, 'some');
    if (!parsed.ok) return usage(parsed.wrong);
    const { url, json, ...values } = parsed.value.values;
    const [verb = '', payload, ...more] = parsed.value.positionals;
    const takes = TAKES[verb];
    if (takes === undefined || more.length > 0) return usage('Say rows, check, reload, loads or try PAYLOAD.');
    if ((payload !== undefined) !== (verb === 'try')) return usage('try takes a file, and nothing else does.');
    const odd = Object.keys(values).find((name) => !takes.includes(name));
    if (odd !== undefined) return usage(`--${odd} does not go with ${verb}.`);
    const form = json === true ? 'json' : 'text';
    const api = makeAdminApi(url, terminal.env, verb === 'try' ? 'digits' : 'numbers');
    const { mrn, text, file, limit, cursor } = values;
    switch (verb) {
      case 'rows': {
        const reply = await api.call('mappings.rows', { query: { text, file, limit, cursor } });
        return reportAnswer(reply, terminal, form, tellRows);
      }
      case 'check': {
        const reply = await api.call('mappings.check');
        const code = reportAnswer(reply, terminal, form, tellCheck);
        return reply.kind === 'done' && !reply.value.isSound ? EXIT.failed : code;
      }
      case 'reload': {
        const reply = await api.call('mappings.reload');
        const problems = reply.kind === 'refused' && form === 'text' ? (reply.problem.problems ?? []) : [];
        const code = reportAnswer(
          reply,
          terminal,
          form,
          ({ changed, version, templates }) => `${changed}  ${version.slice(0, 12)}  ${templates} templates\n`,
        );
        for (const problem of problems) terminal.stderr.write(`${problem}\n`);
        return code;
      }
      case 'loads':
        return reportAnswer(await api.call('mappings.loads', { query: { limit, cursor } }), terminal, form, tellLoads);
      default:
        return tryPayload(api, payload ?? '', mrn, terminal, form);
    }
  },
};
