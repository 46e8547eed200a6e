import type { LogFields, SafeError } from '../kernel/index.ts';

type Level = 'error' | 'warn' | 'info' | 'debug';

/** Of a terminal: SGR 31 red, 33 yellow, 32 green, 36 cyan, 2 faint, 1 bold. */
const COLOURS: Readonly<Record<Level, number>> = { error: 31, warn: 33, info: 32, debug: 36 };
const [FAINT, BOLD] = [2, 1] as const;

type Paint = (code: number, text: string) => string;
const plain: Paint = (_code, text) => text;
const painted: Paint = (code, text) => `\u001b[${code}m${text}\u001b[0m`;

/** Words without blanks stand as they are; anything else in quotes, so that a line stays one line. */
const printValue = (value: unknown): string =>
  typeof value === 'string' && /^[\x21\x23-\x7e]+$/.test(value) ? value : JSON.stringify(value);

/** Name and code, and where it came from, the nearest place first. */
const printError = ({ name, code, stack = [] }: SafeError): string =>
  [name, ...(code === undefined ? [] : [`(${code})`]), ...stack].join(' ');

/**
 * One event as one line for a person: time, level, event, fields. What a field may hold is decided by the types of
 * kernel/log.ts, as for JSON.
 */
export function makePrettyLine(colour: 'on' | 'off') {
  const paint = colour === 'on' ? painted : plain;
  const printField = (name: string, value: unknown): string =>
    `${paint(FAINT, `${name}=`)}${name === 'error' ? JSON.stringify(printError(value as SafeError)) : printValue(value)}`;
  return (time: string, level: Level, event: string, fields: LogFields): string =>
    [
      paint(FAINT, time),
      paint(COLOURS[level], level.toUpperCase().padEnd(5)),
      paint(BOLD, event),
      ...Object.entries(fields).flatMap(([name, value]) => (value === undefined ? [] : [printField(name, value)])),
    ].join(' ');
}
