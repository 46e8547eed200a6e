/** Headers as Node takes them all at once: a name, its value, the next name. */
export type Head = string[];

function placeOf(head: Head, name: string): number {
  const lower = name.toLowerCase();
  for (let i = 0; i < head.length; i += 2) {
    const one = head[i] ?? '';
    if (one === name || (one.length === name.length && one.toLowerCase() === lower)) return i;
  }
  return -1;
}

export const hasHeader = (head: Head, name: string): boolean => placeOf(head, name) >= 0;

/** Adds a header, or replaces the one of this name. */
export function putHeader(head: Head, name: string, value: string): void {
  const at = placeOf(head, name);
  if (at < 0) head.push(name, value);
  else head[at + 1] = value;
}
