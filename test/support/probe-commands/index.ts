import { fileBeside } from '../../../src/kernel/index.ts';
import type { CommandSet } from '../../../src/store/index.ts';

/**
 * Commands of the shape that the gateway's own have: a delivery with its sealed body and an audit row, in one commit.
 */
export type ProbeWrites = {
  'probe.put': { args: { id: string; body: Uint8Array; atMs: number; user?: string }; out: { seq: number } };
  /** Writes, then throws: nothing of it may stay. */
  'probe.put-and-throw': { args: { id: string; body: Uint8Array; atMs: number }; out: never };
  /** Catches an error of the database and goes on as if nothing had been. */
  'probe.put-and-swallow': { args: { id: string; body: Uint8Array; atMs: number }; out: { seq: number } };
  /** Puts another record in the place of one that is there. */
  'probe.replace-audit': { args: { id: string }; out: null };
  'probe.rewrite-audit': { args: { id: string }; out: null };
  'probe.remove-audit': { args: { id: string }; out: null };
  /** Reads from a table that another session may hold locked. */
  'probe.touch-checkpoint': { args: null; out: { checkpoints: number } };
  'probe.who': { args: null; out: { writer: string } };
};
export type ProbeReads = {
  'probe.body': { args: { id: string }; out: { body: Uint8Array } | null };
  'probe.sealed': { args: { id: string }; out: { sealed: Uint8Array } | null };
  'probe.by-user': { args: { user: string }; out: { ids: string[] } };
  'probe.count': { args: null; out: { deliveries: number; bodies: number; audits: number } };
  'probe.throw': { args: null; out: never };
};

export const probeSet: CommandSet<ProbeWrites, ProbeReads> = {
  sqlite: fileBeside(import.meta.url, './all'),
  postgres: () => import('./all.ts'),
};
