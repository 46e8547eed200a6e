/** What jest reports, as far as it is looked at. */
export interface Report {
  readonly testResults: readonly {
    readonly name: string;
    readonly assertionResults: readonly {
      readonly fullName: string;
      readonly ancestorTitles: readonly string[];
      readonly title: string;
      readonly status: string;
      readonly duration?: number | null;
    }[];
  }[];
}

export interface Row {
  /** The file: what the rows below it are about. */
  readonly part: string;
  readonly what: string;
  readonly held: 'yes' | 'NO' | 'skipped';
  readonly seconds: number;
  readonly figures: string;
}

const WIDTH = 92;

/**
 * One row for each test, in the order of the files' names. `figures` is a line of JSON for each number that a test
 * showed.
 */
export function readRows({ testResults }: Report, figures: string): Row[] {
  const shown = figures
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as { test: string; text: string });
  const partOf = (name: string): string => (name.split('/').at(-1) ?? name).replace(/\.test\.ts$/, '');
  return [...testResults]
    .sort((a, b) => partOf(a.name).localeCompare(partOf(b.name)))
    .flatMap(({ name, assertionResults }) =>
      assertionResults.map(({ fullName, ancestorTitles, title, status, duration }): Row => ({
        part: partOf(name),
        what: [...ancestorTitles, title].join(', '),
        held: status === 'passed' ? 'yes' : status === 'failed' ? 'NO' : 'skipped',
        seconds: Math.round((duration ?? 0) / 100) / 10,
        figures: shown
          .filter(({ test }) => test === fullName)
          .map(({ text }) => text)
          .join('; '),
      })),
    );
}

/** Words in lines that are not longer than `width`. */
function wrap(text: string, width: number): string[] {
  const lines: string[] = [''];
  for (const word of text.split(' ')) {
    const last = lines.at(-1) ?? '';
    if (last !== '' && last.length + 1 + word.length > width) lines.push(word);
    else lines[lines.length - 1] = last === '' ? word : `${last} ${word}`;
  }
  return lines;
}

/** The rows under their parts. */
export function drawTable(rows: readonly Row[]): string {
  const line = (what: string, held: string, seconds: string, figures: string): string =>
    `${what.padEnd(WIDTH)}  ${held.padEnd(7)}${seconds.padStart(8)}  ${figures}`.trimEnd();
  const out = [line('what was run', 'held', 'seconds', 'figures')];
  let part = '';
  for (const row of rows) {
    if (row.part !== part) out.push(row.part);
    part = row.part;
    const [first = '', ...more] = wrap(row.what, WIDTH - 4);
    out.push(line(`  ${first}`, row.held, row.seconds.toFixed(1), row.figures), ...more.map((rest) => `    ${rest}`));
  }
  return `${out.join('\n')}\n`;
}
