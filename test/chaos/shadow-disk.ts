import { spawnSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** A disk beside the real one on which only flushed bytes stand. test/chaos/power-loss.c keeps it. */
export interface ShadowDisk {
  /** For the process whose power will fail. */
  readonly environment: Readonly<Record<string, string>>;
  /** The folder as it is now is on the disk. */
  seed(): void;
  /** The power is gone: the folder becomes what was flushed. */
  restore(): void;
}

function compile(into: string): void {
  const source = fileURLToPath(new URL('./power-loss.c', import.meta.url));
  const made = spawnSync('cc', ['-shared', '-fPIC', '-O2', '-Wall', '-o', into, source, '-ldl', '-lpthread'], {
    encoding: 'utf8',
  });
  if (made.error !== undefined)
    throw new Error(
      'The power-loss test needs a C compiler: `cc` was not found. Install one (Debian, Ubuntu: apt install gcc libc6-dev).',
    );
  if (made.status !== 0) throw new Error(`The power-loss shim does not compile: ${made.stderr}`);
}

/** `folder` must exist; `work` is an empty folder of ours outside of it. */
export function makeShadowDisk(folder: string, work: string): ShadowDisk {
  const library = join(work, 'power-loss.so');
  const shadow = join(work, 'shadow');
  const names = join(shadow, 'names');
  compile(library);
  return {
    environment: { LD_PRELOAD: library, POWER_LOSS_FOLDER: folder, POWER_LOSS_SHADOW: shadow },
    seed() {
      rmSync(shadow, { recursive: true, force: true });
      mkdirSync(shadow);
      const lines = readdirSync(folder).map((name) => {
        const key = `${statSync(join(folder, name)).ino}.0`;
        copyFileSync(join(folder, name), join(shadow, key));
        return `${key} ${name}\n`;
      });
      writeFileSync(names, lines.join(''));
    },
    restore() {
      const files = readFileSync(names, 'utf8')
        .trimEnd()
        .split('\n')
        .map((line) => line.split(' '));
      if (files.length < 2) throw new Error('nothing was flushed: the power-loss shim was not reached');
      for (const name of readdirSync(folder)) rmSync(join(folder, name));
      for (const [key = '', name = ''] of files) {
        if (existsSync(join(shadow, key))) copyFileSync(join(shadow, key), join(folder, name));
        else writeFileSync(join(folder, name), '');
      }
    },
  };
}
