import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { loadConfig, type Config } from '../config/index.ts';
import { collectAfterStart, makeNewId, makePooledChance, StartError, systemClock, type Log } from '../kernel/index.ts';
import { chooseLogLook, lookOfWorker, lookOfWorkers, makeWinstonLog, type LogLook } from '../ops/index.ts';
import { openTelemetry, startGateway, VERSION } from '../gateway/index.ts';
import { checkConnections, worstOf, type Checked } from './check-connections.ts';
import { checkParts } from './check-parts.ts';
import { EXIT, makeUsage, type Command, type Terminal } from './command.ts';
import { limitGarbage } from './limit-memory.ts';
import { parseOptions } from './parse-options.ts';
import { runUntilStopped, unlessStopped } from './run-until-stopped.ts';
import { joinCrew, makeForkWorker, runPrimary, type Seat } from '../workers/index.ts';

const help = `Usage: chartgate serve [--workers N | --check [--connect] [--json]]

Runs the gateway alone, for production. Everything is configured by CHARTGATE_* settings in the environment,
or in the JSON file that CHARTGATE_CONFIG names; docs/configuration.md lists them. Logs go to standard output: as JSON
lines, or on a terminal as lines for people (CHARTGATE_LOG_FORMAT).

  --workers N
             on PostgreSQL: N processes share the port and the work, and one that ends is started again. Of each process
             are CHARTGATE_MEMORY_MB and the connections to the database
  --check    only check what serve would load (settings, keys, certificates, mapping data, templates): say what is
             wrong with it, or that it is sound. Nothing is touched and nobody is asked
  --connect  with --check: also ask the database, the EHR (what it can, and for a patient whom nobody has), the issuer
             and the health data service. Nothing is written
  --json     with --check: as JSON

Ends with 78 where something is configured wrongly, and with 69 where something only cannot be reached.
`;

/** Says what was asked and what came of it; the exit code is that of the worst. */
function tellConnections(checked: readonly Checked[], terminal: Terminal): number {
  for (const { part, exit, text } of checked)
    terminal.stdout.write(`  ${exit === EXIT.ok ? 'good' : 'BAD '} ${part.padEnd(10)} ${text}\n`);
  return worstOf(checked);
}

async function check(config: Config, asks: { readonly connect: boolean; readonly json: boolean }, terminal: Terminal) {
  await checkParts(config);
  const unverified = config.weak.map(({ what }) => what);
  if (asks.json) {
    const connections = asks.connect ? await checkConnections(config) : [];
    const code = worstOf(connections);
    terminal.stdout.write(
      `${JSON.stringify({ sound: code === EXIT.ok, unverified, ...(asks.connect ? { connections } : {}) })}\n`,
    );
    return code;
  }
  terminal.stdout.write(`The configuration is sound.\n${unverified.map((one) => `  note: ${one}\n`).join('')}`);
  return asks.connect ? tellConnections(await checkConnections(config), terminal) : EXIT.ok;
}

/** More than that many is a mistake: each of them is a gateway of its own. */
const WORKERS_MAX = 64;

/** Null where it is no number of workers. */
function toWorkers(given: string): number | null {
  const count = /^[1-9]\d?$/.test(given) ? Number(given) : 0;
  return count >= 1 && count <= WORKERS_MAX ? count : null;
}

/** One gateway in this process: the only one, or one of several workers. */
async function serveHere(config: Config, log: Log, terminal: Terminal, seat: Seat | null): Promise<number> {
  limitGarbage();
  // Several workers are several at judging already.
  const judgeThreads = seat === null ? availableParallelism() - 1 : 0;
  const gateway = await unlessStopped(startGateway({ config, clock: systemClock, log, seat, judgeThreads }), terminal);
  if (gateway === null) return EXIT.ok;
  collectAfterStart();
  terminal.onReload(gateway.reload);
  seat?.onReload(gateway.reload);
  seat?.serves(gateway.port);
  return runUntilStopped(gateway, log, terminal, gateway.stop);
}

/** The process that starts the workers and serves nothing itself. */
async function superviseWorkers(
  config: Config,
  wanted: number,
  log: Log,
  look: LogLook,
  terminal: Terminal,
): Promise<number> {
  if (config.store.database.engine === 'sqlite')
    throw new StartError(
      'serve.workers',
      '--workers needs PostgreSQL: a SQLite file has one process that writes. Give a postgres:// address in CHARTGATE_DATABASE_URL, or leave --workers out.',
    );
  const chance = makePooledChance();
  const instance = makeNewId({ now: () => systemClock.now().getTime(), chance })('ins');
  const telemetry = await openTelemetry({ config, instance, version: VERSION, clock: systemClock, chance, log });
  collectAfterStart();
  const code = await runPrimary({
    wanted,
    fork: makeForkWorker(terminal, lookOfWorkers(look)),
    stopped: terminal.stopped,
    onReload: terminal.onReload,
    killedCode: EXIT.bug,
    watch: (read) => {
      telemetry?.watch(read);
      telemetry?.start();
    },
    clock: systemClock,
    log,
  });
  await telemetry?.stop();
  return code;
}

const OPTIONS = {
  workers: { type: 'string' },
  check: { type: 'boolean' },
  connect: { type: 'boolean' },
  json: { type: 'boolean' },
} as const;

export const serve: Command = {
  name: 'serve',
  summary: 'run the gateway alone, for production',
  help,
  async run(args, terminal) {
    const parsed = parseOptions(args, OPTIONS, 'none');
    const usage = makeUsage(terminal, help);
    if (!parsed.ok) return usage(parsed.wrong);
    const { values } = parsed.value;
    if (values.check !== true && (values.connect === true || values.json === true))
      return usage('--connect and --json go with --check.');
    if (values.check === true && values.workers !== undefined) return usage('--workers does not go with --check.');
    const workers = values.workers === undefined ? 0 : toWorkers(values.workers);
    if (workers === null) return usage(`--workers is a number from 1 to ${WORKERS_MAX}.`);
    const config = loadConfig('serve', terminal.env, (path) => readFileSync(path, 'utf8'));
    if (values.check === true)
      return check(config, { connect: values.connect === true, json: values.json === true }, terminal);
    const seat = joinCrew();
    const own = chooseLogLook(config.log.format, terminal.stdout, terminal.env);
    const look = seat === null ? own : lookOfWorker(own, terminal.env);
    const log = makeWinstonLog({
      level: config.log.level,
      stream: terminal.stdout,
      now: () => systemClock.now(),
      look,
      onExit: terminal.onExit,
    });
    if (seat !== null)
      return serveHere(config, log, { ...terminal, stopped: Promise.race([terminal.stopped, seat.stopped]) }, seat);
    return workers === 0
      ? serveHere(config, log, terminal, null)
      : superviseWorkers(config, workers, log, look, terminal);
  },
};
