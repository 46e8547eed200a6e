import { all, type Program } from '../../../store/index.ts';
import { TARGET } from '../../../lanes/index.ts';
import type { ShadowWaiting } from '../commands.ts';
import { toWaiting } from '../rows.ts';

export function* countWaiting(tenant: string): Program<ShadowWaiting> {
  return toWaiting(
    yield* all`
      SELECT kind, count(*) AS n FROM job
      WHERE tenant = ${tenant} AND target = ${TARGET} AND state = 'queued' GROUP BY kind`,
  );
}
