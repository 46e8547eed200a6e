import { canonicalJson } from '../../kernel/index.ts';
import type { MetricRow } from '../../mappings/index.ts';
import type { Name } from '../name.ts';
import { buildObservation, codeable, type Element } from '../observation.ts';
import { LOINC, want, type Scene } from '../scene.ts';
import type { Group, Wanted } from '../translation.ts';
import { nameOfPanel } from './name-metric.ts';
import type { Metric } from './read-metric.ts';

/** One side of a panel, such as the systolic pressure. */
export interface PanelPart {
  readonly kind: 'panel-part';
  readonly metric: Metric;
  readonly device: Scene['device'];
  readonly row: MetricRow;
  readonly panel: NonNullable<MetricRow['panel']>;
  readonly value: Element;
  readonly note: readonly string[];
  readonly category: readonly Element[];
  readonly code: Element;
  readonly group: Group;
  readonly chartDay: string | null;
  /** Set where this side must wait: then the whole panel does. */
  readonly waits?: NonNullable<Wanted['waits']>;
}

const UNKNOWN = { coding: [{ system: 'http://terminology.hl7.org/CodeSystem/data-absent-reason', code: 'unknown' }] };

/** A side that the source did not send is said to be missing: the profile wants both. */
function componentOf(scene: Scene, code: string, parts: readonly PanelPart[]): Element {
  const sides = parts
    .filter(({ row }) => row.codings[0]?.code === code)
    .map((side) => ({ side, said: canonicalJson(side.value) }))
    .sort((a, b) => (a.said < b.said ? -1 : 1));
  const side = sides[0]?.side;
  if (side === undefined) return { code: codeable([{ system: LOINC, code }]), dataAbsentReason: UNKNOWN };
  if (new Set(sides.map(({ said }) => said)).size > 1)
    for (const { side: one } of sides) scene.notebook.find('measurement.twice', one.metric.at);
  return { code: side.code, ...side.value };
}

/** A side that the source has withdrawn is not said; a panel of which all sides are withdrawn is withdrawn. */
const isWithdrawn = ({ metric }: PanelPart): boolean =>
  metric.status === 'entered-in-error' || metric.status === 'cancelled';

function buildPanel(scene: Scene, name: Name, all: readonly PanelPart[]): Wanted[] {
  const mark = scene.notebook.mark();
  const valid = all.filter((part) => !isWithdrawn(part));
  const parts = valid.length === 0 ? all : valid;
  if (new Set(parts.map(({ metric }) => metric.status)).size > 1)
    for (const { metric } of parts) scene.notebook.find('measurement.twice', metric.at);
  const [first] = parts;
  if (first === undefined) return [];
  const { panel, metric, category, group, chartDay, device } = first;
  const areOfOne = parts.every((part) => part.device?.reference === device?.reference);
  const resource = buildObservation(
    { ...scene, device: areOfOne ? device : null },
    {
      extension: metric.extension,
      status: metric.status,
      category,
      code: codeable(panel.codings),
      times: metric.times,
      value: {},
      note: [...new Set(parts.flatMap(({ note }) => note))],
      component: panel.components.map((code) => componentOf(scene, code, parts)),
    },
  );
  const why = scene.notebook.heldSince(mark);
  const waits =
    all.find((part) => part.waits !== undefined)?.waits ?? (why === null ? undefined : { at: metric.at, why });
  const panelled = want(name, resource, { group, chartDay });
  return [waits === undefined ? panelled : { ...panelled, waits }];
}

/**
 * Parts of one panel with the same category, context and time belong together; the order of entries does not matter.
 */
export function buildPanels(scene: Scene, parts: readonly PanelPart[], places: Map<string, string>): Wanted[] {
  const byName = new Map<string, { readonly name: Name; readonly own: PanelPart[] }>();
  for (const part of parts) {
    const name = nameOfPanel(scene, part.metric, part.panel.key);
    const known = byName.get(name.text);
    places.set(name.text, places.get(name.text) ?? part.metric.at);
    if (known === undefined) byName.set(name.text, { name, own: [part] });
    else known.own.push(part);
  }
  return [...byName.values()].flatMap(({ name, own }) =>
    buildPanel(
      scene,
      name,
      own.sort((a, b) => (a.metric.coding.code < b.metric.coding.code ? -1 : 1)),
    ),
  );
}
