import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { errorCode, StartError } from '../kernel/index.ts';
import { EXIT, makeUsage, type Command } from './command.ts';
import { parseOptions } from './parse-options.ts';

const help = `Usage: chartgate init [--file FILE] [--database URL] [--json]

Writes a file of settings for "serve" with new keys and secrets in it, readable by you alone. What only you know (the
EHR, the identifier system of the MRN, your client at the health data service) stands there to be filled in. Nothing
else is touched. Keep a copy of the keys apart from the database: without them nobody can read it again.

  --file FILE      where to write (default: chartgate.env); a file that is there is not replaced
  --database URL   sqlite:FILE or postgres://… (default: sqlite:chartgate.db?create=yes)
  --json           what was written as JSON, without any secret

Exit code: 0 written · 2 wrong arguments · 78 the file is there already, or cannot be written
`;

const key = (): string => randomBytes(32).toString('base64');
const token = (): string => randomBytes(32).toString('hex');

/** A file of \`NAME=value\` lines, as systemd, Docker and \`set -a\` read it. */
function settingsFile(database: string): string {
  return `# Settings of a Chartgate gateway. Whoever reads this file can read everything that the gateway stores.
# In a shell: set -a; . ./chartgate.env; set +a; chartgate doctor

# Fill these in.
# The EHR's FHIR base, and how it is asked (none, basic, bearer, smart-backend):
CHARTGATE_EHR_URL=
CHARTGATE_EHR_AUTH=none
# The identifier system of the medical record number, such as urn:oid:1.2.3 or https://hospital.example/mrn:
CHARTGATE_MRN_SYSTEM=
# Our client at the health data service:
CHARTGATE_CLIENT_UUID=
# How others reach this gateway:
CHARTGATE_PUBLIC_URL=http://localhost:8080

CHARTGATE_DATABASE_URL=${database}

# Made for this file. The keys must not change while the database lives, but by "chartgate keys rotate".
CHARTGATE_DATA_KEY=${key()}
CHARTGATE_AUDIT_KEY=${key()}
CHARTGATE_PSEUDONYM_KEY=${key()}
# The path segment of the webhook: /webhooks/SECRET/data
CHARTGATE_WEBHOOK_SECRET=${token()}
# For the command line and other machines:
CHARTGATE_ADMIN_TOKEN=${token()}

# Reads from the EHR and reports what would be written. When the report is as it should be: live.
CHARTGATE_MODE=shadow
`;
}

export const init: Command = {
  name: 'init',
  summary: 'write a file of settings with new keys',
  help,
  run(args, terminal) {
    const usage = makeUsage(terminal, help);
    const parsed = parseOptions(
      args,
      { file: { type: 'string' }, database: { type: 'string' }, json: { type: 'boolean' } },
      'none',
    );
    if (!parsed.ok) return Promise.resolve(usage(parsed.wrong));
    const { values } = parsed.value;
    const database = values.database ?? 'sqlite:chartgate.db?create=yes';
    if (!/^(?:sqlite:|postgres(?:ql)?:\/\/)\S+$/.test(database))
      return Promise.resolve(usage('--database must be sqlite:FILE or postgres://…'));
    const file = resolve(values.file ?? 'chartgate.env');
    try {
      writeFileSync(file, settingsFile(database), { mode: 0o600, flag: 'wx' });
    } catch (thrown) {
      const code = errorCode(thrown);
      if (code === null) throw thrown;
      const why =
        code === 'EEXIST'
          ? 'There is a file of that name. Name another with --file; this one is not replaced.'
          : `The file cannot be written (${code}). Name another place with --file.`;
      throw new StartError('cli.file', why, thrown);
    }
    const toFill = ['CHARTGATE_EHR_URL', 'CHARTGATE_MRN_SYSTEM', 'CHARTGATE_CLIENT_UUID'];
    terminal.stdout.write(
      values.json === true
        ? `${JSON.stringify({ file, database: database.split(':')[0], toFill })}\n`
        : `Settings with new keys are in ${file}. Fill in ${toFill.join(', ')}, then:\n\n` +
            `  set -a; . ${file}; set +a\n  chartgate doctor\n  chartgate serve\n`,
    );
    return Promise.resolve(EXIT.ok);
  },
};
