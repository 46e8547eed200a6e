import { DatabaseSync } from 'node:sqlite';

/*
 * Loaded inside the writer thread as if it were a module's commands: makes every COMMIT of that thread 5 ms slower, as
 * on a disk whose flush takes that long. The product has no such switch.
 */
const COMMIT_MS = 5;
const sleeper = new Int32Array(new SharedArrayBuffer(4));
const { exec } = DatabaseSync.prototype;

DatabaseSync.prototype.exec = function slowExec(this: DatabaseSync, sql: string): void {
  exec.call(this, sql);
  if (sql === 'COMMIT') Atomics.wait(sleeper, 0, 0, COMMIT_MS);
};

export const writes = {};
export const reads = {};
