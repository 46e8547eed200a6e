/** Elements of resources that hold a dateTime, and those that hold an instant. */
const DATE_TIMES = new Set([
  'effectiveDateTime',
  'collectedDateTime',
  'receivedTime',
  'start',
  'end',
  'date',
  'creation',
]);
const INSTANTS = new Set(['issued', 'lastUpdated', 'timestamp']);
const UNZONED = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d+)?)?$/;

/**
 * Where neither the document nor its submission names a zone, the source's times carry none (specification, section
 * 4.4); R4 allows no time without one. The date is certain and stays; an instant cannot be a date and is left out. The
 * same value where nothing is unzoned.
 */
export function withoutUnzonedTimes<T>(value: T): T {
  if (Array.isArray(value)) {
    const items = value as readonly unknown[];
    const done = items.map((one) => withoutUnzonedTimes(one));
    return done.some((one, i) => one !== items[i]) ? (done as T) : value;
  }
  if (typeof value !== 'object' || value === null || 'rawJSON' in value) return value;
  const object = value as Record<string, unknown>;
  let copy: Record<string, unknown> | undefined;
  const change = (): Record<string, unknown> => (copy ??= { ...object });
  for (const [name, part] of Object.entries(object)) {
    const isUnzoned = typeof part === 'string' && UNZONED.test(part);
    if (isUnzoned && INSTANTS.has(name)) Reflect.deleteProperty(change(), name);
    else {
      const next: unknown = isUnzoned && DATE_TIMES.has(name) ? part.slice(0, 10) : withoutUnzonedTimes(part);
      if (next !== part) change()[name] = next;
    }
  }
  return (copy ?? object) as T;
}
