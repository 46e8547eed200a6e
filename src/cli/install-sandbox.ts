import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { errorCode, StartError } from '../kernel/index.ts';

export const SANDBOX = 'chartgate-sandbox';

/** Where the sandbox is in a folder of packages, as an address to import; null where this version is not there. */
export function findInstalledSandbox(folder: string, version: string): string | null {
  try {
    const about = readFileSync(join(folder, 'node_modules', SANDBOX, 'package.json'), 'utf8');
    if ((JSON.parse(about) as { readonly version?: unknown }).version !== version) return null;
    return pathToFileURL(createRequire(join(resolve(folder), 'any.js')).resolve(`${SANDBOX}/demo`)).href;
  } catch {
    return null;
  }
}

/** The package as a file that somebody has packed and put here, or as npm knows it. */
export const specOf = (version: string, folder: string): string => {
  const packed = join(folder, `${SANDBOX}-${version}.tgz`);
  return existsSync(packed) ? packed : `${SANDBOX}@${version}`;
};

/**
 * Has npm install the sandbox into a folder of its own, without install scripts, and lets it find the gateway that
 * installs it. What npm says goes to standard error.
 */
export async function installSandbox(
  folder: string,
  of: { readonly spec: string; readonly gateway: string; readonly npm?: string },
): Promise<void> {
  mkdirSync(folder, { recursive: true });
  const options = ['--no-save', '--no-audit', '--no-fund', '--ignore-scripts', '--legacy-peer-deps', '--omit=dev'];
  const ended = await new Promise<number | string>((done) => {
    const child = spawn(of.npm ?? 'npm', ['install', '--prefix', folder, ...options, of.spec], {
      stdio: ['ignore', 2, 2],
    });
    child.on('error', (error) => done(errorCode(error) ?? 'unknown'));
    child.on('close', (code) => done(code ?? 'signal'));
  });
  if (ended !== 0)
    throw new StartError(
      'demo.not-installed',
      ended === 'ENOENT'
        ? `npm is not there: install ${of.spec} yourself, beside Chartgate.`
        : `npm could not install ${of.spec}: see what it says above. "npm pack -w sandbox" in a checkout makes the package; put it into the folder from which you start the demonstration.`,
    );
  const own = join(folder, 'node_modules', 'chartgate');
  rmSync(own, { recursive: true, force: true });
  symlinkSync(of.gateway, own, 'dir');
}
