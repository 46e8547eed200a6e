/*
 * Preloaded (--import) into a gateway and its threads, this sets their wall clock ahead by CLOCK_AHEAD_MS. The
 * monotonic clock goes on.
 */
const aheadMs = Number(process.env['CLOCK_AHEAD_MS'] ?? 0);
const Real = Date;

globalThis.Date = class extends Real {
  constructor(...args: readonly unknown[]) {
    if (args.length === 0) super(Real.now() + aheadMs);
    else super(...(args as [number]));
  }
  static override now(): number {
    return Real.now() + aheadMs;
  }
} as DateConstructor;
