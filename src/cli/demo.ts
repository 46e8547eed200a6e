import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { loadConfig } from '../config/index.ts';
import { systemClock } from '../kernel/index.ts';
import { makeWinstonLog } from '../ops/index.ts';
import {
  DEMO_MRN_SYSTEM,
  DEMO_PATIENTS,
  seedEhr,
  startClinicianApp,
  startEhr,
  type ClinicianApp,
  type DemoEhr,
} from '../sandbox/index.ts';
import { startGateway } from '../wire.ts';
import { makeAdminApi } from './admin-api.ts';
import { EXIT, makeUsage, type Command, type Terminal } from './command.ts';
import { startDemoService } from './demo-service.ts';
import { loadDemoSettings } from './demo-settings.ts';
import { fillDemo } from './fill-demo.ts';
import { parseOptions } from './parse-options.ts';
import { makeBar } from './progress.ts';
import { DEMO_USERNAME, demoPassword, registerDemoApp } from './register-demo-app.ts';
import { runUntilStopped, unlessStopped } from './run-until-stopped.ts';

const help = `Usage: chartgate demo [--data FOLDER] [--port N] [--ehr-port N] [--service-port N] [--app-port N] [--empty] [--json]

Runs the gateway together with a demo EHR, a sandbox of the health data service and a clinician's sample app on this machine. Keys,
secrets and databases are made under the data folder. A new one is filled with a month of invented measurements, sent through the webhook.
CHARTGATE_* settings in the environment win over the demonstration's own.

  --data FOLDER   where everything is kept (default: data)
  --port N        the gateway's port (default: 8080)
  --ehr-port N    the demo EHR's port (default: 8081)
  --service-port N
                  the sandbox's port (default: 8082)
  --app-port N    the sample app's port (default: 8083)
  --empty         send no invented measurements
  --json          say where to look as one line of JSON
`;

const port = (text: string | undefined): number | null => {
  const number = Number(text);
  return text !== undefined && Number.isInteger(number) && number >= 0 && number <= 65_535 ? number : null;
};

/** The gateway names its own address in what it answers, so a port of the machine's choice is chosen before it starts. */
async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return address !== null && typeof address !== 'string' ? address.port : 0;
}

interface Running {
  readonly base: string;
  readonly ehr: DemoEhr;
  readonly app: ClinicianApp;
  readonly service: string;
  readonly data: string;
}

const report = ({ base, ehr, app, service, data }: Running, password: string | null): string => `Chartgate runs.

  gateway    ${base}/docs       what it offers
             ${base}/readyz     is it ready
             ${base}/metrics    figures
  demo EHR   ${ehr.url}/Patient       ${DEMO_PATIENTS.length} invented patients, MRN ${DEMO_PATIENTS[0]?.mrn ?? ''} to ${DEMO_PATIENTS.at(-1)?.mrn ?? ''}, and one whom nobody linked
             ${ehr.url}/metadata      what it can do
  service    ${service}/       sandbox of the health data service: portal, extraction app
  app        ${app.url}             charts for a clinician${password === null ? '' : `; sign in as ${DEMO_USERNAME}, password ${password}`}

Keys, secrets and databases are in ${data}/. Ctrl-C stops all of them.
`;

/** Goes on beside everything else; what goes wrong is told, and stops nothing. */
async function fill(
  base: string,
  env: Readonly<Record<string, string | undefined>>,
  { stderr }: Terminal,
  signal: AbortSignal,
): Promise<void> {
  const [secret = ''] = (env['CHARTGATE_WEBHOOK_SECRET'] ?? '').split(',');
  const bar = makeBar(stderr);
  try {
    await fillDemo({
      api: makeAdminApi(base, env),
      webhook: `${base}/webhooks/${secret}/data`,
      clientUuid: env['CHARTGATE_CLIENT_UUID'] ?? '',
      now: systemClock.now(),
      signal,
      onProgress: (done, all) => bar.draw(done / all, `${done} of ${all} invented documents sent`),
    });
    bar.clear();
  } catch (thrown) {
    bar.clear();
    if (!signal.aborted)
      stderr.write(`The invented measurements could not all be sent: ${thrown instanceof Error ? thrown.message : 'unknown'}\n`);
  }
}

