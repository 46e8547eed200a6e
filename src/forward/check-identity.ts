import { ok, type Result } from '../kernel/index.ts';
import { readResource, type Resource } from '../ehr/index.ts';
import { claimsIn } from '../translate/index.ts';
import { compareIdentity } from './compare-identity.ts';
import type { Planned } from './plan-job.ts';
import type { JobDeps } from './job.ts';

/** What is to be told of a result that goes on, or why it does not. */
export type Identity =
  | { readonly kind: 'goes-on'; readonly noted?: 'patient.differs' | 'patient.unchecked' }
  | { readonly kind: 'other-person' };

const GOES_ON: Identity = { kind: 'goes-on' };
const UNCHECKED: Identity = { kind: 'goes-on', noted: 'patient.unchecked' };

async function readChartPatient(reference: string, requestId: string, deps: JobDeps): Promise<Result<Resource | null>> {
  const { signal, target } = deps;
  const answer = await readResource(target.ehr, 'Patient', reference.replace(/^Patient\//, ''), { requestId, signal });
  if (!answer.ok) return ['ehr.not-found', 'ehr.gone', 'ehr.forbidden'].includes(answer.fault.code) ? ok(null) : answer;
  const { body } = answer.value;
  const resource = body.kind === 'json' ? (body.value as Resource) : null;
  return ok(resource?.resourceType === 'Patient' ? resource : null);
}

/**
 * Whether a laboratory result that says whose it is can be of the patient of this chart. The chart's patient is read
 * once; a person who has looked at it and replays it is believed.
 */
export async function checkIdentity(
  { translation: { whose }, isApproved }: Planned,
  reference: string,
  requestId: string,
  deps: JobDeps,
): Promise<Result<Identity>> {
  if (whose === null || isApproved('identity')) return ok(GOES_ON);
  const patient = await readChartPatient(reference, requestId, deps);
  if (!patient.ok) return patient;
  if (patient.value === null) return ok(UNCHECKED);
  const verdict = compareIdentity(whose, claimsIn(patient.value));
  switch (verdict.kind) {
    case 'same':
      return ok(GOES_ON);
    case 'nothing-to-compare':
      return ok(UNCHECKED);
    case 'differs':
      return ok({ kind: 'goes-on', noted: 'patient.differs' });
    case 'other-person':
      return ok({ kind: 'other-person' });
  }
}
