import { performSqlite, type Programs, type SqliteOperations } from '../../store/index.ts';
import type { DeliverWrites } from './commands.ts';
import * as commands from './commands/all.ts';
import { settle } from './commands/settle.ts';
import { fastClaim } from '../fast-claim-sqlite.ts';

export { reads } from './commands/all.ts';

/** Settling claims at once what it can on SQLite; the claim is still written for it alone. */
export const writes: Omit<Programs<DeliverWrites>, 'deliver.settle'> &
  Pick<SqliteOperations<DeliverWrites>, 'deliver.settle'> = {
  ...commands.writes,
  'deliver.settle': (context, s) => {
    const settled = performSqlite(context, settle(context, s));
    const claimed = settled?.state === 'queued' && s.claim !== undefined ? fastClaim(context, s, s.claim) : null;
    return settled === null || claimed === null ? settled : { ...settled, fastClaim: claimed };
  },
};
