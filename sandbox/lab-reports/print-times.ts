import type { Random } from './random.ts';

export interface PrintedTimes {
  readonly collectedLabel: string;
  readonly collected: string;
  readonly receivedLabel: string;
  readonly received: string;
  readonly reportedLabel: string;
  readonly reported: string;
  readonly birthDate: string;
  /** Local wall time, `YYYY-MM-DDTHH:MM:SS`. */
  readonly local: string;
  /** As printed beside the time: an offset, or null where the report names no zone. */
  readonly offset: string | null;
}

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'] as const;
const ZONES = [
  ['EST', '-05:00'],
  ['PDT', '-07:00'],
  ['UTC', 'Z'],
  ['+01:00', '+01:00'],
  ['UTC-06:00', '-06:00'],
  ['CEST', '+02:00'],
] as const;

const two = (value: number): string => String(value).padStart(2, '0');
type Style = (year: number, month: number, day: number) => string;
const DATES: readonly Style[] = [
  (y, m, d) => `${y}-${two(m)}-${two(d)}`,
  (y, m, d) => `${two(m)}/${two(d)}/${y}`,
  (y, m, d) => `${m}/${d}/${y}`,
  (y, m, d) => `${two(d)} ${MONTHS[m - 1] ?? ''} ${y}`,
  (y, m, d) => `${two(d)}-${MONTHS[m - 1] ?? ''}-${y}`,
  (y, m, d) => `${MONTHS[m - 1] ?? ''} ${d}, ${y}`,
  (y, m, d) => `${two(d)}.${two(m)}.${y}`,
];
const TIMES: readonly ((hour: number, minute: number) => string)[] = [
  (h, m) => `${two(h)}:${two(m)}`,
  (h, m) => `${two(h)}:${two(m)}:00`,
  (h, m) => `${h % 12 === 0 ? 12 : h % 12}:${two(m)} ${h < 12 ? 'AM' : 'PM'}`,
  (h, m) => `${two(h % 12 === 0 ? 12 : h % 12)}:${two(m)}${h < 12 ? 'am' : 'pm'}`,
];

/** A date of birth, the collection, and two later times that must not be taken for it. */
export function printTimes(random: Random, wanted: string | null): PrintedTimes {
  const style = random.pick(DATES);
  const clock = random.pick(TIMES);
  const given = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d)/
    .exec(wanted ?? '')
    ?.slice(1)
    .map(Number);
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0] = given ?? [
    2024 + random.below(3),
    1 + random.below(12),
    1 + random.below(27),
    6 + random.below(10),
    random.below(60),
  ];
  const zone = random.isLucky(0.3) ? random.pick(ZONES) : null;
  const at = (days: number, h: number, m: number): string => {
    const moved = new Date(Date.UTC(year, month - 1, day + days));
    return `${style(moved.getUTCFullYear(), moved.getUTCMonth() + 1, moved.getUTCDate())} ${clock(h, m)}`;
  };
  const local = `${year}-${two(month)}-${two(day)}T${two(hour)}:${two(minute)}:00`;
  return {
    collectedLabel: random.pick([
      'Collected',
      'Collection Date/Time',
      'Date Collected',
      'Drawn',
      'Specimen Collected',
      'Date of specimen',
    ]),
    collected: `${at(0, hour, minute)}${zone === null ? '' : ` ${zone[0]}`}`,
    receivedLabel: random.pick(['Received', 'Date Received', 'Received in lab']),
    received: at(0, Math.min(hour + 3, 23), (minute + 17) % 60),
    reportedLabel: random.pick(['Reported', 'Report Date', 'Date Reported', 'Printed']),
    reported: at(1, 9, random.below(60)),
    birthDate: style(1945 + random.below(55), 1 + random.below(12), 1 + random.below(28)),
    local,
    offset: zone?.[1] ?? null,
  };
}
