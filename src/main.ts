#!/usr/bin/env node
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { isatty } from 'node:tty';

const MINIMUM = [24, 15] as const;
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < MINIMUM[0] || (major === MINIMUM[0] && minor < MINIMUM[1])) {
  process.stderr.write(`Chartgate needs Node ${MINIMUM.join('.')} or later; this is ${process.versions.node}.

Either install Node 24 (https://nodejs.org, or "nvm install 24"), or let npm bring one for this command alone:
  npx -p node@24 -p chartgate chartgate ${process.argv.slice(2).join(' ')}
In place of "chartgate" after -p the path of a packed file may stand. In a checkout "npm start" brings its own.
`);
  process.exit(78);
}

// Files that are made hold secrets or patient data.
process.umask(0o077);

/*
 * Compiled code is kept beside the code, where nobody else may write either: made with it by the build, or in a
 * checkout by whoever starts first. The environment tells threads of it. Where it cannot be written, everything is
 * compiled at each start.
 */
const built = join(import.meta.dirname, 'compile-cache');
const own = existsSync(built) ? built : join(import.meta.dirname, '..', 'generated', 'compile-cache');
// An empty setting is none: Node would take it for the folder that it was started in.
const { NODE_COMPILE_CACHE: given = '' } = process.env;
process.env['NODE_COMPILE_CACHE'] = given === '' ? own : given;
// Not among the imports above: a Node that is too old does not have it, and is to say so.
const { enableCompileCache } = await import('node:module');
enableCompileCache(process.env['NODE_COMPILE_CACHE']);

const { cleanEnvironment, safeError } = await import('./kernel/index.ts');

// Before any library is loaded: they look at the environment once.
const { ignored, refused } = cleanEnvironment(process.env);
if (ignored.length > 0)
  process.stderr.write(
    `Ignored from the environment: ${ignored.join(', ')}. Everything is configured by CHARTGATE_* settings.\n`,
  );
if (refused.length > 0) {
  process.stderr.write(`${refused.join('\n')}\n`);
  process.exit(78);
}

const { EXIT, runCli } = await import('./cli/index.ts');

/** A bug: its kind and place are told, its message may quote data and is not. */
function fail(thrown: unknown): never {
  process.stderr.write(
    `${JSON.stringify({ level: 'error', event: 'process.failed', exitCode: EXIT.bug, error: safeError(thrown) })}\n`,
  );
  process.exit(EXIT.bug);
}
process.on('uncaughtException', fail);
process.on('unhandledRejection', fail);

const stopped = new Promise<'SIGINT' | 'SIGTERM'>((resolve) => {
  let count = 0;
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.on(signal, () => {
      count += 1;
      // A second signal ends the process without waiting for the drain.
      if (count > 1) process.exit(signal === 'SIGINT' ? 130 : 143);
      resolve(signal);
    });
});

const code = await runCli(process.argv.slice(2), {
  env: process.env,
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: Object.assign(process.stderr, { isTTY: isatty(2) }),
  onExit: (work) => void process.once('exit', work),
  onReload: (work) => void process.on('SIGHUP', work),
  stopped,
}).catch(fail);
process.exit(code);
