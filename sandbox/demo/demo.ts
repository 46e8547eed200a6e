import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  chooseLogLook,
  demo,
  EXIT,
  isLoopback,
  loadConfig,
  makeAdminApi,
  makeBar,
  makeUsage,
  makeWinstonLog,
  parseOptions,
  runUntilStopped,
  startGateway,
  unlessStopped,
  type AdminApi,
  type Command,
  type EhrTarget,
  type Terminal,
} from '../../src/embed.ts';
import { makeLife, opened, silentLog, systemClock } from '../../src/kernel/index.ts';
import {
  DEMO_MRN_SYSTEM,
  DEMO_PATIENTS,
  seedEhr,
  startClinicianApp,
  startEhr,
  SPEED_MAX,
  type DemoEhr,
  type DemoService,
  type Simulation,
} from '../index.ts';
import { makeAskOwnGateway } from './ask-own-gateway.ts';
import { report, type Running } from './demo-report.ts';
import { startDemoService, startDemoSimulation } from './demo-service.ts';
import { loadDemoSettings } from './demo-settings.ts';
import { freePort, readPort, readWanted, type Wanted } from './demo-wanted.ts';
import { introduceDemo } from './introduce-demo.ts';
import { liveOn } from './live-on.ts';
import { fillDemo } from './fill-demo.ts';
import { decideForeignUse, findForeignEhr, folderOf } from './foreign-ehr.ts';
import { demoPassword, registerDemoApp } from './register-demo-app.ts';
import { operatorPassword, registerDemoOperator } from './register-demo-operator.ts';
import { seedForeign } from './seed-foreign.ts';

/** More than its drain takes. */
const GATEWAY_STOP_MS = 40_000;

const isPerson = ({ stdin, stderr }: Terminal): boolean =>
  'isTTY' in stdin && stdin.isTTY === true && stderr.isTTY === true;

async function startOwnEhr(
  { host, port }: { readonly host: string; readonly port: number },
  data: string,
  users: number,
): Promise<DemoEhr> {
  const ehr = await startEhr({
    host,
    port,
    clock: systemClock,
    file: join(data, 'demo-ehr.ndjson'),
  });
  seedEhr(ehr, users);
  return ehr;
}

/** From the sources the console is made where something changed since; a package brings it along. */
async function buildConsoleIfThere(): Promise<void> {
  const builder = new URL('../../console/build.ts', import.meta.url);
  if (!existsSync(builder)) return;
  const { buildConsole } = (await import(builder.href)) as { readonly buildConsole: () => Promise<unknown> };
  await buildConsole();
}

async function registerGuests(
  target: EhrTarget,
  users: number,
  { stderr }: Terminal,
  signal: AbortSignal,
): Promise<void> {
  const bar = makeBar(stderr);
  try {
    await seedForeign({ target, users, signal, onProgress: bar.draw });
  } finally {
    bar.clear();
  }
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
      stderr.write(
        `The people's past could not all be sent: ${thrown instanceof Error ? thrown.message : 'unknown'}\n`,
      );
  }
}

