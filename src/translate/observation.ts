import type { MappedCoding } from '../mappings/index.ts';
import type { AnyResource } from '../payloads/index.ts';
import { HL7_CATEGORY, metaOf, type Scene } from './scene.ts';
import { makeSharedByText } from './shared-elements.ts';
import type { Times } from './times.ts';

export type Element = Readonly<Record<string, unknown>>;

export function codeable(codings: readonly MappedCoding[], text: string | null = null): Element {
  if (codings.length === 0) return text === null ? {} : { text };
  return text === null ? { coding: codings } : { coding: codings, text };
}

export const categoryOf = makeSharedByText((code): readonly Element[] => [
  { coding: [{ system: HL7_CATEGORY, code }] },
]);

const methodOf = makeSharedByText((text): Element => ({ text }));

export interface ObservationParts {
  readonly tags?: readonly string[];
  readonly extension?: readonly unknown[];
  readonly identifier?: readonly Element[];
  readonly status?: string;
  readonly category: readonly Element[];
  readonly code: Element;
  readonly times: Times | null;
  readonly issued?: string;
  /** The value element and whatever else this kind of Observation has, in the order of the standard. */
  readonly value: Element;
  readonly interpretation?: readonly Element[];
  readonly note?: readonly string[];
  readonly method?: string | null;
  readonly referenceRange?: readonly Element[];
  readonly hasMember?: readonly Element[];
  readonly component?: readonly Element[];
}

type Editable = Record<string, unknown> & { resourceType: string };

function add(o: Editable, name: string, value: unknown): void {
  if (value !== undefined && value !== null && !(Array.isArray(value) && value.length === 0)) o[name] = value;
}

function addAll(o: Editable, elements: Element): void {
  for (const name in elements) o[name] = elements[name];
}

/**
 * The one place where an Observation of ours is put together, so that all of them read alike. Property by property, in
 * the order of the standard: spreading a dozen small objects cost a third of the whole translation.
 */
export function buildObservation(scene: Scene, parts: ObservationParts): AnyResource {
  const o: Editable = { resourceType: 'Observation', meta: metaOf(scene, ...(parts.tags ?? [])) };
  add(o, 'extension', parts.extension);
  // Always there: its name is put in front.
  o['identifier'] = parts.identifier ?? [];
  o['status'] = parts.status ?? 'final';
  o['category'] = parts.category;
  o['code'] = parts.code;
  o['subject'] = scene.subject;
  if (parts.times !== null) addAll(o, scene.timeFacts(parts.times).effective);
  add(o, 'issued', parts.issued);
  o['performer'] = scene.performers;
  addAll(o, parts.value);
  add(o, 'interpretation', parts.interpretation);
  if (parts.note !== undefined && parts.note.length > 0) o['note'] = parts.note.map((text) => ({ text }));
  if (parts.method !== null && parts.method !== undefined) o['method'] = methodOf(parts.method);
  add(o, 'device', scene.device);
  add(o, 'referenceRange', parts.referenceRange);
  add(o, 'hasMember', parts.hasMember);
  add(o, 'component', parts.component);
  return o;
}
