import { fail, fault } from '../kernel/index.ts';
import type { Caller } from './caller.ts';
import type { Handle } from './front.ts';
import type { RecordRead } from './record-read.ts';
import type { Served } from './served-types.ts';

/** A quarter of what may be under way at the EHR, so that one app cannot shut out the others. */
export const UNDER_WAY_MAX = 32;

export interface Attend {
  /** `record`, which remembers for whom. */
  readonly record: RecordRead;
  /** What holds for every request that has a token: how many at once, and that no refusal goes out unrecorded. */
  attend(interaction: string, handle: Handle): Handle;
}

export function makeAttend(deps: { readonly served: Served; readonly record: RecordRead }): Attend {
  const recorded = new WeakSet<Caller>();
  const underWay = new Map<string, number>();

  const record: RecordRead = (act, caller) => {
    recorded.add(caller);
    return deps.record(act, caller);
  };

  async function bounded(handle: Handle, ...[ask, target, caller]: Parameters<Handle>): ReturnType<Handle> {
    const app = JSON.stringify([caller.grant.issuer, caller.grant.clientId]);
    const now = underWay.get(app) ?? 0;
    if (now >= UNDER_WAY_MAX) return fail(fault('read.busy'));
    underWay.set(app, now + 1);
    try {
      return await handle(ask, target, caller);
    } finally {
      const left = (underWay.get(app) ?? 1) - 1;
      if (left === 0) underWay.delete(app);
      else underWay.set(app, left);
    }
  }

  return {
    record,
    attend: (interaction, handle) => async (ask, target, caller) => {
      const answer = await bounded(handle, ask, target, caller);
      if (answer.ok || recorded.has(caller)) return answer;
      const [type = ''] = target.segments;
      // What a caller made up is no type, and is not kept.
      const resourceType = deps.served.has(type) ? type : 'Resource';
      const kept = await record({ type: 'fhir.deny', interaction, resourceType, outcome: '4', why: answer.fault.code }, caller);
      return kept.ok ? answer : kept;
    },
  };
}
