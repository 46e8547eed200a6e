import { isLoinc, type CodeRow, type MappedCoding, type MetricRow } from '../../mappings/index.ts';
import type { AnyResource, ClinicalReady } from '../../payloads/index.ts';
import { SYSTEMS } from '../name.ts';
import { findModifiers } from '../find-modifiers.ts';
import { buildObservation, categoryOf, codeable, type Element } from '../observation.ts';
import { tellImpossible } from '../judge-time.ts';
import { judgeValue, toRowUnit, type Quantity } from '../quantity.ts';
import { HL7_CATEGORY, LOINC, want, type Scene } from '../scene.ts';
import { makeSharedByText, shareElement } from '../shared-elements.ts';
import { dayOf } from '../times.ts';
import type { Group, Wanted } from '../translation.ts';
import { buildPanels, type PanelPart } from './build-panels.ts';
import { checkConsistency } from './check-consistency.ts';
import { makeDeviceOf } from './device-of-entry.ts';
import { findRow } from './find-row.ts';
import { nameOfMetric, nameOfPanel } from './name-metric.ts';
import { readMetric, type Metric } from './read-metric.ts';
import { sayOnce } from './say-once.ts';
import { isWholePanel, splitPanel } from './split-panel.ts';
import { withSleepPeriod } from './with-sleep-period.ts';

/** The summary that a category of the source stands for (specification, section 2.3). */
const GROUPS: Readonly<Record<string, Group>> = { 'vital-signs': 'body', activity: 'physical', survey: 'sleep' };
const ABSENT = { coding: [{ system: 'http://terminology.hl7.org/CodeSystem/data-absent-reason', code: 'unknown' }] };

const NO_VALUE = { value: {}, note: [] } as const;

export const groupOf = (category: string): Group => GROUPS[category] ?? 'other';

/** By the category of a row, what the source says beside it. */
const categoriesBeside = new Map<string, (said: string) => readonly Element[]>();
function categoryBeside(code: string, said: string): readonly Element[] {
  const known = categoriesBeside.get(code);
  if (known !== undefined) return known(said);
  const made = makeSharedByText((own): readonly Element[] => [
    {
      coding: [
        { system: HL7_CATEGORY, code },
        { system: SYSTEMS.sourceCategory, code: own },
      ],
    },
  ]);
  categoriesBeside.set(code, made);
  return made(said);
}

function categoryFrom(scene: Scene, metric: Metric, code: string, row: CodeRow): readonly Element[] {
  if (metric.category === code) return categoryOf(code);
  scene.notebook.decide(metric.at, 'category', metric.category, code, row);
  // An entry without a category has the row's alone: a coding without a code is not valid R4.
  return metric.category === '' ? categoryOf(code) : categoryBeside(code, metric.category);
}

/** What the source says in LOINC is already among the codings of the row, the one that says most in front. */
function makeCode({ coding, text }: Metric, row: MetricRow): Element {
  if (coding.system === LOINC) return codeable(row.codings, row.codings[0]?.display ?? text ?? coding.code);
  return codeable([...row.codings, coding], text ?? coding.code);
}

interface MadeCode {
  readonly coding: MappedCoding;
  readonly text: string | null;
  readonly code: Element;
}
/** A source mostly says the same beside a row; more than this nobody remembers. */
const CODES_OF_ROW_MAX = 8;
const codesOfRow = new WeakMap<MetricRow, MadeCode[]>();

function codeOf(metric: Metric, row: MetricRow): Element {
  const { coding, text } = metric;
  const known = codesOfRow.get(row);
  if (known !== undefined)
    for (const one of known)
      if (
        one.text === text &&
        one.coding.code === coding.code &&
        one.coding.display === coding.display &&
        one.coding.system === coding.system
      )
        return one.code;
  const code = makeCode(metric, row);
  // A row that is not frozen was made for this entry alone.
  if (!Object.isFrozen(row) || (known !== undefined && known.length >= CODES_OF_ROW_MAX)) return code;
  const made = { coding, text, code: shareElement(code) };
  if (known === undefined) codesOfRow.set(row, [made]);
  else known.push(made);
  return code;
}

