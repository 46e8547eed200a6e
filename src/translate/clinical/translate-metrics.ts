import type { CodeRow, MetricRow } from '../../mappings/index.ts';
import type { ClinicalReady } from '../../payloads/index.ts';
import { SYSTEMS } from '../name.ts';
import { findModifiers } from '../find-modifiers.ts';
import { codesText } from '../notebook.ts';
import { buildObservation, categoryOf, codeable, type Element } from '../observation.ts';
import { judgeTimes } from '../judge-time.ts';
import { judgeValue, toRowUnit } from '../quantity.ts';
import { want, type Scene } from '../scene.ts';
import { dayOf, isWholeDay } from '../times.ts';
import type { Group, Wanted } from '../translation.ts';
import { buildPanels, type PanelPart } from './build-panels.ts';
import { makeDeviceOf } from './device-of-entry.ts';
import { nameOfMetric } from './name-metric.ts';
import { readMetric, type Metric } from './read-metric.ts';

/** The summary that a category of the source stands for (specification, section 2.3). */
const GROUPS: Readonly<Record<string, Group>> = { 'vital-signs': 'body', activity: 'physical', survey: 'sleep' };
const ABSENT = { coding: [{ system: 'http://terminology.hl7.org/CodeSystem/data-absent-reason', code: 'unknown' }] };

const NO_VALUE = { value: {}, note: [] } as const;

export const groupOf = (category: string): Group => GROUPS[category] ?? 'other';

function findRow({ mappings, notebook }: Scene, metric: Metric): MetricRow | null {
  const { coding, context, times, at } = metric;
  const window = times !== null && isWholeDay(times) ? 'day' : 'other';
  const row = mappings.findMetric({ system: coding.system, code: coding.code, context, window });
  const from = `${coding.system}|${coding.code} (${context})`;
  notebook.decide(at, 'code', from, row === null ? null : codesText(row), row);
  if (row !== null) return row;
  const isKnown = ['point', 'daily_average', 'session'].some(
    (other) =>
      other !== context && mappings.findMetric({ system: coding.system, code: coding.code, context: other, window }) !== null,
  );
  notebook.find(isKnown ? 'context.unmapped' : 'code.unmapped', at, isKnown ? `${coding.code} (${context})` : coding.code);
  return null;
}

function categoryFrom(scene: Scene, metric: Metric, code: string, row: CodeRow): readonly Element[] {
  if (metric.category === code) return categoryOf(code);
  scene.notebook.decide(metric.at, 'category', metric.category, code, row);
  return categoryOf(code, [{ system: SYSTEMS.sourceCategory, code: metric.category }]);
}

const codeOf = (metric: Metric, row: MetricRow | null): Element =>
  codeable(
    [...(row?.codings ?? []), metric.coding].filter(({ system }) => system !== ''),
    metric.text ?? metric.coding.code,
  );

function passThrough(scene: Scene, metric: Metric): Element {
  const category = scene.mappings.findCategory(metric.category);
  return buildObservation(scene, {
    extension: metric.extension,
    status: metric.status,
    category: category?.codings[0] === undefined ? [] : categoryFrom(scene, metric, category.codings[0].code, category),
    code: codeOf(metric, null),
    times: metric.times,
    value: metric.measured === null ? { dataAbsentReason: metric.dataAbsentReason ?? ABSENT } : metric.given(),
  });
}

/** The value of a metric in the unit of its row, and what is to be noted of it. */
function valueOf(scene: Scene, metric: Metric, row: MetricRow): { value: Element; note: string[] } | null {
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
  const { value, ...unit } = converted.quantity;
  const comparator = measured.comparator === null ? {} : { comparator: measured.comparator };
  return { value: { valueQuantity: { value, ...comparator, ...unit } }, note: note === null ? [] : [note] };
}

function translateMetric(scene: Scene, metric: Metric): Wanted | PanelPart {
  const place = { group: groupOf(metric.category), chartDay: metric.times === null ? null : dayOf(metric.times.start) };
  judgeTimes(scene, metric.at, metric.times);
  const row = findRow(scene, metric);
  const given = row === null ? null : valueOf(scene, metric, row);
  // A side without a value that is understood keeps its place in its panel, which then waits as a whole.
  const isKeptSide =
    given === null && row?.panel !== undefined && row.panel !== null && scene.setting.unmapped !== 'pass-through';
  const valued = isKeptSide ? NO_VALUE : given;
  if (row === null || valued === null)
    return want(nameOfMetric(scene, metric), passThrough(scene, metric) as Wanted['resource'], place);
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
  return want(
    nameOfMetric(scene, metric),
    buildObservation(scene, {
      extension: metric.extension,
      status: metric.status,
      category,
      code: codeOf(metric, row),
      times: metric.times,
      value: valued.value,
      note: valued.note,
      method: row.method,
    }),
    place,
  );
}

/** One Observation for each metric; metrics of one panel and time together make one. */
export function translateMetrics(scene: Scene, { bundle, sources }: ClinicalReady, devices: readonly Wanted[]): Wanted[] {
  const entries = (bundle['entry'] ?? []) as readonly { readonly resource: ClinicalReady['bundle'] }[];
  const wanted: Wanted[] = [];
  const parts: PanelPart[] = [];
  const deviceOf = makeDeviceOf(scene, bundle, sources, devices);
  for (const [i, { resource }] of entries.entries()) {
    const at = `entry[${i}]`;
    if (resource.resourceType === 'Patient') continue;
    if (resource.resourceType !== 'Observation') {
      scene.notebook.find('resource.left-out', at, resource.resourceType);
      continue;
    }
    const mark = scene.notebook.mark();
    findModifiers(scene.notebook, at, resource);
    const device = deviceOf.of(resource);
    const own = device?.reference === scene.device?.reference ? scene : { ...scene, device };
    const made = translateMetric(own, readMetric(resource, at, scene.mappings.uris));
    const why = scene.notebook.heldSince(mark);
    const waiting = why === null ? made : { ...made, waits: { at, why } };
    if ('kind' in waiting) parts.push(waiting);
    else wanted.push(waiting);
  }
  return [...deviceOf.providers(), ...wanted, ...buildPanels(scene, parts)];
}
