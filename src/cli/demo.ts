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
  SPEED_MAX,
  type DemoEhr,
  type DemoService,
  type Simulation,
} from '../sandbox/index.ts';
import { startGateway } from '../wire.ts';
import { makeAdminApi, type AdminApi } from './admin-api.ts';
import { EXIT, makeUsage, type Command, type Terminal } from './command.ts';
import { startDemoService, startDemoSimulation } from './demo-service.ts';
import { loadDemoSettings } from './demo-settings.ts';
import { AHEAD_DAYS_MAX, liveOn } from './live-on.ts';
import { fillDemo } from './fill-demo.ts';
import { parseOptions } from './parse-options.ts';
import { makeBar } from './progress.ts';
import { DEMO_USERNAME, demoPassword, registerDemoApp } from './register-demo-app.ts';
import { runUntilStopped, unlessStopped } from './run-until-stopped.ts';

const help = `Usage: chartgate demo [--data FOLDER] [--port N] [--ehr-port N] [--service-port N] [--app-port N]
                       [--users N] [--days D] [--speed X] [--empty] [--json]

Runs the gateway together with a demo EHR, a sandbox of the health data service and a clinician's sample app on this machine. Keys,
secrets and databases are made under the data folder. Behind the sandbox are invented people whose days go by: a new folder begins with
a month of them, then their data comes live. CHARTGATE_* settings in the environment win over the demonstration's own.

  --data FOLDER   where everything is kept (default: data)
  --port N        the gateway's port (default: 8080)
  --ehr-port N    the demo EHR's port (default: 8081)
  --service-port N
                  the sandbox's port (default: 8082)
  --app-port N    the sample app's port (default: 8083)
  --users N       how many people are linked and connected (default: 5)
  --days D        how many days of theirs lie behind them (default: 30)
  --speed X       how many times faster than the clock their time runs (default: 240, a day in six minutes),
                  until it is ${AHEAD_DAYS_MAX} days ahead; then it runs as the clock does
  --empty         connect nobody
  --json          say where to look as one line of JSON
`;

const count = (text: string | undefined, min: number, max: number): number | null => {
  const number = Number(text);
  return text !== undefined && Number.isInteger(number) && number >= min && number <= max ? number : null;
};

const port = (text: string | undefined): number | null => count(text, 0, 65_535);

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

interface Wanted {
  readonly users: number;
  readonly days: number;
  readonly speed: number;
}

function readWanted(values: { readonly users?: string; readonly days?: string; readonly speed?: string }): Wanted | null {
  const [users, days, speed] = [count(values.users, 1, 5_000), count(values.days, 1, 365), count(values.speed, 1, SPEED_MAX)];
  return users === null || days === null || speed === null ? null : { users, days, speed };
}

/** Goes on beside everything else; what goes wrong is told, and stops nothing. */
async function fill(
  api: AdminApi,
  simulated: { readonly service: DemoService; readonly simulation: Simulation; readonly seed: number },
  wanted: Wanted & { readonly clientUuid: string },
  { stderr }: Terminal,
  signal: AbortSignal,
): Promise<void> {
  const bar = makeBar(stderr);
  try {
    await fillDemo({
      ...simulated,
      ...wanted,
      api,
      now: systemClock.now(),
      signal,
      onProgress: (part, words) => bar.draw(part, words),
    });
    bar.clear();
  } catch (thrown) {
    bar.clear();
    if (!signal.aborted)
      stderr.write(`The people's past could not all be sent: ${thrown instanceof Error ? thrown.message : 'unknown'}\n`);
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
        users: { type: 'string', default: '5' },
        days: { type: 'string', default: '30' },
        speed: { type: 'string', default: '240' },
        empty: { type: 'boolean' },
        json: { type: 'boolean' },
      },
      'none',
    );
    const usage = makeUsage(terminal, help);
    if (!parsed.ok) return usage(parsed.wrong);
    const { data, empty, json, users, days, speed, ...ports } = parsed.value.values;
    const wanted = readWanted({ users, days, speed });
    if (wanted === null)
      return usage(`--users is a number from 1 to 5000, --days from 1 to 365, --speed from 1 to ${SPEED_MAX}.`);
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
      seedEhr(ehr, wanted.users);
      const clientUuid = settings['CHARTGATE_CLIENT_UUID'] ?? 'demo-client';
      const hmac = terminal.env['CHARTGATE_WEBHOOK_HMAC'] === undefined ? 'ours' : 'of-the-environment';
      const sandbox = await startDemoService(servicePort, data, clientUuid, hmac);
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
          ? `${JSON.stringify({ ...shown, patients: Math.max(wanted.users, DEMO_PATIENTS.length) + 1 })}\n`
          : report(running, registered === 'ready' ? password : null),
      );
      const filling = new AbortController();
      void terminal.stopped.then(() => filling.abort());
      // Invented measurements never go to an EHR that is not the demonstration's.
      const simulated =
        env.CHARTGATE_EHR_URL === ehr.url ? { service: sandbox.service, ...startDemoSimulation(sandbox.service) } : null;
      const api = makeAdminApi(base, env);
      const past =
        simulated === null || empty === true
          ? Promise.resolve()
          : fill(api, simulated, { ...wanted, clientUuid }, terminal, filling.signal);
      const living = past.then(() => {
        if (filling.signal.aborted) return;
        liveOn(sandbox.service.clock, systemClock, wanted.speed);
        simulated?.simulation.goOn();
      });
      return await runUntilStopped(gateway, log, terminal, async () => {
        // In this order: what waits for the gateway would wait for ever.
        await simulated?.simulation.stop();
        await sandbox.service.sender.stop();
        await living;
        await stopOthers();
      });
    } catch (thrown) {
      await stopOthers();
      throw thrown;
    }
  },
};