/** A LOINC code that is known and was not taken says something else, and one with a wrong check digit says nothing. */
function codeAsGiven({ mappings }: Scene, { coding, loincs, text }: Metric): Element {
  const isUnknown = ({ code }: MappedCoding): boolean =>
    isLoinc(code) && mappings.findStandard({ codes: [code], context: null, window: 'day' }).kind === 'none';
  const own = coding.system === '' || coding.system === LOINC ? [] : [coding];
  return codeable([...loincs.filter(isUnknown), ...own], text ?? coding.code);
}

function passThrough(scene: Scene, metric: Metric): Element {
  const category = scene.mappings.findCategory(metric.category);
  return buildObservation(scene, {
    extension: metric.extension,
    status: metric.status,
    category: category?.codings[0] === undefined ? [] : categoryFrom(scene, metric, category.codings[0].code, category),
    code: codeAsGiven(scene, metric),
    times: metric.times,
    value: metric.measured === null ? { dataAbsentReason: metric.dataAbsentReason ?? ABSENT } : metric.given(),
  });
}

const NO_NOTES: readonly string[] = [];

/** In its place, so that the order of elements stays that of the standard. */
function withComparator(quantity: Quantity, comparator: string | null): Quantity {
  if (comparator === null) return quantity;
  const { value, ...unit } = quantity;
  return { value, comparator, ...unit };
}

/** The value of a metric in the unit of its row, and what is to be noted of it. */
function valueOf(scene: Scene, metric: Metric, row: MetricRow): { value: Element; note: readonly string[] } | null {
  const { measured, at } = metric;
  if (measured === null) return { value: { dataAbsentReason: metric.dataAbsentReason ?? ABSENT }, note: [] };
  // The profiles of vital signs know no "less than", and a value without a unit could be in any.
  if (measured === 'unreadable' || (measured.comparator !== null && row.category === 'vital-signs')) {
    scene.notebook.find('value.unreadable', at);
    return null;
  }
  if (measured.unit === null && measured.code === null) {
    scene.notebook.find('unit.unmapped', at, `${metric.coding.code} without a unit`);
    return null;
  }
  const converted = toRowUnit(scene, at, measured, row);
  if (converted === null) return null;
  const note = judgeValue(scene, metric.at, row.codings[0]?.code ?? '', row.unit?.code ?? '', converted.digits);
  return {
    value: { valueQuantity: withComparator(converted.quantity, measured.comparator) },
    note: note === null ? NO_NOTES : [note],
  };
}

/** What an alert may repeat: health monitoring judges single readings. */
const isWatchedReading = ({ mappings }: Scene, { context, times }: Metric, { codings }: MetricRow): boolean =>
  context === 'point' && times !== null && times.start === times.end && mappings.isWatched(codings[0]?.code ?? '');

const placeOf = ({ category, times }: Metric) => ({
  group: groupOf(category),
  chartDay: times === null ? null : dayOf(times.start),
});

