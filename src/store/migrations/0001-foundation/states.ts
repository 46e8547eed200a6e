/** The ten states of a delivery. */
export const STATES = `('received','queued','sending','unknown','delivered','superseded','duplicate','parked','quarantined','discarded')`;

/**
 * Audit records that there are very many of: found by time; the others have an index of their own, which costs them
 * nothing.
 */
export const BULK_AUDIT_TYPES = `('hook.accept','delivery.change','ehr.write','ehr.read','fhir.read','fhir.search')`;
