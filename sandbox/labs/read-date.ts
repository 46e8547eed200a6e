import { withDigits } from './letters.ts';

export interface DateParts {
  readonly year: number;
  readonly month: number;
  readonly day: number;
}

/** Which of the two comes first in a date of numbers alone. */
export type DayOrder = 'month-first' | 'day-first';

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const MONTH = String.raw`(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?`;
const D = String.raw`([\dOolI|SBZ]{1,2})`;
const Y = String.raw`([\dOolI|SBZ]{4}|\d\d)`;
const ISO = new RegExp(String.raw`\b([\dOolI|SBZ]{4})-${D}-${D}(?=\D|$)`);
const NUMERIC = new RegExp(String.raw`(?<![\d.])${D}([/.-])${D}\2${Y}(?![\d.])`);
const DAY_MONTH = new RegExp(String.raw`(?<!\d)${D}(?:st|nd|rd|th)?[\s.-]*${MONTH}[\s,.-]*([\dOolI|SBZ]{4})`, 'i');
const MONTH_DAY = new RegExp(String.raw`\b${MONTH}\s*${D}(?:st|nd|rd|th)?[\s,.]+([\dOolI|SBZ]{4})`, 'i');

const numberOf = (text: string | undefined): number => Number(withDigits(text ?? ''));
const fullYear = (year: number): number => (year < 70 ? 2000 + year : year < 100 ? 1900 + year : year);

function dateOf(year: number, month: number, day: number): DateParts | null {
  const full = fullYear(year);
  const made = new Date(Date.UTC(full, month - 1, day));
  const isReal = made.getUTCMonth() === month - 1 && made.getUTCDate() === day;
  return isReal && full >= 1900 && full < 2100 ? { year: full, month, day } : null;
}

export interface FoundDate {
  readonly date: DateParts;
  readonly from: number;
  readonly to: number;
}

/**
 * The first date in a text. A date of numbers with points is day first; with strokes or hyphens it is month first,
 * unless that cannot be, or unless other dates of the document (`order`) tell.
 */
export function findDate(text: string, order: DayOrder | null): FoundDate | null {
  const found: FoundDate[] = [];
  const keep = (match: RegExpExecArray | null, read: (groups: readonly string[]) => DateParts | null): void => {
    const date = match === null ? null : read(match.slice(1));
    if (match !== null && date !== null) found.push({ date, from: match.index, to: match.index + match[0].length });
  };
  keep(ISO.exec(text), ([year, month, day]) => dateOf(numberOf(year), numberOf(month), numberOf(day)));
  keep(DAY_MONTH.exec(text), ([day, month = '', year]) => dateOf(numberOf(year), MONTHS.indexOf(month.slice(0, 3).toLowerCase()) + 1, numberOf(day))); // prettier-ignore
  keep(MONTH_DAY.exec(text), ([month = '', day, year]) => dateOf(numberOf(year), MONTHS.indexOf(month.slice(0, 3).toLowerCase()) + 1, numberOf(day))); // prettier-ignore
  keep(NUMERIC.exec(text), ([first, sign, second, year]) => {
    const [a, b, y] = [numberOf(first), numberOf(second), numberOf(year)];
    const usual: DayOrder = sign === '.' ? 'day-first' : (order ?? 'month-first');
    return usual === 'day-first' ? (dateOf(y, b, a) ?? dateOf(y, a, b)) : (dateOf(y, a, b) ?? dateOf(y, b, a));
  });
  return found.sort((a, b) => a.from - b.from)[0] ?? null;
}

/** How the dates of a document are written, where one of them can be read in one way alone. */
export function findDayOrder(text: string): DayOrder | null {
  for (const [, first, sign, second] of text.matchAll(new RegExp(NUMERIC, 'g'))) {
    if (sign === '.') continue;
    const [a, b] = [numberOf(first), numberOf(second)];
    if (a > 12 && a <= 31 && b <= 12) return 'day-first';
    if (b > 12 && b <= 31 && a <= 12) return 'month-first';
  }
  return null;
}

const CLOCK =
  /(?<![\d.])([\dOolI|SB]{1,2})\s?[:.h]\s?([\dOolI|SB]{2})(?:[:.]([\dOolI|SB]{2}))?(?:\.\d+)?(?:\s*([ap])\.?\s?m\b\.?)?/i;
const COMPACT = /^\s*,?\s*([01]\d|2[0-3])([0-5]\d)(?=\s|$)\s*(?:h|hrs|hours)?/;

export interface FoundTime {
  /** `HH:MM:SS` */
  readonly time: string;
  readonly to: number;
}

const two = (value: number): string => String(value).padStart(2, '0');

/** The first time of day in a text; 0815 only directly behind a date. */
export function findTime(text: string): FoundTime | null {
  const compact = COMPACT.exec(text);
  if (compact !== null) return { time: `${compact[1] ?? ''}:${compact[2] ?? ''}:00`, to: compact[0].length };
  const match = CLOCK.exec(text);
  if (match === null) return null;
  const [all, hourText, minuteText, secondText, half] = match;
  const [hour, minute, second] = [
    numberOf(hourText),
    numberOf(minuteText),
    secondText === undefined ? 0 : numberOf(secondText),
  ];
  if (!(minute < 60 && second < 60) || (half === undefined ? hour > 23 : hour < 1 || hour > 12)) return null;
  const full = half === undefined ? hour : (hour % 12) + (half.toLowerCase() === 'p' ? 12 : 0);
  return { time: `${two(full)}:${two(minute)}:${two(second)}`, to: match.index + all.length };
}
