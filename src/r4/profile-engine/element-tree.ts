import type { ElementDefinition, StructureDefinition } from '@medplum/fhirtypes';

/** An element of a snapshot with what stands below it, as its id says. */
export interface ElementNode {
  readonly id: string;
  readonly name: string;
  readonly definition: ElementDefinition;
  readonly children: Map<string, ElementNode>;
  readonly slices: Map<string, ElementNode>;
}

interface Segment {
  readonly name: string;
  /** `a` and `a/b` of `component:a/b`: the slice, and the slice of that slice. */
  readonly slices: readonly string[];
}

function readSegment(text: string): Segment {
  const colon = text.indexOf(':');
  if (colon === -1) return { name: text, slices: [] };
  const parts = text.slice(colon + 1).split('/');
  return { name: text.slice(0, colon), slices: parts.map((_, i) => parts.slice(0, i + 1).join('/')) };
}

/** Names of slices may hold a dot: an id is split where the path goes on. */
function segmentsOf(id: string, path: string): readonly Segment[] {
  const parts = id.split('.');
  const names = path.split('.');
  if (parts.length === names.length) return parts.map(readSegment);
  const segments: string[] = [];
  for (const part of parts) {
    const isNext = part.split(':')[0] === names[segments.length];
    if (isNext || segments.length === 0) segments.push(part);
    else segments.push(`${segments.pop() ?? ''}.${part}`);
  }
  return segments.map(readSegment);
}

const newNode = (id: string, name: string, definition: ElementDefinition): ElementNode => ({
  id,
  name,
  definition,
  children: new Map(),
  slices: new Map(),
});

/** Null where the elements do not make a tree: something stands below what is not there. */
export function buildElementTree({ snapshot }: StructureDefinition): ElementNode | null {
  const [first, ...rest] = snapshot?.element ?? [];
  if (first?.path === undefined) return null;
  const root = newNode(first.id ?? first.path, first.path, first);
  for (const definition of rest) {
    const path = definition.path ?? '';
    const id = definition.id ?? path;
    const segments = segmentsOf(id, path).slice(1);
    let at: ElementNode = root;
    for (const [i, { name, slices }] of segments.entries()) {
      const steps = [undefined, ...slices];
      for (const [j, slice] of steps.entries()) {
        const isLast = i === segments.length - 1 && j === steps.length - 1;
        const isLabel = slice !== undefined && at.definition.sliceName === slice && at.name === name;
        const found = isLabel ? at : slice === undefined ? at.children.get(name) : at.slices.get(slice);
        // Some definitions name an element as if it were a slice, without a slicing.
        const isLabelled = slice === undefined && i === segments.length - 1 && j === steps.length - 2;
        if (found === undefined && !isLast && !isLabelled) return null;
        const next = found ?? newNode(id, name, definition);
        if (found === undefined && slice === undefined) at.children.set(name, next);
        else if (found === undefined && slice !== undefined) at.slices.set(slice, next);
        at = next;
      }
    }
  }
  return root;
}
