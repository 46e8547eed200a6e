import { parseArgs } from 'node:util';
import type { Patient } from './prepare-bundle.ts';
import { SETS, type SetName } from './suite-run.ts';

export const HELP = `Usage: npm run test:inferno -- [SET…] [options]

Runs the suites of Inferno (https://inferno-framework.github.io) against a gateway, presses its sign-in pages in
Chromium, and prints what passed. Without a SET all of them:

  smart           SMART App Launch 1.0, 2.0, 2.2: every kind of app and launch, backend services, introspection
  granular        granular scopes of US Core 6.1.0, 7.0.0, 8.0.0
  us-core         the API of US Core 3.1.1 to 8.0.0 with system/, user/ and patient/ tokens
  bulk            Bulk Data 2.0.0
  subscriptions   Subscriptions Backport 1.1.0; the gateway must be allowed to notify Inferno's address
  client          SMART 2.2 as a client: the gateway at an EHR that Inferno plays

  --inferno URL     the Inferno (default: TEST_INFERNO_URL, else http://localhost:4567)
  --gateway URL     a gateway that runs already; without it one is started with a demo EHR and the CHARTGATE_… settings
                    of the environment, and stopped at the end
  --admin-token-file FILE    its operator's token (default: the variable CHARTGATE_ADMIN_TOKEN)
  --ehr URL         the FHIR base of the EHR behind it, for --direct and --data
  --webhook-secret-file FILE, --client-uuid UUID    for subscriptions: how something is written through it
  --data FOLDER     sends the transactions of this folder to the EHR (one JSON file a patient) and tests with these
                    patients (default: TEST_INFERNO_DATA, else three patients of the demo EHR's own)
  --patients ID=MRN,…    tests with these patients instead; tokens for one patient are for the last
  --mrn-system URI  which identifier is the MRN, for --data (default: the demo's)
  --direct          runs the same at the EHR itself, and tells what is lost on the way through the gateway
  --minutes N       begins nothing new after N minutes, and names what was not run
  --only REGEXP     only the runs whose names it matches
  --list            names the runs, and runs none
  --json FILE       also writes every test's result to a file; - is standard output, which then has nothing else
  --help            this text

Ends with 0 where nothing failed and nothing was lost but what tools/inferno/expected.ts expects, with 1 where
something did, with 2 where the command is wrong, and with 3 where Inferno or Chromium is not there. Needs Chromium at
/usr/bin. A gateway that was given keeps the links that were made, and what --data sent to its EHR.
`;

export const DEFAULT_INFERNO = 'http://localhost:4567';

export type Asked = {
  readonly sets: readonly SetName[];
  readonly only: RegExp;
  readonly inferno: string;
  readonly gateway: {
    readonly url: string;
    readonly adminTokenFile: string | null;
    readonly webhookSecretFile: string | null;
    readonly clientUuid: string | null;
  } | null;
  readonly ehr: string | null;
  readonly data: string | null;
  readonly patients: readonly Patient[] | null;
  readonly mrnSystem: string | null;
  readonly minutesMax: number;
  readonly isDirect: boolean;
  readonly isList: boolean;
  readonly json: string | null;
};

const isSet = (word: string): word is SetName => (SETS as readonly string[]).includes(word);
const trimSlash = (url: string): string => url.replace(/\/+$/, '');

function parsePatients(text: string): Patient[] | null {
  const pairs = text.split(',').map((pair) => pair.split('='));
  if (pairs.some(([id, mrn, ...more]) => !id || !mrn || more.length > 0)) return null;
  return pairs.map(([id = '', mrn = '']) => ({ id, mrn }));
}

/** What was asked for, or what is wrong with it. */
export function parseAsked(
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): Asked | 'help' | { readonly problem: string } {
  const text = { type: 'string' } as const;
  const flag = { type: 'boolean', default: false } as const;
  const read = () =>
    parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        inferno: text,
        gateway: text,
        'admin-token-file': text,
        ehr: text,
        'webhook-secret-file': text,
        'client-uuid': text,
        data: text,
        patients: text,
        'mrn-system': text,
        only: text,
        minutes: text,
        json: text,
        direct: flag,
        list: flag,
        help: { ...flag, short: 'h' },
      },
    });
  let parsed: ReturnType<typeof read>;
  let only: RegExp;
  try {
    parsed = read();
    only = new RegExp(parsed.values.only ?? '');
  } catch (thrown) {
    return { problem: thrown instanceof Error ? thrown.message : String(thrown) };
  }
  const { values, positionals } = parsed;
  if (values.help) return 'help';
  const unknown = positionals.find((word) => !isSet(word));
  if (unknown !== undefined) return { problem: `${unknown} is no set: ${SETS.join(', ')}` };
  for (const [name, url] of Object.entries({ inferno: values.inferno, gateway: values.gateway, ehr: values.ehr }))
    if (url !== undefined && !URL.canParse(url)) return { problem: `--${name} must be an address, not ${url}` };
  if (values.gateway === undefined && values.ehr !== undefined)
    return { problem: '--ehr is the EHR behind a gateway that --gateway names' };
  if (values.gateway !== undefined && values.ehr === undefined && (values.direct || values.data !== undefined))
    return { problem: '--direct and --data need the EHR behind that gateway: --ehr URL' };
  const minutesMax = values.minutes === undefined ? Infinity : Number(values.minutes);
  if (!(minutesMax > 0)) return { problem: `--minutes must be a number above 0, not ${values.minutes ?? ''}` };
  const patients = values.patients === undefined ? null : parsePatients(values.patients);
  if (values.patients !== undefined && patients === null) return { problem: '--patients is a list such as 85=MRN85' };
  return {
    sets: positionals.filter(isSet),
    only,
    inferno: trimSlash(values.inferno ?? env['TEST_INFERNO_URL'] ?? DEFAULT_INFERNO),
    gateway:
      values.gateway === undefined
        ? null
        : {
            url: trimSlash(values.gateway),
            adminTokenFile: values['admin-token-file'] ?? null,
            webhookSecretFile: values['webhook-secret-file'] ?? null,
            clientUuid: values['client-uuid'] ?? null,
          },
    ehr: values.ehr === undefined ? null : trimSlash(values.ehr),
    data: values.data ?? (values.gateway === undefined ? env['TEST_INFERNO_DATA'] : undefined) ?? null,
    patients,
    mrnSystem: values['mrn-system'] ?? null,
    minutesMax,
    isDirect: values.direct,
    isList: values.list,
    json: values.json ?? null,
  };
}
