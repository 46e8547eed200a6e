/** Of Node 24, and not yet in the type library. */
const { isRawJSON } = JSON as unknown as { isRawJSON(value: unknown): value is { readonly rawJSON: string } };

/** What JSON must escape, and lone surrogates, which are escaped as well; most texts have none of them. */
const ODD = /["\\\u0000-\u001f\ud800-\udfff]/;
const quote = (text: string): string => (ODD.test(text) ? JSON.stringify(text) : `"${text}"`);

function ofList(list: readonly unknown[]): string {
  let out = '[';
  for (let i = 0; i < list.length; i += 1) out += (i === 0 ? '' : ',') + canonicalJson(list[i] ?? null);
  return `${out}]`;
}

function ofObject(value: Readonly<Record<string, unknown>>): string {
  let out = '{';
  for (const name of Object.keys(value).sort()) {
    const part = value[name];
    if (part !== undefined) out += `${out.length === 1 ? '' : ','}${quote(name)}:${canonicalJson(part)}`;
  }
  return `${out}}`;
}

/**
 * JSON in the one form that RFC 8785 allows: names sorted by UTF-16 code units, no blanks, numbers as ECMAScript prints them,
 * raw ones included. Equal content has equal text, so that a digest of it names the content and not how it was written.
 */
export function canonicalJson(value: unknown): string {
  if (typeof value === 'string') return quote(value);
  if (typeof value !== 'object' || value === null) return JSON.stringify(value ?? null);
  if (Array.isArray(value)) return ofList(value);
  if (isRawJSON(value)) return JSON.stringify(Number(value.rawJSON));
  return ofObject(value as Readonly<Record<string, unknown>>);
}
