import type { About } from '../own-commands.ts';

type Row = Readonly<Record<string, unknown>>;

export const ABOUT = {
  identity: 'SELECT id, environment, pseudonym FROM store_identity',
  schema: 'SELECT max(version) AS version FROM schema_step',
  keys: 'SELECT id FROM store_key ORDER BY id',
} as const;

export const toAbout = (identity: Row | undefined, schema: Row | undefined, keys: readonly Row[]): About | null =>
  identity === undefined
    ? null
    : {
        id: String(identity['id']),
        environment: String(identity['environment']),
        pseudonym: identity['pseudonym'] as Uint8Array,
        schema: Number(schema?.['version'] ?? 0),
        usedKeys: keys.map(({ id }) => String(id)),
      };
