import { Writable } from 'node:stream';

const BUFFER_BYTES_MAX = 64 * 1024;

/**
 * Lines gathered for one turn of the event loop and written together: a pipe takes each write as a system call of its
 * own. What is buffered when the process ends of itself is written then.
 */
export function bufferLines(to: NodeJS.WritableStream): {
  readonly stream: Writable;
  readonly write: (lines: string) => void;
  readonly flush: () => void;
} {
  let text = '';
  let isScheduled = false;
  const flush = (): void => {
    isScheduled = false;
    if (text === '') return;
    const lines = text;
    text = '';
    to.write(lines);
  };
  const write = (lines: string): void => {
    text += lines;
    if (text.length > BUFFER_BYTES_MAX) flush();
    else if (!isScheduled) {
      isScheduled = true;
      setImmediate(flush);
    }
  };
  const stream = new Writable({
    decodeStrings: false,
    write(chunk: string | Buffer, _encoding, done) {
      write(chunk.toString());
      done();
    },
  });
  return { stream, write, flush };
}
