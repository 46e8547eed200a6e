import { attributesOf, nanosOf, resourceOf, type Resource } from './print-otlp.ts';

/** What a process measured, as prom-client gives it. */
export type Reading = readonly {
  readonly name: string;
  readonly help: string;
  /** `counter`, `gauge`, `histogram` or `summary`. */
  readonly type: unknown;
  readonly values: readonly ReadingValue[];
}[];

interface ReadingValue {
  readonly value: number;
  readonly labels: Readonly<Partial<Record<string, string | number>>>;
  /** Of a histogram: which of its parts. */
  readonly metricName?: string;
}

const CUMULATIVE = 2;

/** By the endings that Prometheus has for units. */
const UNITS: readonly (readonly [RegExp, string])[] = [
  [/_seconds(?:_total)?$/, 's'],
  [/_bytes(?:_total)?$/, 'By'],
];
const unitOf = (name: string): { readonly unit?: string } => {
  const found = UNITS.find(([ending]) => ending.test(name));
  return found === undefined ? {} : { unit: found[1] };
};

interface Times {
  /** Since when is counted. */
  readonly startMs: number;
  readonly atMs: number;
}

const times = ({ startMs, atMs }: Times) => ({ startTimeUnixNano: nanosOf(startMs), timeUnixNano: nanosOf(atMs) });

/** Labels that say nothing are there only so that all of a metric have the same ones. */
const labelsOf = (labels: ReadingValue['labels']): object[] =>
  attributesOf(Object.fromEntries(Object.entries(labels).filter(([name, value]) => name !== 'le' && value !== '')));

const numbersOf = (values: readonly ReadingValue[], at: Times): object[] =>
  values
    .filter(({ value }) => Number.isFinite(value))
    .map(({ value, labels }) => ({ attributes: labelsOf(labels), ...times(at), asDouble: value }));

const boundOf = ({ labels: { le } }: ReadingValue): number => (le === '+Inf' ? Infinity : Number(le));

/**
 * One histogram. Prometheus counts what is up to each bound, OTLP what is between two of them, with one more for what
 * is above the last.
 */
function toHistogram(name: string, parts: readonly ReadingValue[], at: Times): object | null {
  const partOf = (ending: string) => parts.filter(({ metricName }) => metricName === `${name}_${ending}`);
  const buckets = partOf('bucket').toSorted((a, b) => boundOf(a) - boundOf(b));
  const [sum, count] = [partOf('sum')[0], partOf('count')[0]];
  if (sum === undefined || count === undefined || !Number.isFinite(sum.value)) return null;
  const bounded = buckets.filter((one) => boundOf(one) !== Infinity);
  const upTo = [...bounded.map(({ value }) => value), count.value];
  return {
    attributes: labelsOf(count.labels),
    ...times(at),
    count: String(count.value),
    sum: sum.value,
    explicitBounds: bounded.map(boundOf),
    bucketCounts: upTo.map((value, n) => String(value - (upTo[n - 1] ?? 0))),
  };
}

function histogramsOf(name: string, values: readonly ReadingValue[], at: Times): object[] {
  const alike = Map.groupBy(values, ({ labels }) => JSON.stringify({ ...labels, le: undefined }));
  return [...alike.values()].flatMap((parts) => toHistogram(name, parts, at) ?? []);
}

/** Null for a kind that we do not have, and for a metric of which nothing was measured. */
function toMetric({ name, help, type, values }: Reading[number], at: Times): object | null {
  const about = { name, description: help, ...unitOf(name) };
  const dataPoints = type === 'histogram' ? histogramsOf(name, values, at) : numbersOf(values, at);
  if (dataPoints.length === 0) return null;
  if (type === 'histogram') return { ...about, histogram: { aggregationTemporality: CUMULATIVE, dataPoints } };
  if (type === 'counter')
    return { ...about, sum: { aggregationTemporality: CUMULATIVE, isMonotonic: true, dataPoints } };
  return type === 'gauge' ? { ...about, gauge: { dataPoints } } : null;
}

/** An ExportMetricsServiceRequest. */
export const printMetrics = (resource: Resource, reading: Reading, at: Times): string =>
  JSON.stringify({
    resourceMetrics: [
      {
        resource: resourceOf(resource),
        scopeMetrics: [{ scope: resource.scope, metrics: reading.flatMap((one) => toMetric(one, at) ?? []) }],
      },
    ],
  });
