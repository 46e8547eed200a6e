import { eventually } from '../../../support/eventually.ts';
import type { Json } from '../../../support/payloads/index.ts';
import type { Rig } from '../rig.ts';
import type { Decided, Linked, SaidVersion } from './history.ts';

/** So long a person waits between two acts; a delivery may be retried several times meanwhile. */
const PATIENCE_MS = 12_000;
const RESTING = new Set(['delivered', 'superseded', 'duplicate', 'parked', 'quarantined', 'discarded']);

/** What was done so far. */
export interface Done {
  readonly said: SaidVersion[];
  readonly payloads: Map<string, Json>;
  readonly skipped: Map<string, number[]>;
  readonly links: Linked[];
  readonly decided: Decided[];
  edits: number;
  readonly refused: string[];
  isLossy: boolean;
}

/** Whether nothing is under way, waits for another try, or is still to be moved. */
async function isAtRest(rig: Rig, done: Done): Promise<boolean> {
  for (const { deliveryId } of done.said) if (!RESTING.has((await rig.read(deliveryId)).state)) return false;
  for (const user of new Set(done.links.map((link) => link.user)))
    if ((await rig.admin('GET', `links/${user}`)).body['isSettled'] !== true) return false;
  const { targets } = (await rig.admin('GET', 'targets')).body as { targets: { waiting: { jobs: number } }[] };
  return targets.every(({ waiting }) => waiting.jobs === 0);
}

/** Answers whether it came to rest in time. */
export const comeToRest = (rig: Rig, done: Done, ms = PATIENCE_MS): Promise<boolean> =>
  eventually(
    () => isAtRest(rig, done),
    (isResting) => isResting,
    ms,
  );
