export { openForReading, type ReadOnlyStore } from './open-for-reading.ts';
export { lookAtStore, type LookedAt } from './look-at-store.ts';
export { copySqlite } from './sqlite/copy-database.ts';
export { renameForGood } from './sqlite/flush.ts';
export { findKeyProblem, type StoreKeys } from './find-key-problem.ts';
export type { DataKeys, Resealing } from './reseal/commands.ts';
export { continueResealing, type KeptResealing } from './reseal/continue-resealing.ts';
export { ASIDE_TABLE, KEY_TABLE, type SealedTable } from './reseal/sealed-table.ts';
export { storeSet, type About } from './own-commands.ts';
export { QUEUE_LIMITS } from './write-queue.ts';
export { openStore, type Database, type StoreDeps } from './open-store.ts';
export {
  type AnyCommandSet,
  type CommandContext,
  type CommandSet,
  type Journaled,
  type Operate,
  type Operations,
  type PostgresContext,
  type PostgresMany,
  type Programs,
  type Row,
  type Store,
  type StoreFigures,
  type StoreHealth,
} from './commands.ts';
export { patientIndex, userIndex } from './indexes.ts';
export { forgetKey, forgetKeys, openKey, rememberKey, type OpenedKey } from './opened-keys.ts';
export { isErased, liftErasure, openUserKey, userSealer, type UserSealer } from './user-key.ts';
export type { Sealer, Vault } from './vault.ts';
export { makeWriterMemory, type Memorable, type WriterMemory } from './writer-memory.ts';
export { performPostgres } from './sql/perform.ts';
export { countersOf, rowsOf } from './sql/rows.ts';
export {
  add,
  all,
  allOf,
  among,
  amongTuples,
  commaSeparated,
  EARLIER,
  fragment,
  FOR_UPDATE,
  FOR_UPDATE_OF_FREE,
  get,
  insert,
  insertAlike,
  insertOne,
  LATER,
  listOf,
  lock,
  lockEach,
  LONG_AGO,
  MILLISECONDS,
  now,
  part,
  RETURNING_SEQ,
  rightNow,
  rightNowMs,
  run,
  runEach,
  send,
  sendOne,
  tryLock,
  only,
  typed,
  words,
  type Fragment,
  type Part,
  type Program,
  type Value,
} from './sql/statement.ts';
