import type { Dialect } from '../../mappings/index.ts';
import type { AnyResource } from '../../payloads/index.ts';
import { digitsOf } from '../../r4/index.ts';
import { listOf, partOf, wordOf, type Part } from '../parts.ts';

type Editable = Record<string, unknown> & { resourceType: string };

const nameOf = (code: unknown): string => {
  const { text, coding } = partOf(code);
  const [first] = listOf(coding);
  return wordOf(text) || wordOf(first?.['display']) || wordOf(first?.['code']);
};

const inWords = (value: unknown): string => {
  const quantity = partOf(value);
  return `${wordOf(quantity['comparator'])}${digitsOf(quantity['value']) ?? ''} ${wordOf(quantity['unit']) || wordOf(quantity['code'])}`.trim();
};

/** Every kind of value that an Observation may have, so that none is lost to a reader. */
const WORDS: Readonly<Record<string, (value: unknown) => string>> = {
  valueQuantity: inWords,
  valueCodeableConcept: nameOf,
  valueBoolean: (value) => (value === true ? 'yes' : 'no'),
  valueInteger: (value) => digitsOf(value) ?? '',
  valueString: wordOf,
  valueDateTime: wordOf,
  valueTime: wordOf,
  valueRange: (value) => `${inWords(partOf(value)['low'])} to ${inWords(partOf(value)['high'])}`,
  valueRatio: (value) => `${inWords(partOf(value)['numerator'])}:${inWords(partOf(value)['denominator'])}`,
  valuePeriod: (value) => `${wordOf(partOf(value)['start'])} to ${wordOf(partOf(value)['end'])}`,
};

function valueInWords(part: Part): string {
  for (const [name, words] of Object.entries(WORDS)) if (part[name] !== undefined) return words(part[name]);
  return part['dataAbsentReason'] === undefined ? 'see the source' : `absent (${nameOf(part['dataAbsentReason'])})`;
}

const rangeInWords = (range: Part): string => {
  const sides = [
    ...(range['low'] === undefined ? [] : [`from ${inWords(range['low'])}`]),
    ...(range['high'] === undefined ? [] : [`to ${inWords(range['high'])}`]),
  ];
  const text = wordOf(range['text']);
  return `${nameOf(range['type']) || 'range'}: ${[...sides, ...(text === '' ? [] : [`(${text})`])].join(' ')}`;
};

const isNormal = (range: Part): boolean =>
  range['type'] === undefined || listOf(partOf(range['type'])['coding']).some(({ code }) => code === 'normal');

/** The note grows by what the EHR does not take as an element: nothing is lost to a reader. */
function say(o: Editable, ...lines: readonly string[]): void {
  if (lines.length > 0) o['note'] = [...listOf(o['note']), ...lines.map((text) => ({ text }))];
}

function fitTime(o: Editable, dialect: Dialect): void {
  const { start, end } = partOf(o['effectivePeriod']);
  if (dialect.effective === 'as-given' || o['effectivePeriod'] === undefined) return;
  Reflect.deleteProperty(o, 'effectivePeriod');
  o['effectiveDateTime'] = dialect.effective === 'start' ? (start ?? end) : (end ?? start);
  say(o, `Period from ${wordOf(start)} to ${wordOf(end)}`);
}

function fitComponents(o: Editable, { componentsOf }: Dialect): void {
  const components = listOf(o['component']);
  const codes = listOf(partOf(o['code'])['coding']).map(({ code }) => code);
  if (components.length === 0 || componentsOf === null || codes.some((code) => componentsOf.includes(String(code))))
    return;
  Reflect.deleteProperty(o, 'component');
  say(o, ...components.map((one) => `${nameOf(one['code'])}: ${valueInWords(one)}`));
}

function fitRanges(o: Editable, { referenceRange }: Dialect): void {
  const ranges = listOf(o['referenceRange']);
  if (ranges.length === 0 || referenceRange === 'typed') return;
  const normal = ranges.filter(isNormal).slice(0, 1);
  const others = ranges.filter((range) => !normal.includes(range));
  if (normal.length === 0) Reflect.deleteProperty(o, 'referenceRange');
  else o['referenceRange'] = normal;
  say(o, ...others.map(rangeInWords));
}

/** Critical before abnormal, abnormal before the rest. */
const SEVERITY = ['HH', 'LL', 'AA', 'H', 'L', 'A'];
const severityOf = (interpretation: Part): number => {
  const places = listOf(interpretation['coding']).map(({ code }) => SEVERITY.indexOf(wordOf(code)));
  return Math.min(...places.map((place) => (place === -1 ? SEVERITY.length : place)), SEVERITY.length);
};

function fitInterpretations(o: Editable, { interpretationsMax }: Dialect): void {
  const all = listOf(o['interpretation']);
  if (interpretationsMax === null || all.length <= interpretationsMax) return;
  const sorted = [...all].sort((a, b) => severityOf(a) - severityOf(b));
  o['interpretation'] = sorted.slice(0, interpretationsMax);
  say(o, ...sorted.slice(interpretationsMax).map((one) => `Also interpreted as ${nameOf(one)}`));
}

function fitDevice(o: Editable, dialect: Dialect, devices: ReadonlyMap<string, AnyResource>): void {
  const device = devices.get(wordOf(partOf(o['device'])['reference']));
  if (device === undefined || dialect.device === 'resource') return;
  if (dialect.device === 'contained') {
    const { meta: _meta, identifier: _identifier, patient: _patient, ...inside } = device;
    o['contained'] = [{ ...inside, id: 'device' }];
    o['device'] = { reference: '#device' };
    return;
  }
  Reflect.deleteProperty(o, 'device');
  const [named] = listOf(device['deviceName']);
  say(
    o,
    `Device: ${[wordOf(device['manufacturer']), wordOf(named?.['name'])].filter((word) => word !== '').join(' ')}`,
  );
}

/** In the order of the standard, which a validator does not ask for and a reader is glad of. */
const inOrder = ({ resourceType, id, meta, contained, ...rest }: Editable): AnyResource => ({
  resourceType,
  ...(id === undefined ? {} : { id }),
  ...(meta === undefined ? {} : { meta }),
  ...(contained === undefined ? {} : { contained }),
  ...rest,
});

/** Whether an Observation goes out as it is, but for its device. */
const takesAll = (dialect: Dialect): boolean =>
  dialect.effective === 'as-given' &&
  dialect.componentsOf === null &&
  dialect.referenceRange === 'typed' &&
  dialect.device === 'resource' &&
  dialect.interpretationsMax === null &&
  dialect.performer === 'patient' &&
  dialect.preliminary === 'keep';

export function fitObservation(
  dialect: Dialect,
  resource: AnyResource,
  { devices, performer }: { readonly devices: ReadonlyMap<string, AnyResource>; readonly performer: string | null },
): AnyResource {
  if (takesAll(dialect)) return resource;
  const o: Editable = { ...resource };
  fitTime(o, dialect);
  fitComponents(o, dialect);
  fitRanges(o, dialect);
  fitDevice(o, dialect, devices);
  fitInterpretations(o, dialect);
  if (performer !== null) o['performer'] = [{ reference: performer }];
  else if (dialect.performer !== 'patient') Reflect.deleteProperty(o, 'performer');
  if (dialect.preliminary === 'as-final' && o['status'] === 'preliminary') {
    o['status'] = 'final';
    say(o, 'Preliminary: not confirmed by a person.');
  }
  return inOrder(o);
}
