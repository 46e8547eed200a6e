import { run, type Programs } from '../../store/index.ts';
import type { OperatorWrites } from '../commands.ts';
import { add, change, redeemLink, remove, reset, setPassword } from './account.ts';
import { addKey, removeKey } from './key.ts';
import { removeSearch, saveSearch } from './search.ts';
import {
  addFactor,
  endSession,
  passStage,
  providerSignIn,
  putMoment,
  removeFactor,
  signIn,
  takeMoment,
  wrongProof,
} from './session.ts';

export { reads } from './read.ts';

export const writes: Programs<OperatorWrites> = {
  'operator.add': add,
  'operator.change': change,
  'operator.remove': remove,
  'operator.reset': reset,
  'operator.redeem-link': redeemLink,
  'operator.set-password': setPassword,
  'operator.sign-in': signIn,
  'operator.pass-stage': passStage,
  'operator.wrong-proof': wrongProof,
  *'operator.seen'(_, { tenant, id, atMs }) {
    yield* run`
      UPDATE operator_session SET seen_at = ${atMs} WHERE tenant = ${tenant} AND id = ${id} AND seen_at < ${atMs}`;
    return null;
  },
  'operator.end-session': endSession,
  'operator.add-factor': addFactor,
  'operator.remove-factor': removeFactor,
  'operator.put-moment': putMoment,
  'operator.take-moment': takeMoment,
  'operator.provider-sign-in': providerSignIn,
  'operator.add-key': addKey,
  'operator.remove-key': removeKey,
  'operator.save-search': saveSearch,
  'operator.remove-search': removeSearch,
  *'operator.key-used'(_, { tenant, id, atMs }) {
    yield* run`
      UPDATE operator_key SET used_at = ${atMs}
      WHERE tenant = ${tenant} AND id = ${id} AND (used_at IS NULL OR used_at < ${atMs})`;
    return null;
  },
};
