import type { Context } from './context.ts';

const LINK = /<[^<>]*?\s(?:href|src)\s*=\s*["']#([^"'<>]+)["']/g;
const ANCHOR = /<[^<>]*?\s(?:id|name)\s*=\s*["']([^"'<>]+)["']/g;
const DEPTH_MAX = 200;

/** Everything in a resource that a link may lead to: ids of elements and of contained resources, anchors of narrative. */
function collectAnchors(from: unknown, into: Set<string>, depth: number): void {
  if (typeof from !== 'object' || from === null || depth > DEPTH_MAX) return;
  for (const [key, value] of Object.entries(from)) {
    if (typeof value === 'object') collectAnchors(value, into, depth + 1);
    else if (typeof value === 'string' && key === 'id') into.add(value);
    else if (typeof value === 'string' && key === 'div')
      for (const [, anchor] of value.matchAll(ANCHOR)) if (anchor !== undefined) into.add(anchor);
  }
}

function anchorsOf(c: Context): ReadonlySet<string> {
  if (c.anchors?.of === c.root) return c.anchors.all;
  const all = new Set<string>();
  collectAnchors(c.root, all, 0);
  c.anchors = { of: c.root, all };
  return all;
}

/** The first link of a narrative that leads to no place of its resource; null when there is none. */
export function findLooseLink(div: string, c: Context): string | null {
  if (!div.includes('"#') && !div.includes("'#")) return null;
  // In a bundle it may lead to another entry.
  if (c.bundle !== null) return null;
  for (const [, link] of div.matchAll(LINK)) if (link !== undefined && !anchorsOf(c).has(link)) return link;
  return null;
}
