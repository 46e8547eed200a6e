import { expect } from '@jest/globals';
import { parsePayload } from '../../src/payloads/index.ts';
import type {
  BodyReadings,
  DaySummary,
  HourlySteps,
  PhysicalReadings,
  Sample,
  SleepReadings,
  SourceDay,
} from '../../sandbox/population/index.ts';
import type { Json } from './payloads/index.ts';
import { translated } from './translated.ts';
import { problemsOf } from './translate-steps.ts';

export const WHOSE = { client: 'client-1', user: 'user-1' };
export const ZONE = 'Europe/Madrid';
export const HOUR = 3_600_000;
export const DAY = 24 * HOUR;

const formats = new Map<string, Intl.DateTimeFormat>();

/** By another way than the code under test: the name that the platform gives to the offset. */
export function offsetMs(at: number, zone: string): number {
  const format = formats.get(zone) ?? new Intl.DateTimeFormat('en-US', { timeZone: zone, timeZoneName: 'longOffset' });
  formats.set(zone, format);
  const text = format.format(at);
  const [, sign = '+', hours = '0', minutes = '0'] = /GMT([+-])(\d{2}):(\d{2})/.exec(text) ?? [];
  return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * 60_000;
}

/** An instant by the clock on the wall. */
export function wall(text: string, zone = ZONE): number {
  const utc = Date.parse(`${text}Z`);
  return utc - offsetMs(utc - offsetMs(utc, zone), zone);
}

export const dateAfter = (date: string, days: number): string =>
  new Date(Date.parse(`${date}T00:00:00Z`) + days * DAY).toISOString().slice(0, 10);

const boundsOf = (date: string, zone: string) => ({
  startsAt: wall(`${date}T00:00:00`, zone),
  endsAt: wall(`${dateAfter(date, 1)}T00:00:00`, zone),
});

export const BODY: BodyReadings = {
  weightKg: 70,
  heightCm: 175,
  bmi: 22.9,
  systolic: 118,
  diastolic: 75,
  restingHeartRate: 60,
  hrvMs: 50,
  spo2: 97,
  caloricIntakeKcal: 2_100,
};
export const PHYSICAL: PhysicalReadings = {
  steps: 9_500,
  distanceM: 6_800,
  averageHeartRate: 74,
  maxHeartRate: 150,
  minHeartRate: 52,
  vo2max: 42,
  spo2: 97,
  activeSeconds: 3_000,
  activeKcal: 420,
};

export const aNight = (date: string, parts: Partial<SleepReadings> = {}, zone = ZONE): SleepReadings => ({
  startedAt: wall(`${dateAfter(date, -1)}T23:15:00`, zone),
  endedAt: wall(`${date}T07:00:00`, zone),
  durationS: 27_000,
  inBedS: 28_800,
  remS: 6_000,
  deepS: 5_000,
  lightS: 16_000,
  awakeS: 900,
  breathingRate: 15,
  spo2: 96,
  latencyS: 600,
  isComplete: true,
  ...parts,
});

export interface DayParts {
  readonly zone?: string;
  readonly body?: Partial<BodyReadings> | null;
  readonly physical?: Partial<PhysicalReadings> | null;
  readonly sleep?: Partial<SleepReadings> | null;
  readonly sources?: readonly string[];
  readonly sourceOf?: Readonly<Record<string, string>>;
}

/** A day of which everything was measured, but for what the parts say. */
export function aDay(date: string, parts: DayParts = {}): DaySummary {
  const { zone = ZONE, sources = ['RingWearable'], sourceOf = {} } = parts;
  return {
    date,
    zone,
    ...boundsOf(date, zone),
    body: parts.body === null ? null : { ...BODY, ...parts.body },
    physical: parts.physical === null ? null : { ...PHYSICAL, ...parts.physical },
    sleep: parts.sleep === null ? null : aNight(date, parts.sleep, zone),
    sources,
    sourceOf,
  };
}

/** Days in a row that end with that date. */
export const daysUpTo = (
  date: string,
  count: number,
  parts: DayParts | ((date: string, i: number) => DayParts) = {},
): DaySummary[] =>
  Array.from({ length: count }, (_, i) => {
    const one = dateAfter(date, i + 1 - count);
    return aDay(one, typeof parts === 'function' ? parts(one, i) : parts);
  });

export interface SourceDayParts {
  readonly zone?: string;
  readonly revision?: number;
  readonly hourlySteps?: readonly HourlySteps[];
  readonly samples?: readonly Sample[];
}

export const aSourceDay = (dataSource: string, date: string, parts: SourceDayParts = {}): SourceDay => {
  const { zone = ZONE, revision = 1, hourlySteps = [], samples = [] } = parts;
  const bounds = boundsOf(date, zone);
  return {
    dataSource,
    date,
    zone,
    ...bounds,
    revision,
    syncedAt: bounds.endsAt,
    body: null,
    physical: null,
    sleep: null,
    samples,
    hourlySteps,
  };
};

/** The gateway takes it whole: no findings, everything mapped, nothing that R4 forbids. Gives the translation. */
export function accepted(payload: object) {
  const parsed = parsePayload(JSON.parse(JSON.stringify(payload)), {
    clientUuid: WHOSE.client,
    documentKey: 'bundle-id',
    labPath: null,
  });
  if (!parsed.ok) throw new Error(`${parsed.fault.code} ${parsed.fault.at ?? ''}`);
  expect(parsed.value.findings).toEqual([]);
  const translation = translated(payload as Json);
  expect(translation.trouble).toBeNull();
  expect(translation.findings.filter(({ code }) => code !== 'value.rare' && code !== 'issued.assumed')).toEqual([]);
  expect(problemsOf(translation)).toEqual([]);
  return { parsed: parsed.value, translation };
}