function translateMetric(scene: Scene, metric: Metric): Wanted | PanelPart {
  const place = placeOf(metric);
  if (metric.timeFacts?.isPossible === false) tellImpossible(scene.notebook, metric.at);
  const row = findRow(scene, metric);
  const given = row === null ? null : valueOf(scene, metric, row);
  // A side without a value that is understood keeps its place in its panel, which then waits as a whole.
  const isKeptSide =
    given === null && row?.panel !== undefined && row.panel !== null && scene.setting.unmapped !== 'pass-through';
  const valued = isKeptSide ? NO_VALUE : given;
  if (row === null || valued === null)
    return want(nameOfMetric(scene, metric), passThrough(scene, metric) as AnyResource, place);
  const category = categoryFrom(scene, metric, row.category, row);
  if (row.panel !== null)
    return {
      kind: 'panel-part',
      device: scene.device,
      metric,
      row,
      panel: row.panel,
      value: valued.value,
      note: valued.note,
      category,
      code: codeOf(metric, row),
      ...place,
    };
  const made = want(
    nameOfMetric(scene, metric),
    buildObservation(scene, {
      extension: metric.extension,
      status: metric.status,
      category,
      code: codeOf(metric, row),
      times: metric.times,
      value: valued.value,
      note: valued.note,
      method: row.methodOf?.[metric.category] ?? row.method,
    }),
    place,
  );
  return isWatchedReading(scene, metric, row) ? { ...made, isWatched: true } : made;
}

/**
 * A panel that comes as one entry is what its sides would be as entries of their own. Where one of them is not known,
 * it waits as a whole.
 */
function translateEntry(scene: Scene, metric: Metric, resource: AnyResource): readonly (Wanted | PanelPart)[] {
  const sides = splitPanel(resource);
  if (sides === null) return [translateMetric(scene, metric)];
  const mark = scene.notebook.mark();
  const made = sides.map((side, i) => translateMetric(scene, readMetric(side, `${metric.at}.component[${i}]`, scene)));
  if (isWholePanel(scene, metric, made)) return made;
  const areKnown = made.every((one) => 'kind' in one);
  const isGiven = scene.setting.unmapped === 'pass-through' || scene.notebook.heldSince(mark) !== null;
  if (areKnown || !isGiven) scene.notebook.find('values.contradict', metric.at, metric.coding.code);
  // Under the name of the panel that it is all the same: what stands there was not dropped.
  const side = made.find((one) => 'kind' in one);
  const name = side === undefined ? nameOfMetric(scene, metric) : nameOfPanel(scene, side.metric, side.panel.key);
  return [want(name, passThrough(scene, metric) as AnyResource, placeOf(metric))];
}

/** One Observation for each metric; metrics of one panel and time together make one. */
export function translateMetrics(
  scene: Scene,
  { bundle, sources }: ClinicalReady,
  devices: readonly Wanted[],
): Wanted[] {
  const entries = (bundle['entry'] ?? []) as readonly { readonly resource: ClinicalReady['bundle'] }[];
  const wanted: Wanted[] = [];
  const standard = new Set<Wanted>();
  /** By its name, the entry that each comes from. */
  const places = new Map<string, string>();
  const parts: PanelPart[] = [];
  const deviceOf = makeDeviceOf(scene, bundle, sources, devices);
  for (let i = 0; i < entries.length; i += 1) {
    const resource = entries[i]?.resource;
    if (resource === undefined || resource.resourceType === 'Patient') continue;
    const at = `entry[${i}]`;
    if (resource.resourceType !== 'Observation') {
      scene.notebook.find('resource.left-out', at, resource.resourceType);
      continue;
    }
    const mark = scene.notebook.mark();
    findModifiers(scene.notebook, at, resource);
    const device = deviceOf.of(resource);
    const own = device?.reference === scene.device?.reference ? scene : { ...scene, device };
    const metric = readMetric(resource, at, scene);
    const made = translateEntry(own, metric, resource);
    const why = scene.notebook.heldSince(mark);
    for (const one of made) {
      const waiting = why === null ? one : { ...one, waits: { at, why } };
      if ('kind' in waiting) parts.push(waiting);
      else {
        wanted.push(waiting);
        places.set(waiting.name, at);
        if (metric.coding.system === LOINC) standard.add(waiting);
      }
    }
  }
  const single = withSleepPeriod(scene, sayOnce(scene, wanted, standard));
  const measured = [...single, ...buildPanels(scene, parts, places)];
  return [
    ...deviceOf.providers(),
    ...checkConsistency(scene, measured, ({ name }) => places.get(name) ?? 'Observation'),
  ];
}
