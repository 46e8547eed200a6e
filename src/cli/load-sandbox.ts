import { errorCode, StartError } from '../kernel/index.ts';
import type { Command } from './command.ts';

/** What the gateway knows of the sandbox: that it has a demonstration. */
export interface Sandbox {
  readonly demonstration: Pick<Command, 'run'>;
}

/** The sources beside ours in a checkout, the installed package otherwise. */
const placeOf = (moduleUrl: string): string =>
  moduleUrl.endsWith('.ts') ? new URL('../../sandbox/demo/demo.ts', moduleUrl).href : 'chartgate-sandbox/demo';

/** Throws a StartError that says what to install where the sandbox, or something that it needs, is not there. */
export async function loadSandbox(
  version: string,
  load: (place: string) => Promise<unknown> = (place) => import(place),
): Promise<Sandbox> {
  try {
    return (await load(placeOf(import.meta.url))) as Sandbox;
  } catch (thrown) {
    if (errorCode(thrown) !== 'ERR_MODULE_NOT_FOUND') throw thrown;
    throw new StartError(
      'demo.not-installed',
      `The demonstration is a package of its own, which is not installed here. Run "npm install chartgate-sandbox@${version}" where Chartgate is installed, or "npm ci" in a checkout.`,
      thrown,
    );
  }
}
