import type { LabReport } from '../../lab-reports/index.ts';
import type { LabReading } from '../../labs/index.ts';

/** How many results were right, invented and missed; a result is right if biomarker, value and unit are. */
export interface Score {
  readonly right: number;
  readonly wrong: number;
  readonly missed: number;
  /** Documents, and those whose collection time and zone were right. */
  readonly documents: number;
  readonly dated: number;
}

export const NO_SCORE: Score = { right: 0, wrong: 0, missed: 0, documents: 0, dated: 0 };

const keyOf = (one: { loinc: string; comparator: string | null; value: string; unit: string | null }): string =>
  JSON.stringify([one.loinc, one.comparator, one.value, one.unit]);

export function scoreOf({ truth }: LabReport, reading: LabReading, timezone: string): Score {
  const wanted = new Set(truth.results.map(keyOf));
  const found = new Set(reading.kind === 'read' ? reading.results.map(keyOf) : []);
  const right = [...wanted].filter((key) => found.has(key)).length;
  const isDated = reading.kind === 'read' && reading.collectedAt === `${truth.collected}${truth.offset ?? timezone}`;
  return { right, wrong: found.size - right, missed: wanted.size - right, documents: 1, dated: isDated ? 1 : 0 };
}

export const sumOf = (a: Score, b: Score): Score => ({
  right: a.right + b.right,
  wrong: a.wrong + b.wrong,
  missed: a.missed + b.missed,
  documents: a.documents + b.documents,
  dated: a.dated + b.dated,
});

export const precisionOf = ({ right, wrong }: Score): number => right / Math.max(1, right + wrong);
export const recallOf = ({ right, missed }: Score): number => right / Math.max(1, right + missed);
