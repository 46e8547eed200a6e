/** The file of everything up to a checkpoint, beside the anchor. */
export const segmentName = (checkpoint: number): string => `segment-${String(checkpoint).padStart(12, '0')}.ndjson`;
