/** How lines of the log are printed. */
export interface LogLook {
  readonly format: 'json' | 'pretty';
  readonly colour: 'on' | 'off';
}

/**
 * A setting wins; without one a terminal is shown lines for people, and anything else JSON. Colours only where a person
 * looks who has not asked for none (https://no-color.org).
 */
export function chooseLogLook(
  wanted: LogLook['format'] | null,
  stream: { readonly isTTY?: boolean },
  env: Readonly<Record<string, string | undefined>>,
): LogLook {
  const isTerminal = stream.isTTY === true;
  const format = wanted ?? (isTerminal ? 'pretty' : 'json');
  const isPlain = (env['NO_COLOR'] ?? '') !== '';
  return { format, colour: format === 'pretty' && isTerminal && !isPlain ? 'on' : 'off' };
}

/** What a worker is told, whose lines go through a pipe to the terminal of its primary. */
export const lookOfWorkers = ({ format, colour }: LogLook): Readonly<Record<string, string>> => ({
  CHARTGATE_LOG_FORMAT: format,
  ...(colour === 'on' ? { FORCE_COLOR: '1' } : {}),
});

/** The other end of it. */
export const lookOfWorker = (look: LogLook, env: Readonly<Record<string, string | undefined>>): LogLook =>
  look.format === 'pretty' && env['FORCE_COLOR'] === '1' ? { ...look, colour: 'on' } : look;
