import {
  all,
  amongTuples,
  MILLISECONDS,
  rightNow,
  typed,
  type CommandContext,
  type Program,
} from '../../store/index.ts';
import { TARGET } from '../enqueue/commands.ts';
import type { LaneWrites } from '../commands.ts';
import { STILL_LASTS } from './parts.ts';

const LANE_AND_EPOCH = ['bytea', 'bigint'] as const;

const hexOf = (bytes: unknown): string => Buffer.from(bytes as Uint8Array).toString('hex');

type Renew = LaneWrites['lane.renew'];

/** All in one statement. */
export function* renew(_: CommandContext, { tenant, owner, at, leaseMs, held }: Renew['args']): Program<Renew['out']> {
  const leases = held.map(({ patient, epoch }) => [hexOf(patient), epoch] as const);
  const rows = yield* all`
    UPDATE lane SET lease_until = ${rightNow(at)} + ${typed('int', leaseMs)}${MILLISECONDS}
    WHERE tenant = ${tenant} AND target = ${TARGET} AND lease_owner = ${owner} ${STILL_LASTS}
      AND (patient_index, lease_epoch) ${amongTuples(LANE_AND_EPOCH, leases)}
    RETURNING patient_index, lease_epoch`;
  const renewed = new Set(rows.map((row) => `${hexOf(row['patient_index'])} ${Number(row['lease_epoch'])}`));
  return leases.map(([patient, epoch]) => renewed.has(`${patient} ${epoch}`));
}
