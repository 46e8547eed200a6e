import type { AnyResource } from '../../payloads/index.ts';
import { listOf } from '../parts.ts';
import { LOINC, type Scene } from '../scene.ts';
import type { PanelPart } from './build-panels.ts';
import type { Metric } from './read-metric.ts';

/**
 * The sides of a panel that comes as one entry, each as the entry that it would be alone; null where it is no such
 * entry.
 */
export function splitPanel(observation: AnyResource): readonly AnyResource[] | null {
  const sides = listOf(observation['component']);
  if (sides.length === 0) return null;
  const { component: _component, ...rest } = observation;
  const hasValue = Object.keys(rest).some((name) => name.startsWith('value') || name.startsWith('_value'));
  if (hasValue || rest['hasMember'] !== undefined) return null;
  const { code: _code, dataAbsentReason: _absent, ...shared } = rest;
  return sides.map((side) => ({ ...shared, ...side }));
}

/**
 * Whether what was made of the sides is the panel that the entry says it is: each side once, and nothing else beside
 * them.
 */
export function isWholePanel(scene: Scene, entry: Metric, sides: readonly object[]): sides is readonly PanelPart[] {
  const parts = sides.filter((side): side is PanelPart => 'kind' in side);
  const keys = new Set(parts.map(({ panel }) => panel.key));
  const codes = new Set(parts.map(({ row }) => row.codings[0]?.code));
  const [first] = parts;
  if (first === undefined || parts.length < sides.length || keys.size > 1 || codes.size < parts.length) return false;
  if (entry.coding.system === scene.mappings.uris.code) return entry.coding.code === first.panel.key;
  return entry.loincs.some(({ code }) => first.panel.codings.some((own) => own.system === LOINC && own.code === code));
}