export const demonstration: Pick<Command, 'run'> = {
  async run(args, terminal) {
    const parsed = parseOptions(
      args,
      {
        data: { type: 'string', default: 'data' },
        listen: { type: 'string' },
        port: { type: 'string' },
        'ehr-port': { type: 'string', default: '8081' },
        'service-port': { type: 'string', default: '8082' },
        'app-port': { type: 'string', default: '8083' },
        users: { type: 'string', default: '5' },
        days: { type: 'string', default: '30' },
        speed: { type: 'string', default: '240' },
        empty: { type: 'boolean' },
        'write-to-foreign-ehr': { type: 'boolean' },
        json: { type: 'boolean' },
      },
      'none',
    );
    const usage = makeUsage(terminal, demo.help);
    if (!parsed.ok) return usage(parsed.wrong);
    const {
      data: folder,
      listen,
      empty,
      json,
      users,
      days,
      speed,
      'write-to-foreign-ehr': mayWrite,
      ...ports
    } = parsed.value.values;
    const wanted = readWanted({ users, days, speed });
    if (wanted === null)
      return usage(`--users is a number from 1 to 5000, --days from 1 to 365, --speed from 1 to ${SPEED_MAX}.`);
    const wantedPort = readPort(ports.port ?? terminal.env['CHARTGATE_PORT'] ?? '8080');
    const ehrPort = readPort(ports['ehr-port']);
    const servicePort = readPort(ports['service-port']);
    const appPort = readPort(ports['app-port']);
    if (wantedPort === null || ehrPort === null || servicePort === null || appPort === null)
      return usage('A port is a number from 0 to 65535.');
    const host = listen ?? terminal.env['CHARTGATE_HOST'] ?? '127.0.0.1';
    if (listen === undefined && !isLoopback(host))
      return usage(
        `CHARTGATE_HOST is a public address: say --listen ${host} if the demonstration is meant to be there.`,
      );
    const gatewayPort = wantedPort === 0 ? await freePort() : wantedPort;

    const foreign = findForeignEhr(terminal.env, ehrPort);
    const consent = mayWrite === true ? 'given' : isPerson(terminal) && json !== true ? 'to-be-asked' : 'not-given';
    const use =
      foreign === null
        ? 'own'
        : empty === true
          ? 'none'
          : await decideForeignUse(foreign, wanted.users, consent, terminal);
    if (use === 'stopped') return EXIT.ok;
    const data = foreign === null ? folder : folderOf(folder, foreign);

    const settings = loadDemoSettings(data);
    // The gateway says itself how its own parts end.
    const life = makeLife(silentLog);
    const filling = new AbortController();
    void terminal.stopped.then(() => filling.abort());
    try {
      const ownEhr = opened(
        () => startOwnEhr({ host, port: ehrPort }, data, wanted.users),
        (ehr) => ehr.stop(),
      );
      const ehr = foreign ?? (await life.start('ehr', ownEhr));
      let askGateway: typeof fetch = fetch;
      const clientUuid = settings['CHARTGATE_CLIENT_UUID'] ?? 'demo-client';
      const hmac = terminal.env['CHARTGATE_WEBHOOK_HMAC'] === undefined ? 'ours' : 'of-the-environment';
      const demoService = opened(
        () => startDemoService({ host, port: servicePort }, data, clientUuid, hmac, (...args) => askGateway(...args)),
        ({ service }) => service.stop(),
      );
      const sandbox = await life.start('service', demoService);
      const scheme = terminal.env['CHARTGATE_TLS_CERT_FILE'] === undefined ? 'http' : 'https';
      const env = {
        CHARTGATE_PUBLIC_URL: `${scheme}://localhost:${gatewayPort}`,
        CHARTGATE_DATABASE_URL: `sqlite:${join(data, 'chartgate.db')}?filesystem=any&create=yes`,
        CHARTGATE_EHR_URL: ehr.url,
        CHARTGATE_MRN_SYSTEM: DEMO_MRN_SYSTEM,
        CHARTGATE_DRAIN_SECONDS: '0',
        CHARTGATE_LOG_LEVEL: 'error',
        CHARTGATE_ENVIRONMENT: 'sandbox',
        // Who looks around need not have a telephone at hand.
        CHARTGATE_OPERATOR_SECOND_FACTOR: 'nobody',
        // The simulated people live faster than the clock.
        CHARTGATE_TIME_AHEAD_HOURS: '1000000',
        ...sandbox.settings,
        CHARTGATE_SUBSCRIPTION_PRIVATE_HOSTS: appPort === 0 ? 'localhost' : `localhost:${appPort}`,
        ...settings,
        ...terminal.env,
        CHARTGATE_HOST: host,
        CHARTGATE_PORT: String(gatewayPort),
      };
      const config = loadConfig('demo', env, (path) => readFileSync(path, 'utf8'));
      const log = makeWinstonLog({
        level: config.log.level,
        stream: terminal.stderr,
        now: () => systemClock.now(),
        look: chooseLogLook(config.log.format, terminal.stderr, terminal.env),
        onExit: terminal.onExit,
      });
      if (use === 'write') await registerGuests(config.ehr, wanted.users, terminal, filling.signal);
      const ownGateway = opened(
        () => unlessStopped(startGateway({ config, clock: systemClock, log }), terminal),
        (one) => one?.stop(),
      );
      await buildConsoleIfThere();
      const gateway = await life.start('gateway', ownGateway, GATEWAY_STOP_MS);
      if (gateway === null) {
        await life.stop();
        return EXIT.ok;
      }
      const own = `${scheme}://localhost:${gateway.port}`;
      // A certificate is for a name, and people go by it.
      const base = scheme === 'https' ? env.CHARTGATE_PUBLIC_URL : own;
      if (config.http.tls !== null) askGateway = makeAskOwnGateway(config.http.tls.cert);
      const api = makeAdminApi(own, env, 'numbers', askGateway);
      const [dataSecret, notificationSecret] = [config.ingest.dataSecrets[0], config.ingest.notificationSecrets[0]];
      if (dataSecret !== undefined && notificationSecret !== undefined)
        sandbox.join(own, { data: dataSecret.reveal(), notification: notificationSecret.reveal() });
      const clinicianApp = opened(
        () =>
          startClinicianApp({
            host,
            port: appPort,
            gatewayUrl: base,
            now: () => sandbox.service.clock.now(),
          }),
        (one) => one.stop(),
      );
      const app = await life.start('app', clinicianApp);
      const secret = settings['CHARTGATE_ADMIN_TOKEN'] ?? '';
      const password = demoPassword(secret);
      const registered = await registerDemoApp(api, app, password);
      const operator = await registerDemoOperator(api, operatorPassword(secret), askGateway);
      const watch = gateway.opsPort === null ? base : `http://localhost:${gateway.opsPort}`;
      const running: Running = {
        base,
        watch,
        ehr: ehr.url,
        use,
        users: wanted.users,
        app,
        service: sandbox.service.url,
        data,
      };
      introduceDemo(sandbox.service, running);
      const isSimulated = use !== 'none';
      const patients =
        use === 'own' ? Math.max(wanted.users, DEMO_PATIENTS.length) + 1 : use === 'write' ? wanted.users : 0;
      const shown = { gateway: base, ehr: ehr.url, service: sandbox.service.url, app: app.url, data };
      terminal.stdout.write(
        json === true
          ? `${JSON.stringify({ ...shown, patients, simulation: isSimulated ? 'on' : 'off' })}\n`
          : report(running, {
              operator,
              clinicianPassword: registered === 'ready' ? password : null,
              portal: sandbox.portal,
            }),
      );
      const simulated = isSimulated ? { service: sandbox.service, ...startDemoSimulation(sandbox.service) } : null;
      const past =
        simulated === null || empty === true
          ? Promise.resolve()
          : fill(api, simulated, { ...wanted, clientUuid }, terminal, filling.signal);
      const living = past.then(() => {
        if (filling.signal.aborted) return;
        liveOn(sandbox.service.clock, systemClock, wanted.speed);
        simulated?.simulation.goOn();
      });
      await life.start('simulation', {
        async stop() {
          // In this order: what waits for the gateway would wait for ever.
          await simulated?.simulation.stop();
          await sandbox.service.sender.stop();
          await living;
        },
      });
      return await runUntilStopped(gateway, log, terminal, life.stop);
    } catch (thrown) {
      await life.stop();
      throw thrown;
    }
  },
};
