import { localTime, traitsOfSource, type Sample, type SourceDay, type SourceDevice } from '../population/index.ts';
import type { About } from './clinical-ready.ts';

/*
 * Granular Data: single readings. Neither the payloads nor all of their names are published; the names are those of
 * section 2.4 where it has one, and phones say `body_` where vendors' APIs do not.
 */

interface EventKind {
  readonly name: string;
  readonly valuesOf: (values: readonly number[]) => Readonly<Record<string, number | null>>;
}

const one = (field: string) => (values: readonly number[]) => ({ [field]: values[0] ?? null });

const EVENT_KINDS: Readonly<Record<Sample['kind'], EventKind>> = {
  spo2: { name: 'oxygenation_event', valuesOf: one('saturation_percentage_int') },
  heart_rate: { name: 'heart_rate_event', valuesOf: one('hr_bpm_int') },
  hrv: { name: 'heart_rate_variability_event', valuesOf: one('hrv_ms_float') },
  blood_pressure: {
    name: 'blood_pressure_event',
    valuesOf: ([systolic = null, diastolic = null]) => ({ systolic_mmhg_int: systolic, diastolic_mmhg_int: diastolic }),
  },
  blood_glucose: { name: 'blood_glucose_event', valuesOf: one('blood_glucose_mg_per_dl_int') },
  temperature: { name: 'temperature_event', valuesOf: one('temperature_celsius_float') },
  ecg: { name: 'ecg_event', valuesOf: one('hr_bpm_int') },
};

/** Section 2.4: the events that carry device metadata, by source. Every other event goes without. */
export const DEVICE_EVENTS: Readonly<Record<string, readonly string[]>> = {
  IosHealth: [
    'body_blood_glucose_event',
    'body_blood_pressure_event',
    'body_oxygenation_event',
    'body_temperature_event',
    'body_ecg_event',
  ],
  ConnectedScale: ['blood_pressure_event', 'temperature_event', 'oxygenation_event', 'ecg_event'],
  GlucoseMonitor: ['blood_glucose_event'],
  AndroidHealth: [
    'body_blood_glucose_event',
    'body_blood_pressure_event',
    'body_oxygenation_event',
    'body_temperature_event',
  ],
  PhoneMakerHealth: [
    'body_blood_glucose_event',
    'body_blood_pressure_event',
    'body_oxygenation_event',
    'body_temperature_event',
  ],
};

export interface GranularPayload {
  readonly version: 1;
  readonly document_version: number;
  readonly data_structure: string;
  readonly user_id: string;
  readonly client_uuid: string;
  readonly body_health: { readonly events: Readonly<Record<string, readonly Readonly<Record<string, unknown>>[]>> };
  readonly device_source_data_array?: readonly SourceDevice[];
}

export interface GranularQuestion {
  readonly about: About;
  readonly day: SourceDay;
  /** Of `day`, those that have become known since the last time. */
  readonly samples: readonly Sample[];
  readonly isTimeZone: boolean;
  /** Device Metadata: what stands behind the source; null while the add-on is not active. */
  readonly device: SourceDevice | null;
}

/** One payload for each kind of reading. */
export function buildGranularEvents(question: GranularQuestion): readonly GranularPayload[] {
  const { about, day, samples, isTimeZone, device } = question;
  const prefix = traitsOfSource(day.dataSource)?.kind === 'mobile' ? 'body_' : '';
  const zone = isTimeZone ? day.zone : 'UTC';
  const kinds = [...new Set(samples.map(({ kind }) => kind))].sort();
  return kinds.map((kind): GranularPayload => {
    const { name, valuesOf } = EVENT_KINDS[kind];
    const structure = `${prefix}${name}`;
    const events = samples
      .filter((sample) => sample.kind === kind)
      .map(({ at, values }) => ({
        metadata: {
          datetime_string: localTime(zone, at),
          user_id_string: about.userId,
          sources_of_data_array: [day.dataSource],
        },
        ...valuesOf(values),
        non_structured_data_array: [],
      }));
    const hasDevice = device !== null && DEVICE_EVENTS[day.dataSource]?.includes(structure) === true;
    return {
      version: 1,
      document_version: 1,
      data_structure: structure,
      user_id: about.userId,
      client_uuid: about.clientUuid,
      body_health: { events: { [structure]: events } },
      ...(hasDevice ? { device_source_data_array: [device] } : {}),
    };
  });
}
