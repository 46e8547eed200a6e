import type { Translation } from '../translate/index.ts';
import type { Finish, LedgerRow, RetractedRow, WrittenRow } from '../lanes/index.ts';

const DAY_MS = 86_400_000;

/** An alert may write the time of its reading in another offset, and so stand under the day before or after. */
const around = (day: string): string[] => {
  const ms = Date.parse(day);
  return [-DAY_MS, 0, DAY_MS].map((by) => new Date(ms + by).toISOString().slice(0, 10));
};

/** The days of single readings that came or went: alerts of these refer to the readings that stand. */
export function alertDaysOf(
  { wanted }: Pick<Translation, 'wanted'>,
  written: readonly Pick<WrittenRow, 'name' | 'chartDay'>[],
  retracted: readonly Pick<RetractedRow, 'name'>[],
  gone: readonly Pick<LedgerRow, 'name' | 'group' | 'chartDay'>[],
): Pick<Finish, 'alertDays'> {
  const watched = new Set(wanted.filter(({ isWatched }) => isWatched).map(({ name }) => name));
  const taken = new Set(retracted.map(({ name }) => name));
  const moved = [
    ...written.filter(({ name }) => watched.has(name)),
    ...gone.filter(({ name, group }) => group !== 'alerts' && taken.has(name)),
  ];
  const days = new Set(moved.flatMap(({ chartDay }) => (chartDay === null ? [] : around(chartDay))));
  return days.size === 0 ? {} : { alertDays: [...days] };
}
