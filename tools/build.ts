/* `npm run build`: makes dist/ anew, for the published command and the image. Node strips no types under node_modules. */
import { spawnSync } from 'node:child_process';
import { chmodSync, rmSync } from 'node:fs';

rmSync('dist', { recursive: true, force: true });
const { status } = spawnSync(process.execPath, ['node_modules/typescript/bin/tsc', '-p', 'tsconfig.build.json'], {
  stdio: 'inherit',
});
if (status !== 0) process.exit(1);
chmodSync('dist/main.js', 0o755);
console.log('dist/ is made');
