import { unitOf } from './chance.ts';
import type { Person, SourceDevice } from './readings.ts';
import type { DataSourceName } from './source-traits.ts';
import { traitsOfSource } from './source-traits.ts';

interface Make {
  readonly type: string;
  readonly maker: string;
  readonly isMedicalGrade: boolean | null;
  readonly models: readonly [string, ...string[]];
}

const MAKES: Readonly<Record<DataSourceName, Make>> = {
  StrapWearable: {
    type: 'chest strap',
    maker: 'Example Straps',
    isMedicalGrade: false,
    models: ['Strap 3', 'Strap 4'],
  },
  RingWearable: {
    type: 'smart ring',
    maker: 'Example Rings',
    isMedicalGrade: false,
    models: ['Ring 2', 'Ring 3', 'Ring 3 Slim'],
  },
  GpsWatch: { type: 'watch', maker: 'Example Navigation', isMedicalGrade: false, models: ['Trail 5', 'Trail 6 Solar'] },
  FitnessBand: { type: 'step counter', maker: 'Example Bands', isMedicalGrade: false, models: ['Band 6', 'Band 7'] },
  ConnectedScale: {
    type: 'smart scale',
    maker: 'Example Scales',
    isMedicalGrade: true,
    models: ['Scale Plus', 'Scale and Cuff'],
  },
  SportsWatch: { type: 'watch', maker: 'Example Sports', isMedicalGrade: false, models: ['Race 2', 'Race 3'] },
  GlucoseMonitor: {
    type: 'continuous glucose monitor',
    maker: 'Example Glucose',
    isMedicalGrade: true,
    models: ['Sensor 6', 'Sensor 7'],
  },
  IosHealth: { type: 'phone', maker: 'Example Phones', isMedicalGrade: null, models: ['Phone 15', 'Phone 16'] },
  AndroidHealth: { type: 'phone', maker: 'Example Mobile', isMedicalGrade: null, models: ['Mobile 8', 'Mobile 9'] },
  PhoneMakerHealth: {
    type: 'watch',
    maker: 'Example Electronics',
    isMedicalGrade: null,
    models: ['Watch 5', 'Watch 6'],
  },
};

/** What stands behind a data source of a person. One person keeps one device. */
export function deviceOf(person: Person, dataSource: string): SourceDevice {
  const make = Object.hasOwn(MAKES, dataSource) ? MAKES[dataSource as DataSourceName] : null;
  const isMobile = traitsOfSource(dataSource)?.kind === 'mobile';
  const models = make?.models ?? ['Unknown'];
  return {
    device_type_string: make?.type ?? 'unknown',
    manufacturer_string: make?.maker ?? 'Unknown',
    medical_grade_bool: make?.isMedicalGrade ?? null,
    model_string: models[Math.floor(unitOf('model', person.n, dataSource) * models.length)] ?? models[0],
    source_type_string: isMobile
      ? 'sdk'
      : dataSource === 'ConnectedScale' || dataSource === 'GlucoseMonitor'
        ? 'device'
        : 'wearable',
  };
}
