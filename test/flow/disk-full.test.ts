import { expect, test } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A small file system that only the child sees: its mount goes when the child does. */
test.each([
  ['committed', '12m'],
  ['journaled', '32m'],
])(
  'a full disk refuses what is %s without losing anything, and the store writes again once there is room',
  (kind, size) => {
    const folder = mkdtempSync(join(tmpdir(), 'chartgate-full-'));
    const asRoot = process.getuid?.() === 0 ? [] : ['--user', '--map-root-user'];
    const script = 'mount -t tmpfs -o size="$4" tmpfs "$1" && exec "$2" test/support/fill-disk.ts "$1/data" "$3"';
    const child = spawnSync(
      'unshare',
      [...asRoot, '--mount', 'sh', '-c', script, 'sh', folder, process.execPath, kind, size],
      {
        encoding: 'utf8',
        timeout: 60_000,
      },
    );
    rmSync(folder, { recursive: true, force: true });
    expect(child.stderr).toBe('');
    const result = JSON.parse(child.stdout) as Record<string, unknown>;
    expect(result).toMatchObject({
      codes: ['store.full'],
      whileFull: { state: 'store.full', read: true },
      recovered: 'ready',
      isWrittenAfter: true,
    });
    expect(Number(result['acknowledged'])).toBeGreaterThan(100);
    expect(result['stored']).toBe(Number(result['acknowledged']) + 1);
  },
);
