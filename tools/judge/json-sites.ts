export type Json = null | boolean | number | string | Json[] | JsonObject;
export interface JsonObject {
  [name: string]: Json;
}

/** A place in a resource where something can be changed. */
export interface Site {
  readonly holder: JsonObject | Json[];
  readonly key: string | number;
  readonly value: Json;
  /** As FHIR names elements: `Observation.component.valueQuantity`. Begins anew at a contained or entry resource. */
  readonly path: string;
  /** The last name of the path. */
  readonly name: string;
  /** Of a list item: the list itself. */
  readonly list?: Site;
}

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A string as it is; anything else is no text. */
export const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** The value at a name; undefined also where the holder has none. */
export const at = (holder: Json | undefined, name: string): Json | undefined =>
  isObject(holder) ? holder[name] : undefined;

/** Every property and list item of a resource, itself not among them; narratives are left alone. */
export function sitesOf(resource: JsonObject): readonly Site[] {
  const sites: Site[] = [];
  const walk = (value: Json, path: string, list?: Site): void => {
    if (Array.isArray(value))
      for (const [key, item] of value.entries()) {
        const name = path.slice(path.lastIndexOf('.') + 1);
        sites.push({ holder: value, key, value: item, path, name, ...(list === undefined ? {} : { list }) });
        walk(item, path);
      }
    else if (isObject(value)) {
      const type = value['resourceType'];
      const base = typeof type === 'string' ? type : path;
      for (const [key, item] of Object.entries(value)) {
        if (key === 'resourceType' || key === 'text' || key === 'div') continue;
        const below = `${base}.${key}`;
        const site = { holder: value, key, value: item, path: below, name: key };
        sites.push(site);
        walk(item, below, site);
      }
    }
  };
  walk(resource, textOf(resource['resourceType']));
  return sites;
}

export function setAt({ holder, key }: Site, value: Json): void {
  if (Array.isArray(holder)) holder[Number(key)] = value;
  else holder[String(key)] = value;
}

/** Takes it away; a list that becomes empty goes with it, since R4 has no empty lists. */
export function removeAt({ holder, key, list }: Site): void {
  if (Array.isArray(holder)) {
    holder.splice(Number(key), 1);
    if (holder.length === 0 && list !== undefined) removeAt(list);
  } else Reflect.deleteProperty(holder, String(key));
}
