import { readFileSync } from 'node:fs';
import type { AnswerOf, ContractOf } from '../admin/index.ts';
import { makeAdminApi } from './admin-api.ts';
import { makeUsage, type Command } from './command.ts';
import { parseOptions } from './parse-options.ts';
import { reportAnswer } from './report-answer.ts';

const help = `Usage: chartgate groups list [--cursor CURSOR] [--limit N] [--url URL] [--json]
       chartgate groups show ID [--url URL] [--json]
       chartgate groups members ID [--cursor CURSOR] [--limit N] [--url URL] [--json]
       chartgate groups add --name NAME --mrns FILE [--url URL] [--json]
       chartgate groups change ID [--name NAME] [--add FILE] [--remove FILE] [--url URL] [--json]
       chartgate groups remove ID [--url URL] [--json]

Groups of patients that apps can export: all linked patients, those with a data source, and lists of MRNs that are kept
here. An MRN without a confirmed link may be in a list; nothing of such a patient is shown or exported. The operator's
token is taken from CHARTGATE_ADMIN_TOKEN.

  --name NAME      what the list is called
  --mrns FILE      MRNs of a new list, one a line
  --add FILE       MRNs that are put in, one a line
  --remove FILE    MRNs that are taken out, one a line
  --cursor CURSOR  where the next page begins
  --limit N        how many of them, 1 to 500 (default: 50)
  --url URL        where the gateway is (default: CHARTGATE_PUBLIC_URL or http://localhost:8080)
  --json           the gateway's answer as one line of JSON

Exit code: 0 done · 1 refused · 2 wrong arguments · 69 no gateway there
`;

const OPTIONS = {
  name: { type: 'string' },
  mrns: { type: 'string' },
  add: { type: 'string' },
  remove: { type: 'string' },
  cursor: { type: 'string' },
  limit: { type: 'string' },
  url: { type: 'string' },
  json: { type: 'boolean' },
} as const;

/** Which options go with which verb, beside those of every one. */
const TAKES: Readonly<Record<string, readonly string[]>> = {
  list: ['cursor', 'limit'],
  show: [],
  members: ['cursor', 'limit'],
  add: ['name', 'mrns'],
  change: ['name', 'add', 'remove'],
  remove: [],
};

type Group = AnswerOf<ContractOf<'groups.get'>>;

const groupLine = ({ id, name, kind, linked, members }: Group): string =>
  `${id}  ${kind}  ${linked} linked${members === null ? '' : ` of ${members}`}  ${name}\n`;
const moreLine = (next: string | null): string => (next === null ? '' : `more: --cursor ${next}\n`);

/** Null: there is no such file. */
function readMrns(file: string): string[] | null {
  try {
    return readFileSync(file, 'utf8')
      .split(/\r?\n/)
      .map((line) => line.trim())
      .filter((line) => line !== '');
  } catch {
    return null;
  }
}

export const groups: Command = {
  name: 'groups',
  summary: 'groups of patients that apps can export: list, show, add, change and remove',
  help,
  async run(args, terminal) {
    const usage = makeUsage(terminal, help);
    const parsed = parseOptions(args, OPTIONS, 'some');
    if (!parsed.ok) return usage(parsed.wrong);
    const { values } = parsed.value;
    const [verb = '', id, ...more] = parsed.value.positionals;
    const takes = TAKES[verb];
    if (takes === undefined) return usage(`Say one of ${Object.keys(TAKES).join(', ')}.`);
    const odd = Object.keys(values).find((name) => ![...takes, 'url', 'json'].includes(name));
    if (odd !== undefined) return usage(`${verb} does not take --${odd}.`);
    const isOfOne = verb !== 'list' && verb !== 'add';
    if (more.length > 0 || (id !== undefined) !== isOfOne)
      return usage(`${verb} takes ${isOfOne ? 'one id' : 'no id'}.`);
    const files = [values.mrns, values.add, values.remove].map((file) =>
      file === undefined ? undefined : readMrns(file),
    );
    if (files.includes(null)) return usage('A file of MRNs cannot be read.');
    const [mrns, add, remove] = files.map((file) => file ?? undefined);
    const form = values.json === true ? 'json' : 'text';
    const api = makeAdminApi(values.url, terminal.env);
    const [params, query] = [{ id: id ?? '' }, { cursor: values.cursor, limit: values.limit }];
    switch (verb) {
      case 'list':
        return reportAnswer(await api.call('groups.list', { query }), terminal, form, (page) =>
          [...[...page.standard, ...page.groups].map(groupLine), moreLine(page.next)].join(''),
        );
      case 'show':
        return reportAnswer(await api.call('groups.get', { params }), terminal, form, groupLine);
      case 'members':
        return reportAnswer(await api.call('groups.members', { params, query }), terminal, form, (page) =>
          [
            ...page.members.map(({ mrn, isLinked }) => `${mrn}  ${isLinked ? 'linked' : 'not linked'}\n`),
            moreLine(page.next),
          ].join(''),
        );
      case 'add':
        if (values.name === undefined || mrns === undefined) return usage('add needs --name and --mrns.');
        return reportAnswer(
          await api.call('groups.add', { body: { name: values.name, mrns } }),
          terminal,
          form,
          groupLine,
        );
      case 'change':
        return reportAnswer(
          await api.call('groups.change', { params, body: { name: values.name, add, remove } }),
          terminal,
          form,
          groupLine,
        );
      default:
        return reportAnswer(await api.call('groups.remove', { params }), terminal, form, ({ state }) => `${state}\n`);
    }
  },
};
