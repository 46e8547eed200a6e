import type { AnyResource } from '../../payloads/index.ts';
import type { TimeFacts } from '../judge-time.ts';
import type { Measured } from '../quantity.ts';
import type { Scene } from '../scene.ts';
import { makeSharedByText } from '../shared-elements.ts';
import type { Times } from '../times.ts';
import { listOf, partOf, pick, textOf, type Part } from '../parts.ts';
import { readCodings, type ReadCodings } from './read-codings.ts';

/** One Observation of a clinical_ready document, as the source wrote it. */
export interface Metric extends ReadCodings {
  readonly at: string;
  readonly text: string | null;
  readonly category: string;
  readonly context: string;
  /** Whether the entry itself names a context. */
  readonly isContextSaid: boolean;
  readonly times: Times | null;
  /** Of `times`. */
  readonly timeFacts: TimeFacts | null;
  readonly status: string;
  /** Null where the source says that there is no value; `unreadable` where it says it in a form that is no number. */
  readonly measured: (Measured & { readonly comparator: string | null }) | 'unreadable' | null;
  /** The elements that hold the value, as they came. */
  readonly given: () => Part;
  readonly dataAbsentReason: unknown;
  /** The extension that tells the context, kept as it came. */
  readonly extension: readonly unknown[];
}

const NO_PARTS: readonly Part[] = [];

/** Without a context the source tells of single readings. */
const NO_CONTEXT = 'point';

/** Asked of every element of every entry: by far most begin with another letter. */
function holdsValue(name: string): boolean {
  switch (name.charAt(0)) {
    case 'v':
      return name.startsWith('value');
    case '_':
      return name.startsWith('_value');
    case 'c':
      return name === 'component';
    case 'h':
      return name === 'hasMember';
    default:
      return false;
  }
}

/** The elements that hold a value, or would. */
function valueNames(observation: AnyResource): string[] {
  const names: string[] = [];
  for (const name in observation) if (holdsValue(name)) names.push(name);
  return names;
}

function measuredOf(observation: AnyResource): Metric['measured'] {
  const said = valueNames(observation);
  if (said.length === 0) return null;
  const quantity = partOf(observation['valueQuantity']);
  if (said.length > 1 || quantity['value'] === undefined) return 'unreadable';
  return {
    value: quantity['value'],
    comparator: textOf(quantity['comparator']),
    unit: textOf(quantity['unit']),
    system: textOf(quantity['system']),
    code: textOf(quantity['code']),
  };
}

/** As it came, but for the order of names. */
function givenOf(observation: AnyResource): Part {
  const names = valueNames(observation).filter((name) => name !== 'hasMember');
  const given = pick(observation, ...names.sort());
  if (given['valueQuantity'] === undefined) return given;
  return {
    ...given,
    valueQuantity: pick(partOf(given['valueQuantity']), 'value', 'comparator', 'unit', 'system', 'code'),
  };
}

/** A context in whatever form it is told; one that cannot be read is no known context. */
function contextOf(extension: Part | undefined): string {
  if (extension === undefined) return NO_CONTEXT;
  return (
    textOf(extension['valueString']) ??
    textOf(extension['valueCode']) ??
    textOf(partOf(extension['valueCoding'])['code']) ??
    ''
  );
}

/** By the address of the extension, of which the mapping data know one. */
const contexts = new Map<string, (said: string) => readonly Part[]>();
const CONTEXTS_MAX = 8;
function contextBy(url: string): (said: string) => readonly Part[] {
  const known = contexts.get(url);
  if (known !== undefined) return known;
  const made = makeSharedByText((valueString): readonly Part[] => [{ url, valueString }]);
  if (contexts.size >= CONTEXTS_MAX) contexts.clear();
  contexts.set(url, made);
  return made;
}

/** Their address in front. */
function contextsIn(extensions: unknown, address: string): readonly Part[] {
  if (extensions === undefined) return NO_PARTS;
  const own = listOf(extensions).filter(({ url }) => url === address);
  const [only] = own;
  if (own.length === 1 && only !== undefined) {
    const { valueString: said } = only;
    if (typeof said === 'string' && Object.keys(only).length === 2) return contextBy(address)(said);
  }
  return own.map(({ url, ...said }) => ({ url, ...said }));
}

export function readMetric(observation: AnyResource, at: string, { mappings, timeFacts, timesOf }: Scene): Metric {
  const code = partOf(observation['code']);
  const times = timesOf(observation);
  const { coding, loincs, others } = readCodings(code, mappings);
  const extension = contextsIn(observation['extension'], mappings.uris.context);
  return {
    at,
    coding,
    loincs,
    others,
    text: coding.display ?? textOf(code['text']),
    category: textOf(listOf(listOf(observation['category'])[0]?.['coding'])[0]?.['code']) ?? '',
    context: contextOf(extension[0]),
    isContextSaid: extension[0] !== undefined,
    times,
    timeFacts: times === null ? null : timeFacts(times),
    status: textOf(observation['status']) ?? 'final',
    measured: measuredOf(observation),
    given: () => givenOf(observation),
    dataAbsentReason: observation['dataAbsentReason'],
    extension,
  };
}
