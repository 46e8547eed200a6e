import winston from 'winston';
import type { Log, LogEvent, LogFields } from '../kernel/index.ts';
import { bufferLines } from './buffer-lines.ts';

type Level = 'error' | 'warn' | 'info' | 'debug';

/**
 * JSON lines on `stream`. The only file that knows winston; what a line may hold is decided by the types of
 * kernel/log.ts. An `info`, of which there is one for every request and every delivery, is printed without winston's
 * three streams; the bytes are the same.
 */
export function makeWinstonLog(deps: {
  readonly level: Level;
  readonly stream: NodeJS.WritableStream;
  readonly now: () => Date;
  /** Takes what must be done before the process ends. */
  readonly onExit?: (flush: () => void) => void;
}): Log {
  const { stream, write, flush } = bufferLines(deps.stream);
  deps.onExit?.(flush);
  const logger = winston.createLogger({
    level: deps.level,
    format: winston.format.printf(({ level, message, ...fields }) =>
      JSON.stringify({ time: deps.now().toISOString(), level, event: message, ...fields }),
    ),
    transports: [new winston.transports.Stream({ stream, eol: '\n' })],
  });
  const isInfoOn = logger.isInfoEnabled();
  const make = (bound: LogFields): Log => {
    const log =
      (level: Level) =>
      (event: LogEvent, fields: LogFields = {}): void =>
        void logger.log(level, event, { ...bound, ...fields });
    return {
      debug: log('debug'),
      info: (event, fields) => {
        if (!isInfoOn) return;
        const time = deps.now().toISOString();
        write(`${JSON.stringify({ time, level: 'info', event, ...bound, ...fields })}\n`);
      },
      warn: log('warn'),
      error: log('error'),
      with: (fields) => make({ ...bound, ...fields }),
    };
  };
  return make({});
}
