import type { Log, LogEvent, LogFields } from '../../src/kernel/index.ts';

export interface Line extends LogFields {
  readonly level: 'debug' | 'info' | 'warn' | 'error';
  readonly event: LogEvent;
}

/** A log whose lines can be looked at. */
export function collectLog(lines: Line[] = [], bound: LogFields = {}): Log & { readonly lines: Line[] } {
  const write =
    (level: Line['level']) =>
    (event: LogEvent, fields: LogFields = {}): void =>
      void lines.push({ level, event, ...bound, ...fields });
  return {
    lines,
    debug: write('debug'),
    info: write('info'),
    warn: write('warn'),
    error: write('error'),
    with: (fields) => collectLog(lines, { ...bound, ...fields }),
  };
}
