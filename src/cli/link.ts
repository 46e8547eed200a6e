import { explainAnswer, makeAdminApi } from './admin-api.ts';
import { EXIT, makeUsage, type Command } from './command.ts';
import { parseOptions } from './parse-options.ts';

const help = `Usage: chartgate link USER_ID MRN [--client UUID] [--propose] [--evidence TEXT] [--url URL] [--json]
       chartgate link USER_ID --revoke [--client UUID] [--url URL] [--json]

Tells a running gateway which patient a source user is. What waited for it is released; another MRN than before takes what was
written out of the old chart and writes it to the new one. The operator's token is taken from CHARTGATE_ADMIN_TOKEN.

  --client UUID     the user's client at the source (default: the gateway's CHARTGATE_CLIENT_UUID)
  --propose         only propose: nothing goes out before it is confirmed
  --evidence TEXT   how this is known, for whoever asks later
  --revoke          the user is nobody's any longer; what was written stays
  --url URL         where the gateway is (default: CHARTGATE_PUBLIC_URL or http://localhost:8080)
  --json            the gateway's answer as one line of JSON

Exit code: 0 done · 1 refused · 2 wrong arguments · 69 no gateway there
`;

const OPTIONS = {
  client: { type: 'string' },
  evidence: { type: 'string' },
  url: { type: 'string' },
  propose: { type: 'boolean' },
  revoke: { type: 'boolean' },
  json: { type: 'boolean' },
} as const;

const COUNTS = [
  ['released', 'released'],
  ['requeued', 'queued again'],
  ['retracting', 'to be taken out of the old chart'],
  ['unrepeatable', 'cannot be written again, since their bytes are gone'],
  ['parked', 'wait for a link again'],
] as const;

function sentence(body: Readonly<Record<string, unknown>>): string {
  const counts = COUNTS.filter(([name]) => Number(body[name]) > 0).map(([name, words]) => `  ${Number(body[name])} ${words}\n`);
  const rest = body['isSettled'] === false ? '  more are being moved; the gateway goes on by itself\n' : '';
  return `${String(body['id'])} is ${String(body['status'])} (${String(body['change'])})\n${counts.join('')}${rest}`;
}

export const link: Command = {
  name: 'link',
  summary: 'tell a running gateway which patient a source user is',
  help,
  async run(args, terminal) {
    const parsed = parseOptions(args, OPTIONS, 'some');
    const usage = makeUsage(terminal, help);
    if (!parsed.ok) return usage(parsed.wrong);
    const { client, evidence, url, propose, revoke, json } = parsed.value.values;
    const [user, mrn, ...more] = parsed.value.positionals;
    if (user === undefined || more.length > 0 || (mrn === undefined) !== (revoke === true))
      return usage(revoke === true ? 'Name the user alone.' : 'Name the user and the MRN.');
    if (revoke === true && (propose === true || evidence !== undefined))
      return usage('--revoke goes with neither --propose nor --evidence.');
    const api = makeAdminApi(url, terminal.env);
    const path = `links/${encodeURIComponent(user)}`;
    const answer =
      revoke === true
        ? await api.ask('DELETE', client === undefined ? path : `${path}?client_uuid=${encodeURIComponent(client)}`)
        : await api.ask('PUT', path, {
            type: 'application/json',
            text: JSON.stringify({
              mrn,
              status: propose === true ? 'proposed' : 'confirmed',
              ...(evidence === undefined ? {} : { evidence }),
              ...(client === undefined ? {} : { client_uuid: client }),
            }),
          });
    const isDone = answer.status === 200;
    if (json === true) terminal.stdout.write(`${JSON.stringify(answer.body)}\n`);
    else if (isDone) terminal.stdout.write(sentence(answer.body));
    else terminal.stderr.write(`${explainAnswer(answer)}\n`);
    if (isDone && answer.body['isForeignClient'] === true)
      terminal.stderr.write(
        'Warning: the gateway takes deliveries of another client (CHARTGATE_CLIENT_UUID); of this one nothing will come.\n',
      );
    return isDone ? EXIT.ok : EXIT.failed;
  },
};
