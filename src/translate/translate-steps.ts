import type { StepsEvent, StepsEvents } from '../payloads/index.ts';
import { codesText } from './notebook.ts';
import { buildObservation, categoryOf, codeable, type Element } from './observation.ts';
import { judgeTimes } from './judge-time.ts';
import { judgeValue, toRowUnit } from './quantity.ts';
import { nameOfSteps, STEPS } from './clinical/name-metric.ts';
import { want, type Scene } from './scene.ts';
import { dayOf, fhirDateTime, isZoned } from './times.ts';
import type { Wanted } from './translation.ts';

/** The running total of a day comes as a metric of its own, so that it never stands under the code of a whole day. */
const RUNNING_TOTAL = { code: STEPS, context: 'point', window: 'other' } as const;

const zoneOf = (time: string): string => /(Z|[+-]\d{2}:\d{2})$/.exec(time)?.[0] ?? '';

/** From the midnight of its own offset to the moment of the count. */
function timesOf(at: string): { start: string; end: string } {
  const end = fhirDateTime(at);
  const midnight = `${dayOf(at)}T00:00:00${zoneOf(end)}`;
  return end.length === 10 ? { start: end, end } : { start: midnight, end };
}

const flag = (scene: Scene, code: string, value: boolean | null): Element[] =>
  value === null ? [] : [{ code: codeable([scene.mappings.local(code)]), valueBoolean: value }];

function translateDay(
  scene: Scene,
  document: StepsEvents,
  day: string,
  highest: StepsEvent,
  isOver: boolean,
): Wanted[] {
  const at = `physical_health.events.steps_event[${document.events.indexOf(highest)}]`;
  const { mappings, notebook } = scene;
  const row = mappings.findMetric({ system: mappings.uris.code, ...RUNNING_TOTAL });
  notebook.decide(at, 'code', 'steps (running total)', row === null ? null : codesText(row), row);
  if (row === null) {
    notebook.find('code.unmapped', at, STEPS);
    return [];
  }
  judgeTimes(scene, at, timesOf(highest.at));
  if (!isZoned(highest.at)) notebook.find('time.unzoned', at);
  const count = { value: highest.accumulatedSteps, unit: null, system: null, code: null };
  const converted = toRowUnit(scene, at, count, row);
  if (converted === null) return [];
  const note = judgeValue(scene, at, row.codings[0]?.code ?? '', row.unit?.code ?? '', converted.digits);
  const resource = buildObservation(scene, {
    status: isOver ? 'final' : 'preliminary',
    category: categoryOf(row.category),
    code: codeable(row.codings),
    times: timesOf(highest.at),
    value: { valueQuantity: converted.quantity },
    note: note === null ? [] : [note],
    component: [
      ...flag(scene, 'auto-detected', document.isAutoDetected),
      ...flag(scene, 'under-physical-activity', highest.wasActive),
    ],
  });
  // The sum of the day, once it stands, is not replaced by a count that was taken on the way to it.
  return [{ ...want(nameOfSteps(scene, day), resource, { group: 'steps', chartDay: day }), yields: true }];
}

/**
 * One Observation for each local day, with its highest count. A day is over when the document also tells of a later
 * one.
 */
export function translateSteps(scene: Scene, document: StepsEvents): Wanted[] {
  const highest = new Map<string, StepsEvent>();
  for (const event of document.events) {
    const day = dayOf(event.at);
    const known = highest.get(day);
    if (known === undefined || isHigher(event, known)) highest.set(day, event);
  }
  const days = [...highest.keys()].sort();
  return days.flatMap((day) => {
    const event = highest.get(day);
    return event === undefined ? [] : translateDay(scene, document, day, event, day !== days.at(-1));
  });
}

/** Only a greater count is news: of equal ones the first stands. */
const isHigher = (a: StepsEvent, b: StepsEvent): boolean =>
  a.accumulatedSteps > b.accumulatedSteps ||
  (a.accumulatedSteps === b.accumulatedSteps && Date.parse(a.at) < Date.parse(b.at));
