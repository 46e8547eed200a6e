import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadConfig } from '../config/index.ts';
import { systemClock } from '../kernel/index.ts';
import { makeWinstonLog } from '../ops/index.ts';
import { DEMO_MRN_SYSTEM, DEMO_PATIENTS, seedEhr, startEhr } from '../sandbox/index.ts';
import { startGateway } from '../wire.ts';
import { EXIT, type Command } from './command.ts';
import { loadDemoSettings } from './demo-settings.ts';
import { parseOptions } from './parse-options.ts';
import { runUntilStopped, unlessStopped } from './run-until-stopped.ts';

const help = `Usage: chartgate demo [--data FOLDER] [--port N] [--ehr-port N] [--json]

Runs the gateway together with a demo EHR on this machine. Keys, secrets and databases are made under the data folder.
CHARTGATE_* settings in the environment win over the demonstration's own.

  --data FOLDER   where everything is kept (default: data)
  --port N        the gateway's port (default: 8080)
  --ehr-port N    the demo EHR's port (default: 8081)
  --json          say where to look as one line of JSON
`;

const port = (text: string | undefined): number | null => {
  const number = Number(text);
  return text !== undefined && Number.isInteger(number) && number >= 0 && number <= 65_535 ? number : null;
};

export const demo: Command = {
  name: 'demo',
  summary: 'gateway and demo EHR together, on embedded defaults',
  help,
  async run(args, terminal) {
    const parsed = parseOptions(
      args,
      {
        data: { type: 'string', default: 'data' },
        port: { type: 'string', default: '8080' },
        'ehr-port': { type: 'string', default: '8081' },
        json: { type: 'boolean' },
      },
      'none',
    );
    const usage = (wrong: string): number => {
      terminal.stderr.write(`${wrong}\n\n${help}`);
      return EXIT.usage;
    };
    if (!parsed.ok) return usage(parsed.wrong);
    const { data, json } = parsed.value.values;
    const gatewayPort = port(parsed.value.values.port);
    const ehrPort = port(parsed.value.values['ehr-port']);
    if (gatewayPort === null || ehrPort === null) return usage('A port is a number from 0 to 65535.');

    const settings = loadDemoSettings(data);
    const ehr = await startEhr({ host: '127.0.0.1', port: ehrPort, clock: systemClock, file: join(data, 'demo-ehr.ndjson') });
    try {
      seedEhr(ehr);
      const config = loadConfig(
        'demo',
        {
          CHARTGATE_PORT: String(gatewayPort),
          CHARTGATE_PUBLIC_URL: `http://localhost:${gatewayPort}`,
          CHARTGATE_DATABASE_URL: `sqlite:${join(data, 'chartgate.db')}?filesystem=any`,
          CHARTGATE_EHR_URL: ehr.url,
          CHARTGATE_MRN_SYSTEM: DEMO_MRN_SYSTEM,
          CHARTGATE_DRAIN_SECONDS: '0',
          CHARTGATE_LOG_LEVEL: 'error',
          CHARTGATE_ENVIRONMENT: 'sandbox',
          ...settings,
          ...terminal.env,
        },
        (path) => readFileSync(path, 'utf8'),
      );
      const log = makeWinstonLog({
        level: config.log.level,
        stream: terminal.stderr,
        now: () => systemClock.now(),
        onExit: terminal.onExit,
      });
      const gateway = await unlessStopped(startGateway({ config, clock: systemClock, log }), terminal);
      if (gateway === null) return EXIT.ok;
      const base = `http://localhost:${gateway.port}`;
      terminal.stdout.write(
        json === true
          ? `${JSON.stringify({ gateway: base, ehr: ehr.url, data, patients: DEMO_PATIENTS.length })}\n`
          : `Chartgate runs.

  gateway    ${base}/docs       what it offers
             ${base}/readyz     is it ready
             ${base}/metrics    figures
  demo EHR   ${ehr.url}/Patient       ${DEMO_PATIENTS.length} invented patients, MRN ${DEMO_PATIENTS[0]?.mrn ?? ''} to ${DEMO_PATIENTS.at(-1)?.mrn ?? ''}
             ${ehr.url}/metadata      what it can do

Keys, secrets and databases are in ${data}/. Ctrl-C stops both.
`,
      );
      return await runUntilStopped(gateway, log, terminal, () => ehr.stop());
    } catch (thrown) {
      await ehr.stop();
      throw thrown;
    }
  },
};
