/** What a client asked for, read and canonical. Plain data: it is stored, sealed, for as long as the export lives. */
export interface AskedExport {
  /** The address of the request, for the manifest. */
  readonly request: string;
  /** Null: every type that the client may read. */
  readonly types: readonly string[] | null;
  /** In milliseconds. */
  readonly since: number | null;
  /** `type` null: of every type. */
  readonly elements: readonly { readonly type: string | null; readonly name: string }[];
  /** Of one type, a resource is exported that any of its filters finds. */
  readonly filters: readonly { readonly type: string; readonly query: string }[];
  /** Ids of Patients; null: all of the level. */
  readonly patients: readonly string[] | null;
  /** `asked`: what tells of the exported records comes along, whether or not `_type` names it. */
  readonly provenance: 'asked' | 'as-a-type';
}
