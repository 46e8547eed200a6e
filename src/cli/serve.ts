import { readFileSync } from 'node:fs';
import { loadConfig } from '../config/index.ts';
import { systemClock } from '../kernel/index.ts';
import { makeWinstonLog } from '../ops/index.ts';
import { startGateway } from '../wire.ts';
import { EXIT, type Command } from './command.ts';
import { collectAfterStart, holdYoungGeneration } from './hold-memory.ts';
import { parseOptions } from './parse-options.ts';
import { runUntilStopped, unlessStopped } from './run-until-stopped.ts';

const help = `Usage: chartgate serve [--check] [--json]

Runs the gateway alone, for production. Everything is configured by CHARTGATE_* settings in the environment,
or in the JSON file that CHARTGATE_CONFIG names; README.md lists them. Logs go to standard output as JSON lines.

  --check   only check the configuration: say what is wrong with it, or that it is sound
  --json    with --check: as JSON
`;

export const serve: Command = {
  name: 'serve',
  summary: 'run the gateway alone, for production',
  help,
  async run(args, terminal) {
    const parsed = parseOptions(args, { check: { type: 'boolean' }, json: { type: 'boolean' } }, 'none');
    if (!parsed.ok) {
      terminal.stderr.write(`${parsed.wrong}\n\n${help}`);
      return EXIT.usage;
    }
    const config = loadConfig('serve', terminal.env, (path) => readFileSync(path, 'utf8'));
    if (parsed.value.values.check === true) {
      const { unverified } = config;
      terminal.stdout.write(
        parsed.value.values.json === true
          ? `${JSON.stringify({ sound: true, unverified })}\n`
          : `The configuration is sound.\n${unverified.map((one) => `  note: ${one}\n`).join('')}`,
      );
      return EXIT.ok;
    }
    holdYoungGeneration();
    const log = makeWinstonLog({
      level: config.log.level,
      stream: terminal.stdout,
      now: () => systemClock.now(),
      onExit: terminal.onExit,
    });
    const gateway = await unlessStopped(startGateway({ config, clock: systemClock, log }), terminal);
    if (gateway === null) return EXIT.ok;
    collectAfterStart();
    terminal.onReload(gateway.reload);
    return runUntilStopped(gateway, log, terminal, () => Promise.resolve());
  },
};