export const demo: Command = {
  name: 'demo',
  summary: 'gateway, demo EHR, sandbox of the service and sample app together, on embedded defaults',
  help,
  async run(args, terminal) {
    const parsed = parseOptions(
      args,
      {
        data: { type: 'string', default: 'data' },
        port: { type: 'string', default: '8080' },
        'ehr-port': { type: 'string', default: '8081' },
        'service-port': { type: 'string', default: '8082' },
        'app-port': { type: 'string', default: '8083' },
        empty: { type: 'boolean' },
        json: { type: 'boolean' },
      },
      'none',
    );
    const usage = makeUsage(terminal, help);
    if (!parsed.ok) return usage(parsed.wrong);
    const { data, empty, json, ...ports } = parsed.value.values;
    const wantedPort = port(ports.port);
    const ehrPort = port(ports['ehr-port']);
    const servicePort = port(ports['service-port']);
    const appPort = port(ports['app-port']);
    if (wantedPort === null || ehrPort === null || servicePort === null || appPort === null)
      return usage('A port is a number from 0 to 65535.');
    const gatewayPort = wantedPort === 0 ? await freePort() : wantedPort;

    const settings = loadDemoSettings(data);
    const ehr = await startEhr({ host: '127.0.0.1', port: ehrPort, clock: systemClock, file: join(data, 'demo-ehr.ndjson') });
    const others: { stop(): Promise<void> }[] = [ehr];
    const stopOthers = async (): Promise<void> => {
      await Promise.all(others.map((one) => one.stop()));
    };
    try {
      seedEhr(ehr);
      const sandbox = await startDemoService(servicePort, data, settings['CHARTGATE_CLIENT_UUID'] ?? 'demo-client');
      others.push(sandbox.service);
      const env = {
        CHARTGATE_PORT: String(gatewayPort),
        CHARTGATE_PUBLIC_URL: `http://localhost:${gatewayPort}`,
        CHARTGATE_DATABASE_URL: `sqlite:${join(data, 'chartgate.db')}?filesystem=any`,
        CHARTGATE_EHR_URL: ehr.url,
        CHARTGATE_MRN_SYSTEM: DEMO_MRN_SYSTEM,
        CHARTGATE_DRAIN_SECONDS: '0',
        CHARTGATE_LOG_LEVEL: 'error',
        CHARTGATE_ENVIRONMENT: 'sandbox',
        ...sandbox.settings,
        ...settings,
        ...terminal.env,
      };
      const config = loadConfig('demo', env, (path) => readFileSync(path, 'utf8'));
      const log = makeWinstonLog({
        level: config.log.level,
        stream: terminal.stderr,
        now: () => systemClock.now(),
        onExit: terminal.onExit,
      });
      const gateway = await unlessStopped(startGateway({ config, clock: systemClock, log }), terminal);
      if (gateway === null) {
        await stopOthers();
        return EXIT.ok;
      }
      const base = `http://localhost:${gateway.port}`;
      const [dataSecret, notificationSecret] = [config.ingest.dataSecrets[0], config.ingest.notificationSecrets[0]];
      if (dataSecret !== undefined && notificationSecret !== undefined)
        sandbox.join(base, { data: dataSecret.reveal(), notification: notificationSecret.reveal() });
      const app = await startClinicianApp({ host: '127.0.0.1', port: appPort, gatewayUrl: base });
      others.push(app);
      const password = demoPassword(settings['CHARTGATE_ADMIN_TOKEN'] ?? '');
      const registered = await registerDemoApp(makeAdminApi(base, env), app, password);
      const running = { base, ehr, app, service: sandbox.service.url, data };
      const shown = { gateway: base, ehr: ehr.url, service: sandbox.service.url, app: app.url, data };
      terminal.stdout.write(
        json === true
          ? `${JSON.stringify({ ...shown, patients: DEMO_PATIENTS.length + 1 })}\n`
          : report(running, registered === 'ready' ? password : null),
      );
      const filling = new AbortController();
      void terminal.stopped.then(() => filling.abort());
      const isOwnEhr = env.CHARTGATE_EHR_URL === ehr.url;
      // Invented measurements never go to an EHR that is not the demonstration's.
      const filled = empty === true || !isOwnEhr ? Promise.resolve() : fill(base, env, terminal, filling.signal);
      return await runUntilStopped(gateway, log, terminal, async () => {
        await filled;
        await stopOthers();
      });
    } catch (thrown) {
      await stopOthers();
      throw thrown;
    }
  },
};
