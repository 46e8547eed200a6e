export {
  groupsOf,
  makeAskProvider,
  type AskProvider,
  type ProviderClaims,
  type ProviderClient,
  type ProviderCredential,
  type ProviderFlow,
} from './ask-provider.ts';
export { CODE, newTotpSecret, showTotp, stepOfCode } from './totp.ts';
