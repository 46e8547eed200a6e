import type { Series } from './make-series.ts';
import { isAbout, type Alert } from './read-alert.ts';
import { GROUPS, saysMachine } from './read-measurement.ts';

export const ORDERS = [
  ['group', 'By group'],
  ['concern', 'Out of range first'],
  ['newest', 'Newest first'],
  ['name', 'By name'],
] as const;
export type Order = (typeof ORDERS)[number][0];

/** The alerts on values of this kind. */
export const alertsOn = ({ rows: [newest] }: Series, alerts: readonly Alert[]): readonly Alert[] =>
  newest === undefined ? [] : alerts.filter((alert) => isAbout(alert, newest));

/**
 * How much somebody should look: 3 where the newest value is out of range, 2 where an alert is on such values, 1 where
 * something must be known before the newest value is used.
 */
export function concernOf(series: Series, alerts: readonly Alert[]): 0 | 1 | 2 | 3 {
  const { latest } = series;
  if (latest !== null && latest.flags.length > 0) return 3;
  if (alertsOn(series, alerts).length > 0) return 2;
  return latest !== null && latest.marks.length + latest.notes.length > 0 ? 1 : 0;
}

/** Kinds of measurement under one heading. */
export interface Section {
  readonly title: string;
  readonly series: readonly Series[];
}

/**
 * The series that a narrow screen shows only on demand: those after the first few. What is out of range, or what an
 * alert is on, is never one of them, and neither is what carries a note of doubt or what somebody has opened.
 */
export function furtherOf(
  { series }: Section,
  count: number,
  alerts: readonly Alert[],
  open: ReadonlySet<string>,
): ReadonlySet<Series> {
  // That a machine has read a value stands above the tiles, whichever of them are shown.
  const isNoted = ({ latest }: Series): boolean => latest?.notes.some((note) => !saysMachine(note)) === true;
  const calm = series.filter((one) => concernOf(one, alerts) < 2 && !isNoted(one) && !open.has(one.key));
  const room = Math.max(0, count - (series.length - calm.length));
  // One row more takes no more room than the button that would show it.
  return new Set(calm.length - room <= 1 ? [] : calm.slice(room));
}

/** Every word of what is wanted stands in the name, the code, the group or the circumstances. */
export function isWanted({ title, about, group, rows: [newest] }: Series, wanted: string): boolean {
  const text = [title, about, group, newest?.context.words ?? ''].join(' ').toLowerCase();
  return wanted
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}

const byName = (a: Series, b: Series): number => a.title.localeCompare(b.title, 'en') || (a.key < b.key ? -1 : 1);

/**
 * The headings of the page with what stands under each. Groups of every chart are there even where nothing was
 * measured, so that it is seen that nothing was.
 */
export function sortSeries(
  series: readonly Series[],
  { order, wanted, alerts }: { readonly order: Order; readonly wanted: string; readonly alerts: readonly Alert[] },
): Section[] {
  const found = series.filter((one) => isWanted(one, wanted));
  switch (order) {
    case 'group':
      return GROUPS.map((title) => ({ title, series: found.filter(({ group }) => group === title) }));
    case 'concern':
      return [
        {
          title: 'Out of range first',
          series: found.toSorted((a, b) => concernOf(b, alerts) - concernOf(a, alerts) || byName(a, b)),
        },
      ];
    case 'newest':
      return [
        {
          title: 'Newest first',
          series: found.toSorted((a, b) => (b.latest?.at ?? -Infinity) - (a.latest?.at ?? -Infinity) || byName(a, b)),
        },
      ];
    case 'name':
      return [{ title: 'By name', series: found.toSorted(byName) }];
  }
}
