import { toDatabase } from '../config/index.ts';
import { checkCopy, copyText } from './check-copy.ts';
import { EXIT, makeUsage, type Command } from './command.ts';
import { parseOptions } from './parse-options.ts';
import { readCheckSettings } from './read-check-settings.ts';

const help = `Usage: chartgate restore --check FROM [--key KEY] [--json]

Whether a backup could be restored: opens it without touching it, and looks at its pages, at the ledger row by row, at
every record and signature of the audit, and at whether the keys in CHARTGATE_DATA_KEY and CHARTGATE_PSEUDONYM_KEY
open it. Restores nothing: docs/backup.md tells how.

  FROM        the file that "chartgate backup" made, or postgres://… of a database into which a dump was restored
  --key KEY   the public key that "audit key" told (default: from CHARTGATE_AUDIT_KEY)
  --json      the report as one line of JSON

Exit code: 0 sound · 1 not sound · 2 wrong arguments · 69 it cannot be opened · 78 a setting is wrong
`;

const OPTIONS = { check: { type: 'boolean' }, key: { type: 'string' }, json: { type: 'boolean' } } as const;

const isAddress = (from: string): boolean => /^(sqlite:|postgres(ql)?:\/\/)/.test(from);

export const restore: Command = {
  name: 'restore',
  summary: 'check whether a backup can be restored',
  help,
  async run(args, terminal) {
    const parsed = parseOptions(args, OPTIONS, 'some');
    const usage = makeUsage(terminal, help);
    if (!parsed.ok) return usage(parsed.wrong);
    const { check, key, json } = parsed.value.values;
    const [from, ...more] = parsed.value.positionals;
    if (check !== true || from === undefined || more.length > 0) return usage('Say: restore --check FROM.');
    const { by, wrong } = readCheckSettings(terminal.env, key);
    if (by === null) return usage(wrong ?? '');
    const report = await checkCopy(toDatabase(isAddress(from) ? from : `sqlite:${from}`), by);
    terminal.stdout.write(
      json === true
        ? `${JSON.stringify(report)}\n`
        : `${report.sound ? 'It can be restored.' : 'DO NOT RESTORE IT.'}\n${copyText(report)}`,
    );
    return report.sound ? EXIT.ok : EXIT.failed;
  },
};
