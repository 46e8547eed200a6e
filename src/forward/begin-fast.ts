import type { Pretranslated } from '../judge/index.ts';
import type { FastClaimed, ClaimWish } from '../lanes/index.ts';
import { makeContentReader, type ContentReader } from './content-reader.ts';
import { digestOfItems, planFresh, type Planned } from './plan-job.ts';
import { type Target } from '../ehr/index.ts';
import { intentsOf, type JobDeps } from './run-job.ts';

/** What an attempt can be begun with in the very commit that settles its delivery. */
export interface Wished {
  readonly planned: Planned;
  readonly chart: string;
  readonly reader: ContentReader;
}

/** A plan, and a chart that is known and free; null where something must be asked first. */
export function wishToBegin(
  pretranslated: Pretranslated,
  target: Target,
  deps: {
    readonly knownSince: number;
    readonly contentKey: string;
    /** Keeps the chart; false where somebody is at it. */
    readonly expectChart: (reference: string) => boolean;
  },
): Wished | null {
  // Whose it is must be asked first.
  if (pretranslated.translation.whose !== null) return null;
  const chart = target.rememberedPatient(pretranslated.patient);
  if (chart === null) return null;
  const planned = planFresh(pretranslated, deps.knownSince);
  if (planned.items.length === 0 || !deps.expectChart(chart)) return null;
  const patient = { urn: pretranslated.translation.patient.reference, reference: chart };
  return { planned, chart, reader: makeContentReader({ guard: target.ehr.guard, key: deps.contentKey, patient }) };
}

export const attemptOf = ({ planned, chart, reader }: Wished, id: string): NonNullable<ClaimWish['attempt']> => ({
  id,
  requestDigest: digestOfItems(planned.items),
  intents: intentsOf(planned, reader),
  chart,
});

export function fastClaimOf({ ledger, attemptId }: FastClaimed, wished: Wished | null): JobDeps['fastClaim'] {
  return attemptId !== null && wished !== null
    ? { ledger, attemptId, ...wished }
    : { ledger, attemptId: null, planned: null };
}
