/*
 * `npm run build`: makes dist/ and sandbox/dist/ anew, for the published packages and the image. Node strips no types
 * under node_modules. `--gateway` makes the first alone, `--sandbox` the second.
 */
import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { VENDOR } from '../sandbox/clinician-app/vendor.ts';
import { buildDocs } from './build-docs.ts';
import { buildSandbox } from './build-sandbox.ts';
import { PACKAGES, writeThirdParty } from './third-party.ts';

const run = (args: readonly string[]): void => {
  if (spawnSync(process.execPath, args, { stdio: ['ignore', 2, 2] }).status !== 0) process.exit(1);
};
// Standard output is for whoever packs: npm prints there what it has made.
const say = (line: string): void => void process.stderr.write(`${line}\n`);

function nameOthers(of: keyof typeof PACKAGES): void {
  const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { readonly version: string };
  const refused = writeThirdParty(PACKAGES[of], version);
  for (const { name, license } of refused) say(`${name} has a licence that is not allowed: ${license}`);
  if (refused.length > 0) process.exit(1);
}

function buildGateway(): void {
  rmSync('dist', { recursive: true, force: true });
  run(['node_modules/typescript/bin/tsc', '-p', 'tsconfig.build.json']);
  cpSync('src/r4/definitions', 'dist/r4/definitions', { recursive: true, filter: (path) => !path.endsWith('.ts') });
  // The reference's renderer is a development package: the image has none of them.
  mkdirSync('dist/ops/reference', { recursive: true });
  cpSync('node_modules/redoc/bundles/redoc.standalone.js', 'dist/ops/reference/renderer.js');
  // From dist itself: the digest that names the generated code covers the files that generate it.
  run(['--eval', `import('./dist/r4/index.js').then(({ prepareValidator }) => prepareValidator())`]);
  // What a gateway loads at its start, compiled; a start with nothing to do has loaded it all.
  mkdirSync('dist/compile-cache');
  run(['dist/main.js', 'serve', '--help']);
  chmodSync('dist/main.js', 0o755);
  // The console needs packages of its own workspace: without them the gateway is built without it.
  if (existsSync('console/build.ts')) {
    run(['console/build.ts', 'dist/console/files']);
    say('dist/console/files/ is made');
  }
  buildDocs();
  nameOthers('gateway');
  say('dist/ is made');
}

function buildDemonstration(): void {
  // The sample app runs in a browser: it has a configuration of its own.
  const app = 'clinician-app/web';
  buildSandbox('sandbox', 'sandbox/dist', [app, 'test']);
  run([
    'node_modules/typescript/bin/tsc',
    '-p',
    `sandbox/${app}`,
    '--noEmit',
    'false',
    '--outDir',
    `sandbox/dist/${app}`,
  ]);
  for (const [name, file] of Object.entries(VENDOR))
    cpSync(`node_modules/${file}`, `sandbox/dist/clinician-app/vendor/${name}`);
  nameOthers('sandbox');
  say('sandbox/dist/ is made');
}

if (!process.argv.includes('--sandbox')) buildGateway();
if (!process.argv.includes('--gateway')) buildDemonstration();
