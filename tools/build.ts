/*
 * `npm run build`: makes dist/ and sandbox/dist/ anew, for the published commands and the image. Node strips no types
 * under node_modules. `npm run build -- --gateway` makes the first alone.
 */
import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, existsSync, mkdirSync, rmSync } from 'node:fs';
import { buildSandbox } from './build-sandbox.ts';

const run = (args: readonly string[]): void => {
  if (spawnSync(process.execPath, args, { stdio: 'inherit' }).status !== 0) process.exit(1);
};

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
  console.log('dist/console/files/ is made');
}
console.log('dist/ is made');

if (!process.argv.includes('--gateway')) {
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
  console.log('sandbox/dist/ is made');
}
