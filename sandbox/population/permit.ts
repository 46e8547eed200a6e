import type { Sample, SourceDay } from './readings.ts';

/** Which permission of a phone a kind of sample falls under. */
const OF_SAMPLE: Readonly<Record<Sample['kind'], string>> = {
  spo2: 'body',
  heart_rate: 'heart',
  hrv: 'heart',
  blood_pressure: 'body',
  blood_glucose: 'body',
  temperature: 'body',
  ecg: 'heart',
};

const isEmpty = (readings: object): boolean => Object.values(readings).every((value) => value === null);

/** What is left of a day where some of the permissions activity, heart, sleep and body were denied. */
export function permit(day: SourceDay, granted: readonly string[]): SourceDay {
  const may = (permission: string): boolean => granted.includes(permission);
  const { body, physical } = day;
  const permittedBody = body && {
    weightKg: may('body') ? body.weightKg : null,
    heightCm: may('body') ? body.heightCm : null,
    bmi: may('body') ? body.bmi : null,
    systolic: may('body') ? body.systolic : null,
    diastolic: may('body') ? body.diastolic : null,
    restingHeartRate: may('heart') ? body.restingHeartRate : null,
    hrvMs: may('heart') ? body.hrvMs : null,
    spo2: may('body') ? body.spo2 : null,
    caloricIntakeKcal: may('body') ? body.caloricIntakeKcal : null,
  };
  const permittedPhysical = physical && {
    steps: may('activity') ? physical.steps : null,
    distanceM: may('activity') ? physical.distanceM : null,
    averageHeartRate: may('heart') ? physical.averageHeartRate : null,
    maxHeartRate: may('heart') ? physical.maxHeartRate : null,
    minHeartRate: may('heart') ? physical.minHeartRate : null,
    vo2max: may('activity') ? physical.vo2max : null,
    spo2: may('body') ? physical.spo2 : null,
    activeSeconds: may('activity') ? physical.activeSeconds : null,
    activeKcal: may('activity') ? physical.activeKcal : null,
  };
  return {
    ...day,
    body: permittedBody === null || isEmpty(permittedBody) ? null : permittedBody,
    physical: permittedPhysical === null || isEmpty(permittedPhysical) ? null : permittedPhysical,
    sleep: may('sleep') ? day.sleep : null,
    samples: day.samples.filter(({ kind }) => may(OF_SAMPLE[kind])),
    hourlySteps: may('activity') ? day.hourlySteps : [],
  };
}
