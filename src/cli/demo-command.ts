import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { VERSION } from '../gateway/index.ts';
import type { Command } from './command.ts';
import { loadSandbox } from './load-sandbox.ts';

const help = `Usage: chartgate demo [--data FOLDER] [--listen ADDRESS] [--port N] [--ehr-port N] [--service-port N] [--app-port N]
                       [--users N] [--days D] [--speed X] [--empty] [--write-to-foreign-ehr] [--install] [--json]

Runs the gateway together with a demo EHR, a sandbox of the health data service and a clinician's sample app on this
machine. Keys, secrets and databases are made under the data folder. Behind the sandbox are invented people whose days
go by: a new folder begins with a month of them, then their data comes live. CHARTGATE_* settings in the environment
win over the demonstration's own.

With CHARTGATE_EHR_URL the gateway writes to that EHR, and no demo EHR is started. The invented people go there only
after a question on the terminal is answered with yes, or with --write-to-foreign-ehr: they are added as patients, and
their data is written into their charts. Without either the gateway starts with nobody. CHARTGATE_EHR_AUTH and the
other CHARTGATE_EHR_* settings are used for all of it. Each such EHR has a folder of its own below the data folder.
With CHARTGATE_MODE=shadow nothing is written and nothing is asked; "chartgate shadow report" then tells what would
be.

  --data FOLDER   where everything is kept (default: data)
  --listen ADDRESS
                  where all of it listens (default: 127.0.0.1). In a container: 0.0.0.0, with ports that are published
                  on 127.0.0.1 of the machine alone. It is a demonstration: whoever reaches it may do anything to it
  --port N        the gateway's port (default: CHARTGATE_PORT or 8080)
  --ehr-port N    the demo EHR's port (default: 8081)
  --service-port N
                  the sandbox's port (default: 8082)
  --app-port N    the sample app's port (default: 8083)
  --users N       how many people are linked and connected (default: 5)
  --days D        how many days of theirs lie behind them (default: 30)
  --speed X       how many times faster than the clock their time runs (default: 240, a day in six minutes),
                  until it is 120 days ahead; then it runs as the clock does
  --empty         connect nobody
  --write-to-foreign-ehr
                  write invented patients and their data to the EHR of CHARTGATE_EHR_URL, without asking
  --install       where the sandbox, a package of its own, is not there: install it below the data folder without asking
  --json          say where to look as one line of JSON
`;

export const demo: Command = {
  name: 'demo',
  summary: 'gateway, demo EHR, sandbox of the service and sample app together, on embedded defaults',
  help,
  async run(args, terminal) {
    // The demonstration looks at its own arguments; here it is only found.
    const { values } = parseArgs({ args: [...args], options: { data: { type: 'string' } }, strict: false });
    const sandbox = await loadSandbox({
      version: VERSION,
      folder: join(typeof values['data'] === 'string' ? values['data'] : 'data', 'packages'),
      install: args.includes('--install') ? 'yes' : 'ask',
      terminal,
    });
    return sandbox.demonstration.run(
      args.filter((one) => one !== '--install'),
      terminal,
    );
  },
};
