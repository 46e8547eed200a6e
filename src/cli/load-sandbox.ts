import { join } from 'node:path';
import { errorCode, StartError } from '../kernel/index.ts';
import { askPerson } from './ask-person.ts';
import type { Command, Terminal } from './command.ts';
import { findInstalledSandbox, installSandbox, SANDBOX, specOf } from './install-sandbox.ts';

/** What the gateway knows of the sandbox: that it has a demonstration. */
export interface Sandbox {
  readonly demonstration: Pick<Command, 'run'>;
}

export interface SandboxDeps {
  readonly version: string;
  /** Where the sandbox is installed to if it is nowhere else. */
  readonly folder: string;
  /** `ask`: only once a person has said yes. */
  readonly install: 'ask' | 'yes';
  readonly terminal: Pick<Terminal, 'stdin' | 'stderr' | 'stopped'>;
  readonly load?: (place: string) => Promise<unknown>;
  readonly installInto?: (folder: string) => Promise<void>;
}

/** The sources beside ours in a checkout, the installed package otherwise. */
const placeOf = (moduleUrl: string): string =>
  moduleUrl.endsWith('.ts') ? new URL('../../sandbox/demo/demo.ts', moduleUrl).href : `${SANDBOX}/demo`;

const GATEWAY = join(import.meta.dirname, '..', '..');

const missing = ({ version, folder }: SandboxDeps, cause?: unknown): StartError =>
  new StartError(
    'demo.not-installed',
    `The demonstration is a package of its own, ${SANDBOX} ${version}, which is not installed here. Start it again with --install, which puts it into ${folder}; or run "npm install ${SANDBOX}@${version}" where Chartgate is installed, or "npm ci" in a checkout.`,
    cause,
  );

async function isWanted({ version, folder, install, terminal }: SandboxDeps): Promise<boolean> {
  if (install === 'yes') return true;
  if (terminal.stderr.isTTY !== true) return false;
  const answer = await askPerson(
    `The demonstration is a package of its own, ${SANDBOX} ${version}: invented people, a demo EHR, a sample app.\nInstall it into ${folder} now? [Y/n] `,
    terminal,
  );
  return answer !== null && /^(y|yes)?$/i.test(answer.trim());
}

/**
 * Loads the sandbox, and has it installed where it is not there and somebody says so. Throws a StartError that says
 * what to do otherwise.
 */
export async function loadSandbox(deps: SandboxDeps): Promise<Sandbox> {
  const { version, folder } = deps;
  const load = deps.load ?? ((place: string) => import(place));
  try {
    return (await load(placeOf(import.meta.url))) as Sandbox;
  } catch (thrown) {
    if (errorCode(thrown) !== 'ERR_MODULE_NOT_FOUND') throw thrown;
    const there = findInstalledSandbox(folder, version);
    if (there !== null) return (await load(there)) as Sandbox;
    if (!(await isWanted(deps))) throw missing(deps, thrown);
    const install =
      deps.installInto ?? ((into) => installSandbox(into, { spec: specOf(version, process.cwd()), gateway: GATEWAY }));
    await install(folder);
    const installed = findInstalledSandbox(folder, version);
    if (installed === null) throw missing(deps);
    return (await load(installed)) as Sandbox;
  }
}
