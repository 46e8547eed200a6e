/** The ten states of a delivery. */
export const STATES = `('received','queued','sending','unknown','delivered','superseded','duplicate','parked','quarantined','discarded')`;
