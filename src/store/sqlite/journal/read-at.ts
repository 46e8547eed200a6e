import { readSync } from 'node:fs';

/** As many bytes as there are from there on, and no more than asked for. */
export function readAt(fd: number, at: number, bytes: number): Buffer {
  const into = Buffer.allocUnsafeSlow(bytes);
  let got = 0;
  while (got < bytes) {
    const more = readSync(fd, into, got, bytes - got, at + got);
    if (more === 0) break;
    got += more;
  }
  return into.subarray(0, got);
}
