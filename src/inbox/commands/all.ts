import type { CommandContext, PostgresMany, Program, Programs } from '../../store/index.ts';
import type { Act, ActOutcome, InboxWrites } from '../commands.ts';
import { DISCARDABLE, REPLAYABLE } from '../state.ts';
import { act, replayMany, shred } from './act.ts';
import { putMany } from './put-many.ts';
import { put } from './put.ts';

export { reads } from './read.ts';

const replay = (context: CommandContext, args: Act): Program<ActOutcome> =>
  act(context, args, REPLAYABLE, 'received', 'replay');

export const writes: Programs<InboxWrites> = {
  'inbox.put': put,
  'inbox.replay': replay,
  'inbox.replay-many': (context, args) => replayMany(context, args, replay),
  'inbox.discard': (context, { why, ...args }) => act(context, args, DISCARDABLE, 'discarded', why),
  'inbox.shred': shred,
};

export const writesMany: PostgresMany<InboxWrites> = { 'inbox.put': putMany };
