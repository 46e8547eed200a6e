type Node = Record<string, unknown> | unknown[];

/** Every place below `root` that can be changed: the holder and the key or index. */
function places(root: Node): (readonly [holder: Node, key: string | number])[] {
  const found: (readonly [Node, string | number])[] = [];
  const walk = (node: Node): void => {
    for (const key of Object.keys(node)) {
      const at = Array.isArray(node) ? Number(key) : key;
      found.push([node, at]);
      const inner = (node as Record<string | number, unknown>)[at];
      if (typeof inner === 'object' && inner !== null) walk(inner as Node);
    }
  };
  walk(root);
  return found;
}

const REPLACEMENTS: readonly unknown[] = [
  null,
  '',
  0,
  -1,
  1.5,
  true,
  {},
  [],
  [null],
  'bogus',
  ' x',
  { id: 'x' },
  '2023-02-30',
  'http://x.example',
  ['x'],
  { reference: '#no' },
];

/** A copy of `resource` with one change, chosen by `pick` (an integer below its argument). Says what was done. */
export function mutate(
  resource: Record<string, unknown>,
  pick: (below: number) => number,
): { readonly mutant: Record<string, unknown>; readonly change: string } {
  const mutant = structuredClone(resource);
  const all = places(mutant).filter(([holder, key]) => holder !== mutant || key !== 'resourceType');
  const chosen = all[pick(all.length)];
  if (chosen === undefined) return { mutant, change: 'nothing' };
  const [holder, key] = chosen;
  const slot = holder as Record<string | number, unknown>;
  switch (pick(4)) {
    case 0:
      if (Array.isArray(holder)) holder.splice(Number(key), 1);
      else Reflect.deleteProperty(holder, key);
      return { mutant, change: `removed ${key}` };
    case 1:
      if (Array.isArray(holder)) holder.push(structuredClone(slot[key]));
      else slot[`${key}x`] = slot[key];
      return { mutant, change: `doubled ${key}` };
    default: {
      const value = structuredClone(REPLACEMENTS[pick(REPLACEMENTS.length)]);
      slot[key] = value;
      return { mutant, change: `${key} = ${JSON.stringify(value)}` };
    }
  }
}

/** A repeatable source of choices (mulberry32): the same seed makes the same mutants. */
export function picker(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) % below;
  };
}
