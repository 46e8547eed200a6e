/*
 * `npm run docs`: builds the documentation as pages with a search (VitePress) into dist/guide/, which a gateway serves at
 * /docs/guide. What is text is also left there packed.
 */
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync } from 'node:zlib';

const FOLDER = 'dist/guide';

export function buildDocs(): void {
  const args = ['node_modules/vitepress/bin/vitepress.js', 'build', 'docs', '--logLevel', 'error'];
  const built = spawnSync(process.execPath, args, { stdio: ['ignore', 2, 2] });
  if (built.status !== 0) process.exit(1);
  for (const entry of readdirSync(FOLDER, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isFile() && /\.(?:js|css|json)$/.test(path))
      writeFileSync(`${path}.br`, brotliCompressSync(readFileSync(path)));
  }
  process.stderr.write(`${FOLDER}/ is made\n`);
}

if (import.meta.main) buildDocs();
