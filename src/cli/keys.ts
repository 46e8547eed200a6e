import { makeAdminApi } from './admin-api.ts';
import { makeUsage, type Command } from './command.ts';
import { parseOptions } from './parse-options.ts';
import { reportAnswer } from './report-answer.ts';

const help = `Usage: chartgate keys rotate [--url URL] [--json]

Makes a new key for the id tokens of the embedded authorization server, at a running gateway. It signs from now on, at every
replica. The public key before it stays in /auth/jwks until the last token that it signed has ended, 65 minutes later.

It rotates nothing else. Access and refresh tokens are not signed. The data key is changed by its setting, as docs/operate.md
tells; so is the key by which the gateway proves itself to the EHR.

The operator's token is taken from CHARTGATE_ADMIN_TOKEN.

  --url URL   where the gateway is (default: CHARTGATE_PUBLIC_URL or http://localhost:8080)
  --json      the gateway's answer as one line of JSON

Exit code: 0 done · 1 refused · 2 wrong arguments · 69 no gateway there
`;

const OPTIONS = { url: { type: 'string' }, json: { type: 'boolean' } } as const;

export const keys: Command = {
  name: 'keys',
  summary: 'make a new key for id tokens',
  help,
  async run(args, terminal) {
    const parsed = parseOptions(args, OPTIONS, 'some');
    const usage = makeUsage(terminal, help);
    if (!parsed.ok) return usage(parsed.wrong);
    const { url, json } = parsed.value.values;
    const [verb, ...more] = parsed.value.positionals;
    if (verb !== 'rotate' || more.length > 0) return usage('Say rotate.');
    const answer = await makeAdminApi(url, terminal.env).ask('POST', 'keys/rotate');
    return reportAnswer(answer, terminal, json === true ? 'json' : 'text', ({ kid, retiring }) =>
      [
        `id tokens are signed with ${String(kid)} from now on\n`,
        ...((retiring ?? []) as Record<string, unknown>[]).map(
          (one) => `${String(one['kid'])} stays in /auth/jwks until ${String(one['until'])}\n`,
        ),
      ].join(''),
    );
  },
};
