import type { StartError } from '../kernel/index.ts';
import { EXIT } from './command.ts';

/** What the next try may find otherwise, without anybody changing a setting. */
const MAY_PASS = new Set([
  'store.unreachable',
  'store.unreadable',
  'store.journal-waits',
  'store.locked',
  'store.busy',
  'store.full',
  'store.closed',
  'store.commit-unknown',
  'store.migration',
  'audit.unavailable',
  'http.listen',
  'ehr.listen',
  'service.listen',
  'app.listen',
  'demo.foreign-ehr',
  'cli.unreachable',
]);
const DAMAGED = new Set(['store.damaged', 'store.journal', 'store.io']);

/** A supervisor may start again after 69; after 78 a person must have changed something. */
export const exitOf = ({ code }: StartError): number =>
  MAY_PASS.has(code) ? EXIT.unavailable : DAMAGED.has(code) ? EXIT.io : EXIT.config;
