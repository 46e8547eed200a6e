import type { Readable } from 'node:stream';

const NEWLINE = 0x0a;

/** Hands on whole lines alone: what several processes write at once does not mix. */
export function passLines(from: Readable, to: NodeJS.WritableStream): void {
  let rest: readonly Buffer[] = [];
  from.on('data', (part: Buffer) => {
    const end = part.lastIndexOf(NEWLINE) + 1;
    if (end === 0) {
      rest = [...rest, part];
      return;
    }
    to.write(Buffer.concat([...rest, part.subarray(0, end)]));
    rest = end === part.length ? [] : [part.subarray(end)];
  });
  // Of a process that was killed in the middle of a line.
  from.on('end', () => {
    if (rest.length > 0) to.write(Buffer.concat([...rest, Buffer.from('\n')]));
  });
}
