/**
 * One step of the schema, for both engines side by side so that they stay alike. A step that has been released never
 * changes: its digest is kept in the database and compared at every start.
 */
export interface Migration {
  readonly version: number;
  readonly name: string;
  readonly sqlite: string;
  readonly postgres: string;
}
