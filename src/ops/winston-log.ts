import winston from 'winston';
import type { Log, LogEvent, LogFields } from '../kernel/index.ts';
import { bufferLines } from './buffer-lines.ts';
import type { LogLook } from './choose-log-look.ts';
import { makePrettyLine } from './pretty-line.ts';

type Level = 'error' | 'warn' | 'info' | 'debug';

/**
 * Lines on `stream`, JSON unless `look` says otherwise. The only file that knows winston; what a line may hold is decided by the types of
 * kernel/log.ts. An `info`, of which there is one for every request and every delivery, is printed without winston's
 * three streams; the bytes are the same.
 */
export function makeWinstonLog(deps: {
  readonly level: Level;
  readonly stream: NodeJS.WritableStream;
  readonly now: () => Date;
  readonly look?: LogLook;
  /** Takes what must be done before the process ends. */
  readonly onExit?: (flush: () => void) => void;
}): Log {
  const { stream, write, flush } = bufferLines(deps.stream);
  deps.onExit?.(flush);
  const pretty = deps.look?.format === 'pretty' ? makePrettyLine(deps.look.colour) : null;
  const logger = winston.createLogger({
    level: deps.level,
    format: winston.format.printf(({ level, message, ...fields }) => {
      const time = deps.now().toISOString();
      return pretty === null
        ? JSON.stringify({ time, level, event: message, ...fields })
        : pretty(time, level as Level, String(message), fields as LogFields);
    }),
    transports: [new winston.transports.Stream({ stream, eol: '\n' })],
  });
  const isInfoOn = logger.isInfoEnabled();
  const make = (bound: LogFields): Log => {
    const log =
      (level: Level) =>
      (event: LogEvent, fields: LogFields = {}): void =>
        void logger.log(level, event, { ...bound, ...fields });
    const jsonInfo: Log['info'] = (event, fields) => {
      if (!isInfoOn) return;
      const time = deps.now().toISOString();
      write(`${JSON.stringify({ time, level: 'info', event, ...bound, ...fields })}\n`);
    };
    return {
      debug: log('debug'),
      info: pretty === null ? jsonInfo : log('info'),
      warn: log('warn'),
      error: log('error'),
      with: (fields) => make({ ...bound, ...fields }),
    };
  };
  return make({});
}
