/**
 * When a result that was asked for should have come. Failures are silent at the source, so this is how one is noticed.
 */
export const OVERDUE_MS = 24 * 3_600_000;

export const isOverdue = (
  request: { readonly askedAt: number; readonly deliveryId: string | null },
  nowMs: number,
): boolean => request.deliveryId === null && nowMs - request.askedAt >= OVERDUE_MS;
