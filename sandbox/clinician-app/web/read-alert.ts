import { literalOf, wordsOf, type Concept, type Observation, type Valued } from './chart-parts.ts';
import { boundsOf, readMeasurement, valueText, wordsOfValue, type Measurement } from './read-measurement.ts';

const LOCAL = 'urn:chartgate:codes';
const THRESHOLD_TYPE = 'monitoring threshold';
const ALERT_PART = /^baseline-value$|^deviation-(below|above)-|(^|-)threshold(-|$)/;
const DAY_OF_ALERTS = 'health-monitoring-daily-alerts';

/** What a part of an alert is. None of these was measured. */
const PARTS = [
  ['baseline', /baseline-value|\bbaseline( value)?$/i],
  ['deviation', /deviation/i],
  ['threshold', /threshold|\blimit\b/i],
] as const;
type Part = (typeof PARTS)[number][0];

const namesOf = (concept: Concept | undefined): string[] =>
  [concept?.text, ...(concept?.coding ?? []).flatMap(({ code, display }) => [code, display])].filter(
    (name) => name !== undefined,
  );

function partOf({ code }: Valued): Part | null {
  const names = namesOf(code);
  // "Deviation above baseline" is a deviation, so the last that fits counts.
  return PARTS.findLast(([, pattern]) => names.some((name) => pattern.test(name)))?.[0] ?? null;
}

/**
 * By what the Observation says, whichever of it an EHR has kept: the gateway's tag, a code of its own, a threshold that
 * is typed as one, or parts that no measurement has.
 */
export const isAlert = ({ meta, code, referenceRange = [], component = [] }: Observation): boolean =>
  meta?.tag?.some((tag) => tag.code === 'alert') === true ||
  code?.coding?.some((one) => one.system === LOCAL && /\balerts?\b/.test(one.code ?? '')) === true ||
  referenceRange.some(({ type }) => wordsOf(type) === THRESHOLD_TYPE) ||
  component.some((part) =>
    part.code?.coding?.some(({ system, code: own = '' }) => system === LOCAL && ALERT_PART.test(own)),
  );

/** A breach of a threshold, or how many there were on a day. */
export interface Alert {
  readonly kind: 'breach' | 'day';
  readonly what: string;
  readonly measured: string;
  readonly threshold: string;
  readonly baseline: string;
  readonly deviation: string;
  readonly measurement: Measurement;
  /** The measurement that it is about, where the chart has it. */
  readonly about: Measurement | null;
}

/** The source's own name of a signal is no word: `resting_heart_rate`, `hrv`. */
const IDENTIFIER = /^[a-z]+(_[a-z]+)*$/;
const LETTERS_MAX = 3;
function nameOfAlert({ code }: Observation): string {
  const words = wordsOf(code);
  if (words === '') return 'Alert';
  if (!IDENTIFIER.test(words)) return words;
  return words.length <= LETTERS_MAX
    ? words.toUpperCase()
    : `${words[0]?.toUpperCase() ?? ''}${words.slice(1).replaceAll('_', ' ')}`;
}

export function readAlert(
  observation: Observation,
  measurementOf: (literal: string) => Measurement | null,
  machineRead: ReadonlySet<string> = new Set(),
): Alert {
  const { component = [], referenceRange = [], derivedFrom = [] } = observation;
  const about = derivedFrom.map((one) => measurementOf(literalOf(one) ?? '')).find((found) => found !== null) ?? null;
  const measured = component.filter((part) => partOf(part) === null);
  // Its own value and what was measured, without what that was held against.
  const measurement = readMeasurement({ ...observation, referenceRange: [], component: measured }, machineRead);
  const said = (part: Part): string[] =>
    component
      .filter((one) => partOf(one) === part && wordsOfValue(one) !== '')
      .map((one) => (part === 'baseline' ? wordsOfValue(one) : `${wordsOf(one.code)}: ${wordsOfValue(one)}`));
  const ranges = referenceRange.flatMap(({ text: rule = '', ...bare }) =>
    boundsOf({ referenceRange: [bare] }).map(({ text }) => [text, rule].filter((part) => part !== '').join(', ')),
  );
  const isDay = observation.code?.coding?.some(({ code }) => code === DAY_OF_ALERTS) === true;
  const own = valueText(measurement);
  return {
    kind: isDay ? 'day' : 'breach',
    what: nameOfAlert(observation),
    measured: own !== 'no value' ? own : about === null ? 'see the measurement' : valueText(about),
    threshold: [...ranges, ...said('threshold')].join('; '),
    baseline: said('baseline').join('; '),
    deviation: said('deviation').join('; '),
    measurement,
    about,
  };
}

/** What an alert is about, and of what a mean is the mean, by the code of the measurement. */
const SAME_AS: Readonly<Record<string, string>> = {
  '103209-3': '59408-5',
  'alert-oxygenation': '59408-5',
  'alert-resting-heart-rate': '40443-4',
  'alert-resting-breathing-rate': '103217-6',
  'alert-sleep-duration': '93832-4',
  'alert-hrv': 'hrv',
};
const codesOf = ({ code }: Observation): string[] =>
  (code?.coding ?? []).flatMap((one) => (one.code === undefined ? [] : [SAME_AS[one.code] ?? one.code]));

/**
 * Whether the alert is about measurements of this kind: it refers to one of them, or has a code with them in common.
 */
export function isAbout({ kind, measurement, about }: Alert, other: Measurement): boolean {
  if (kind === 'day') return false;
  if (about !== null && about.key === other.key) return true;
  const codes = codesOf(other.observation);
  return codesOf(measurement.observation).some((code) => codes.includes(code));
}
