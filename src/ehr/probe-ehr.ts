import { fail, fault, ok, type Chance, type Result } from '../kernel/index.ts';
import { readCapabilityStatement } from './fhir-client.ts';
import type { Ehr } from './open-ehr.ts';
import { readsInTransaction } from './probe-transaction.ts';
import { readCapability, type Capability } from './read-capability.ts';
import { verifyIdentifier, type VerifiedFilter } from './verify-identifier.ts';

/** What the EHR says, and what was seen. */
export interface Probed {
  readonly capability: Capability;
  /** By type; a type that is not here was not looked at, and is not trusted. */
  readonly filters: Readonly<Record<string, VerifiedFilter>>;
  /** Whether a transaction shows what it reads. */
  readonly readsInTransaction: boolean;
}

/** The types whose identifiers we may search for. */
export const PROBED_TYPES = [
  'Patient',
  'Observation',
  'DiagnosticReport',
  'Device',
  'Specimen',
  'DocumentReference',
] as const;

export interface ProbeDeps {
  readonly ehr: Ehr;
  readonly chance: Chance;
  readonly newRequestId: () => string;
  readonly types?: readonly string[];
}

/** Reads the CapabilityStatement and tries what matters of it. Writes nothing. */
export async function probeEhr(deps: ProbeDeps): Promise<Result<Probed>> {
  const answer = await readCapabilityStatement(deps.ehr, { requestId: deps.newRequestId() });
  if (!answer.ok) return answer;
  const { body } = answer.value;
  const capability = body.kind === 'json' ? readCapability(body.value) : fail(fault('ehr.capability'));
  if (!capability.ok) return capability;
  const filters: Record<string, VerifiedFilter> = {};
  for (const type of deps.types ?? PROBED_TYPES) {
    const said = capability.value.types[type];
    if (said === undefined) continue;
    // A server that does not list the search is asked all the same for a Patient, since nothing works without; what it
    // does not let us write need not be found.
    if (type === 'Patient' || (said.search && (said.create || said.update)))
      filters[type] = await verifyIdentifier(deps.ehr, type, deps);
  }
  return ok({
    capability: capability.value,
    filters,
    readsInTransaction: capability.value.transaction && (await readsInTransaction(deps.ehr, deps)),
  });
}
