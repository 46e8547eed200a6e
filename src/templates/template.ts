/** A resource as a template makes it. Its numbers are those of `parseLossless`: some keep their digits as raw JSON. */
export interface Resource {
  readonly resourceType: string;
  readonly [name: string]: unknown;
}

/**
 * One file of the folder, checked. `row`, `source` and `reviewer` are shown by `explain`, as for any other mapping
 * data.
 */
export interface Template {
  /** `custom/body-glucose-event.json`: the folder and the file. */
  readonly row: string;
  readonly dataStructure: string;
  readonly description: string;
  readonly source: string;
  readonly reviewer: string;
  /** JSONata: text that names the document among all of its user's. */
  readonly key: string;
  /** JSONata: an array of resources. */
  readonly resources: string;
  /** Changes with any byte of the file. */
  readonly version: string;
}

/** By `data_structure`. */
export type Templates = ReadonlyMap<string, Template>;
