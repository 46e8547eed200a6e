import type { SpanFields } from '../kernel/index.ts';

/** A step that has ended. */
export interface FinishedSpan {
  readonly traceId: string;
  readonly spanId: string;
  /** Null: it is the first of its trace. */
  readonly parentId: string | null;
  /** Whether the parent is a step of somebody else's. */
  readonly isParentRemote: boolean;
  readonly kind: 'internal' | 'server' | 'client';
  readonly name: string;
  /** By the wall clock, with fractions. */
  readonly startMs: number;
  readonly endMs: number;
  readonly fields: SpanFields;
}
