import { listOf, partOf, wordOf } from '../parts.ts';
import { LOINC, type Scene } from '../scene.ts';
import { dayOf, effectiveOf, type Times } from '../times.ts';
import type { Wanted } from '../translation.ts';

/** Sleep duration and time in bed: their time is that of the sleep. */
const WHOLE_SLEEP = new Set(['93832-4', '103213-5']);

const isWholeSleep = ({ resource }: Wanted): boolean =>
  listOf(partOf(resource['code'])['coding']).some(
    ({ system, code }) => system === LOINC && WHOLE_SLEEP.has(wordOf(code)),
  );

/** The sleep of each day on which one ended; null where there were several, since nobody can tell which is meant. */
function sleepsByDay(scene: Scene, sleep: readonly Wanted[]): ReadonlyMap<string, Times | null> {
  const byDay = new Map<string, Times | null>();
  const momentsOf = (times: Times): string => {
    const { startUtc, endUtc } = scene.timeFacts(times);
    return `${startUtc}/${endUtc}`;
  };
  for (const one of sleep) {
    const times = isWholeSleep(one) ? effectiveOf(one.resource) : null;
    if (times === null || times.open !== undefined || times.start === times.end || scene.timeFacts(times).isWholeDay)
      continue;
    const day = dayOf(times.end);
    const known = byDay.get(day);
    byDay.set(day, known === undefined || (known !== null && momentsOf(known) === momentsOf(times)) ? times : null);
  }
  return byDay;
}

/**
 * A value of the sleep summary that is dated to its whole day was measured during the sleep. Where the document says
 * when that was, the value says it too. Its name stays that of the source's time.
 */
export function withSleepPeriod(scene: Scene, wanted: readonly Wanted[]): readonly Wanted[] {
  const sleep = wanted.filter(({ group }) => group === 'sleep');
  const byDay = sleep.length === 0 ? null : sleepsByDay(scene, sleep);
  if (byDay === null || byDay.size === 0) return wanted;
  return wanted.map((one): Wanted => {
    const times = one.group === 'sleep' ? effectiveOf(one.resource) : null;
    const night = times === null ? null : byDay.get(dayOf(times.start));
    if (times === null || night === null || night === undefined || !scene.timeFacts(times).isWholeDay) return one;
    const { effectiveDateTime: _day, ...resource } = one.resource;
    return { ...one, resource: { ...resource, ...scene.timeFacts(night).effective } };
  });
}
