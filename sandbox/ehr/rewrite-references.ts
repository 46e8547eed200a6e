import { isReply, type Reply } from './reply.ts';

/** Where a reference leads, or why it cannot lead anywhere. */
export type Target = (reference: string) => string | Reply;

const isAddress = (name: string): boolean => name === 'uri' || name === 'url' || /(Uri|Url)$/.test(name);

/**
 * R4, 3.1.0.11.2: links of a narrative, and elements of type uri and url, follow the entries that they name; canonicals
 * do not.
 */
function rewriteText(name: string, text: string, known: ReadonlyMap<string, string>): string {
  if (name === 'div')
    return text.replace(/\b(href|src)="(urn:[^"]+)"/g, (whole, attribute: string, urn: string) =>
      known.has(urn) ? `${attribute}="${known.get(urn) ?? ''}"` : whole,
    );
  return isAddress(name) ? (known.get(text) ?? text) : text;
}

/** Replaces every reference, wherever in the resource it stands. The first that leads nowhere is the answer. */
export function rewriteReferences(value: unknown, target: Target, known: ReadonlyMap<string, string>): unknown {
  if (Array.isArray(value)) {
    const out: unknown[] = [];
    for (const one of value) {
      const done = rewriteReferences(one, target, known);
      if (isReply(done)) return done;
      out.push(done);
    }
    return out;
  }
  // A raw JSON number is an object without a prototype.
  if (typeof value !== 'object' || value === null || Object.getPrototypeOf(value) === null) return value;
  const out: Record<string, unknown> = {};
  for (const [name, part] of Object.entries(value)) {
    const done =
      typeof part !== 'string'
        ? rewriteReferences(part, target, known)
        : name === 'reference'
          ? target(part)
          : rewriteText(name, part, known);
    if (isReply(done)) return done;
    out[name] = done;
  }
  return out;
}
