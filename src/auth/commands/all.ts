import type { Programs } from '../../store/index.ts';
import type { AuthWrites } from '../commands.ts';
import { addAccount, addClient } from './add.ts';
import { changeAccount, changeClient, setClientState } from './change.ts';
import { consume, take } from './consume.ts';
import { endGrant } from './end.ts';
import { claimGrants, useGrant } from './grants.ts';
import { put } from './put.ts';
import { remove, removeAccount, removeClient, removeOfGrant } from './remove.ts';
import { keepKey, rotateKey } from './rotate-key.ts';
import { failFactor, passFactor } from './pass-factor.ts';
import { providerRefuse, providerSignIn } from './provider-sign-in.ts';
import { signIn } from './sign-in.ts';

export { reads } from './read.ts';

export const writes: Programs<AuthWrites> = {
  'auth.put': put,
  'auth.consume': consume,
  'auth.take': take,
  'auth.remove': remove,
  'auth.remove-of-grant': removeOfGrant,
  'auth.add-client': addClient,
  'auth.change-client': changeClient,
  'auth.set-client-state': setClientState,
  'auth.remove-client': removeClient,
  'auth.add-account': addAccount,
  'auth.change-account': changeAccount,
  'auth.remove-account': removeAccount,
  'auth.end-grant': endGrant,
  'auth.use-grant': useGrant,
  'auth.claim-grants': claimGrants,
  'auth.sign-in': signIn,
  'auth.pass-factor': passFactor,
  'auth.fail-factor': failFactor,
  'auth.provider-sign-in': providerSignIn,
  'auth.provider-refuse': providerRefuse,
  'auth.keep-key': keepKey,
  'auth.rotate-key': rotateKey,
};
