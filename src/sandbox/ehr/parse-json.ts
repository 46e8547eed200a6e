/** JSON.rawJSON and the reviver's third argument are in Node 24 and not yet in the type library. */
interface RawJson {
  rawJSON(text: string): unknown;
  parse(text: string, reviver: (key: string, value: unknown, context: { source?: string }) => unknown): unknown;
}
const json = JSON as unknown as RawJson;

/** Keeps the digits of a decimal that JavaScript would print otherwise: 70.10 stays 70.10. */
export const parseJson = (text: string): unknown =>
  json.parse(text, (_key, value, { source }) =>
    typeof value === 'number' && source !== undefined && source !== String(value) ? json.rawJSON(source) : value,
  );
