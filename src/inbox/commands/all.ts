import type { PostgresMany, Programs } from '../../store/index.ts';
import type { InboxWrites } from '../commands.ts';
import { discard, replay, replayMany, shred } from './act.ts';
import { putMany } from './put-many.ts';
import { put } from './put.ts';
import { assign, note } from './work.ts';

export { reads } from './read.ts';

export const writes: Programs<InboxWrites> = {
  'inbox.put': put,
  'inbox.replay': replay,
  'inbox.replay-many': replayMany,
  'inbox.discard': discard,
  'inbox.assign': assign,
  'inbox.note': note,
  'inbox.shred': shred,
};

export const writesMany: PostgresMany<InboxWrites> = { 'inbox.put': putMany };
