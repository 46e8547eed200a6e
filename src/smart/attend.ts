import type { Grant } from '../auth/index.ts';
import { fail, fault, ok, type Answer, type Fault, type Result } from '../kernel/index.ts';
import type { Caller } from './caller.ts';
import type { Handle } from './front.ts';
import type { LinkedPatients } from './linked-patients.ts';
import type { RecordRead } from './record-read.ts';
import type { Served } from './served-types.ts';

/** Half of what may be under way at the EHR, so that one app cannot shut out the others. */
export const UNDER_WAY_MAX = 32;
/**
 * Who left is not waited for, though the EHR may go on for it: its place is free only then, or leaving would be a way
 * to ask without end.
 */
const LEFT_MS = 1_000;

export interface Attend {
  /** `record`, which remembers for whom. */
  readonly record: RecordRead;
  /**
   * What holds for every request that has a token: how many at once, for which patient, and that no refusal goes out
   * unrecorded.
   */
  attend(interaction: string, handle: Handle): Handle;
}

export function makeAttend(deps: {
  readonly served: Served;
  readonly isLinked: LinkedPatients['isLinked'];
  readonly record: RecordRead;
}): Attend {
  const recorded = new WeakSet<Caller>();
  const underWay = new Map<string, number>();

  const record: RecordRead = (act, caller) => {
    recorded.add(caller);
    return deps.record(act, caller);
  };

  function free(app: string): void {
    const left = (underWay.get(app) ?? 1) - 1;
    if (left === 0) underWay.delete(app);
    else underWay.set(app, left);
  }

  function leave({ signal }: Caller, app: string): void {
    if (signal?.aborted === true) setTimeout(free, LEFT_MS, app).unref();
    else free(app);
  }

  /** A patient in context without a confirmed link does not count, because an external issuer may name anybody. */
  async function heldTo(caller: Caller): Promise<Result<Grant>> {
    const { grant } = caller;
    if (grant.patient === null) return ok(grant);
    const linked = await deps.isLinked(grant.patient, caller);
    return linked.ok ? ok(linked.value ? grant : { ...grant, patient: null }) : linked;
  }

  async function notHeld(interaction: string, why: Fault, caller: Caller): Promise<Result<never>> {
    const kept = await record(
      { type: 'fhir.deny', interaction, resourceType: 'Resource', outcome: '8', why: why.code },
      caller,
    );
    return kept.ok ? fail(why) : kept;
  }

  return {
    record,
    attend: (interaction, handle) => async (ask, target, caller) => {
      const app = JSON.stringify([caller.grant.issuer, caller.grant.clientId]);
      const now = underWay.get(app) ?? 0;
      let held = caller;
      let answer: Result<Answer> = fail(fault('read.busy'));
      if (now < UNDER_WAY_MAX) {
        underWay.set(app, now + 1);
        try {
          const grant = await heldTo(caller);
          if (grant.ok) {
            held = grant.value === caller.grant ? caller : { ...caller, grant: grant.value };
            answer = await handle(ask, target, held);
          } else answer = await notHeld(interaction, grant.fault, caller);
        } finally {
          leave(caller, app);
        }
      }
      if (answer.ok || recorded.has(held)) return answer;
      const [first = '', , below = ''] = target.segments;
      // `Patient/1/Observation` is about Observations.
      const type = first === 'Patient' && deps.served.has(below) ? below : first;
      // An unknown type is the caller's own text and is not recorded.
      const resourceType = deps.served.has(type) ? type : 'Resource';
      const kept = await record(
        { type: 'fhir.deny', interaction, resourceType, outcome: '4', why: answer.fault.code },
        held,
      );
      return kept.ok ? answer : kept;
    },
  };
}
