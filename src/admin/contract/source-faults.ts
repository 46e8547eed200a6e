import type { FaultCode } from '../../kernel/index.ts';

/** What can keep the health data service from answering. */
export const SOURCE_FAULTS = [
  'source.not-configured',
  'source.unreachable',
  'source.timeout',
  'source.cut',
  'source.failed',
  'source.unauthorized',
  'source.not-activated',
  'source.data-source',
  'source.rejected',
  'source.unreadable',
] as const satisfies readonly FaultCode[];
