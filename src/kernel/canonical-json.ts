/** Of Node 24, and not yet in the type library. */
const { isRawJSON } = JSON as unknown as { isRawJSON(value: unknown): value is { readonly rawJSON: string } };

/**
 * JSON in the one form that RFC 8785 allows: names sorted by UTF-16 code units, no blanks, numbers as ECMAScript prints them,
 * raw ones included. Equal content has equal text, so that a digest of it names the content and not how it was written.
 */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map((one: unknown) => canonicalJson(one ?? null)).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value ?? null);
  if (isRawJSON(value)) return JSON.stringify(Number(value.rawJSON));
  const parts: string[] = [];
  for (const name of Object.keys(value).sort()) {
    const part = (value as Record<string, unknown>)[name];
    if (part !== undefined) parts.push(`${JSON.stringify(name)}:${canonicalJson(part)}`);
  }
  return `{${parts.join(',')}}`;
}
