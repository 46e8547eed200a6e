import type { Target } from '../ehr/index.ts';
import type { FastClaims, Pretranslated } from '../judge/index.ts';
import type { ClaimWish, FastClaimed } from '../lanes/index.ts';
import type { Start } from './carry-out.ts';
import { makeContentReader, type ContentReader } from './content-reader.ts';
import { ledgerQuestionOf } from './decide-changes.ts';
import { intentsOf } from './intents.ts';
import type { FastClaim } from './job.ts';
import type { LanesDeps } from './lanes-deps.ts';
import { LEASE_MS, type Leases } from './leases.ts';
import { digestOfItems, planFresh, type Planned } from './plan-job.ts';

/**
 * Judging waits so long for what is under way: an EHR that answers as fast as `fastExchangeMs` is not run away from, since
 * what goes into a lane is claimed and begun in commits of its own; a slower one does not hold judging up.
 */
const ROOM_WAIT = { fastExchangeMs: 100, fastMs: 500, slowMs: 50 } as const;

const roomWaitMs = (exchangeMs: number | null): number =>
  exchangeMs !== null && exchangeMs <= ROOM_WAIT.fastExchangeMs ? ROOM_WAIT.fastMs : ROOM_WAIT.slowMs;

/** What an attempt can be begun with in the very commit that settles its delivery. */
interface Wished {
  readonly planned: Planned;
  readonly chart: string;
  readonly reader: ContentReader;
}

/** A plan, and a chart that is known and free; null where something must be asked first. */
function wishToBegin(
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

const attemptOf = ({ planned, chart, reader }: Wished, id: string): NonNullable<ClaimWish['attempt']> => ({
  id,
  requestDigest: digestOfItems(planned.items),
  intents: intentsOf(planned, reader),
  chart,
});

const fastClaimOf = ({ ledger, attemptId }: FastClaimed, wished: Wished | null): FastClaim =>
  attemptId !== null && wished !== null ? { kind: 'begun', ledger, attemptId, ...wished } : { kind: 'claimed', ledger };

/**
 * The shortcut past the lane: a delivery is claimed in the very commit that settles it, with its attempt where nothing
 * has to be asked before it can be sent. Without it every delivery is claimed from its lane, and all goes the same way.
 */
export function makeFastClaims(
  deps: LanesDeps & {
    readonly leases: Leases;
    readonly knownSince: () => number | null;
    /** How many more may be under way. */
    readonly room: () => number;
    /** From the start to the stop. */
    readonly isRunning: () => boolean;
    /** By a person. */
    readonly isPaused: () => boolean;
    readonly start: (one: Start) => void;
  },
) {
  const { owner, clock, leases } = deps;
  let reserved = 0;
  let onRoom: (() => void) | null = null;

  function reserve(deliveryId: string): ReturnType<FastClaims['reserve']> {
    const target = deps.target();
    const knownSince = deps.knownSince();
    if (!deps.isRunning() || target === null || knownSince === null || deps.room() <= 0) return null;
    const pretranslated = deps.pretranslated.take(deliveryId);
    // By the mapping data as they are now.
    if (pretranslated?.translationContext !== deps.translationContext()) {
      pretranslated?.room.release();
      return null;
    }
    reserved += 1;
    const claimedAt = clock.monotonicMs();
    const { translationContext, patient } = pretranslated;
    const { names, shelves, alertsOf } = ledgerQuestionOf(pretranslated.translation);
    const { contentKey } = deps;
    const wished = wishToBegin(pretranslated, target, { knownSince, contentKey, expectChart: leases.expectChart });
    return {
      claim: {
        owner,
        leaseMs: LEASE_MS,
        patient,
        names: JSON.stringify(names),
        shelves,
        alertsOf,
        attempt: wished === null ? null : attemptOf(wished, deps.newId('att')),
      },
      use(given) {
        reserved -= 1;
        if (wished !== null) leases.endExpectation(wished.chart);
        if (given === null) {
          pretranslated.room.release();
          return;
        }
        const fastClaim = fastClaimOf(given, wished);
        deps.start({ claimed: given.claimed, target, claimedAt, translationContext, pretranslated, fastClaim });
      },
    };
  }

  /** An EHR that is not there, paused or left alone holds up nobody: then judging goes on at its own pace. */
  async function room(): Promise<number> {
    const { breaker, exchangeMs } = deps.guard.state();
    const isOpen = deps.target() !== null && breaker === 'closed' && !deps.isPaused();
    if (!isOpen || !deps.isRunning()) return 0;
    if (deps.room() <= 0)
      await new Promise<void>((resolve) => {
        const late = setTimeout(resolve, roomWaitMs(exchangeMs)).unref();
        onRoom = () => {
          clearTimeout(late);
          resolve();
        };
      });
    onRoom = null;
    return Math.max(0, deps.room());
  }

  return {
    claims: { room, reserve } satisfies FastClaims,
    /** Places that are kept for deliveries that are being settled. */
    reserved: () => reserved,
    /** Something that was under way has ended. */
    onEnded: (): void => onRoom?.(),
  };
}
