/** Everything that is reachable by name, and the values of maps. */
export function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  Object.freeze(value);
  if (value instanceof Map) for (const one of value.values()) deepFreeze(one);
  for (const one of Object.values(value)) deepFreeze(one);
  return value;
}
