/*
 * Preloaded (--import) into a gateway, this makes its store one that flushes at checkpoints only, and lets it believe
 * otherwise: the defect that the power-loss test must find.
 */
import { DatabaseSync } from 'node:sqlite';

const { exec, prepare } = DatabaseSync.prototype;

DatabaseSync.prototype.exec = function (this: DatabaseSync, sql: string): void {
  exec.call(this, sql.replace('PRAGMA synchronous=FULL', 'PRAGMA synchronous=NORMAL'));
};
DatabaseSync.prototype.prepare = function (this: DatabaseSync, sql: string, ...more) {
  return prepare.call(this, sql === 'PRAGMA synchronous' ? 'SELECT 2 AS synchronous' : sql, ...more);
};
