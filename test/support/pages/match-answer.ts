import type { Expected } from './parse-page.ts';

/*
 * Whether what was printed is what the page shows. `…` stands for what differs from reader to reader: within a line for
 * any text, as a line of its own for any lines. Of JSON the page may show a part: what it shows must be there.
 */

const literally = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
const formOf = (text: string): string => text.split('…').map(literally).join('.*');

function matchesLines(shown: string, printed: string): boolean {
  const lines = shown
    .split('\n')
    .map((line) => (line.trim() === '…' ? '(?:.*\\n)*' : `${formOf(line.trimEnd())} *\\n`));
  return new RegExp(`^${lines.join('')}$`).test(`${printed.trimEnd()}\n`);
}

function isPartOf(shown: unknown, printed: unknown): boolean {
  if (typeof shown === 'string')
    return shown === '…' || (typeof printed === 'string' && new RegExp(`^${formOf(shown)}$`, 's').test(printed));
  if (Array.isArray(shown))
    return Array.isArray(printed) && shown.every((one) => printed.some((other: unknown) => isPartOf(one, other)));
  if (typeof shown === 'object' && shown !== null)
    return (
      typeof printed === 'object' &&
      printed !== null &&
      Object.entries(shown).every(([name, value]) => isPartOf(value, (printed as Record<string, unknown>)[name]))
    );
  return shown === printed;
}

function matchesJson(shown: string, printed: string): boolean {
  try {
    return isPartOf(JSON.parse(shown), JSON.parse(printed));
  } catch {
    return false;
  }
}

export function matchesAnswer({ kind, text }: Expected, printed: string): boolean {
  if (kind === 'lines') return matchesLines(text, printed);
  if (kind === 'json') return matchesJson(text, printed);
  return new RegExp(text, 'm').test(printed);
}
